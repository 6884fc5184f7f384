"""What the parameters of clustering may be and mean: tables of k-means and of mixtures (see estimators/params.py)."""

from __future__ import annotations

from numbers import Integral

from sklearn.utils._param_validation import Interval, StrOptions

from spinney.estimators.params import AT_LEAST_1, COMMON, NOT_NEGATIVE, POSITIVE, Parameter

_AT_LEAST_0 = Interval(Integral, 0, None, closed="left")

CLUSTERING = {
    "n_jobs": COMMON["n_jobs"]._replace(
        text="Number of threads. None and -1 use every core. The result does not depend on it."
    ),
    "verbose": COMMON["verbose"],
    "keep_history": Parameter("bool", "Whether to keep the state before every iteration in `history_`.", ["boolean"]),
}

# --- k-means ----------------------------------------------------------------------------------------------------------

KMEANS = {
    **CLUSTERING,
    "n_clusters": Parameter("int", "Number of clusters.", [AT_LEAST_1]),
    "init": Parameter(
        '{"k-means++", "random"}, array of shape (n_clusters, n_features) or callable',
        'Initial centroids. "k-means++": rows sampled far from each other, the best of several candidates each time. '
        '"random": rows sampled by weight. An array: the centroids themselves. A callable: the result of '
        "`init(X, n_clusters, random_state=...)`.",
        [StrOptions({"k-means++", "random"}), callable, "array-like"],
    ),
    "n_init": Parameter(
        'int or "auto"',
        'Number of initialisations. The run with the smallest `inertia_` is kept. "auto": 1 for "k-means++" and '
        'arrays, 10 for "random" and callables. An array is always used once.',
        [StrOptions({"auto"}), AT_LEAST_1],
    ),
    "max_iter": Parameter("int", "Maximum number of iterations of a run.", [AT_LEAST_1]),
    "tol": Parameter(
        "float",
        "Tolerance for convergence. A run ends when the sum of the centroids' squared moves is at most this multiple "
        "of the columns' mean variance.",
        [NOT_NEGATIVE],
    ),
    "verbose": Parameter("int", "1 prints the inertia of every iteration.", ["verbose"]),
    "random_state": Parameter("int, RandomState or None", "Seed for the initial centroids.", ["random_state"]),
    "copy_x": Parameter("bool", "Ignored, for compatibility with scikit-learn: X is never changed.", ["boolean"]),
    "algorithm": Parameter(
        '{"auto", "lloyd", "bounds", "elkan"}',
        '"lloyd" measures all rows in every iteration, "bounds" (or "elkan") only those that may have changed cluster. '
        '"auto" chooses the one that is expected to be faster. The result is the same.',
        [StrOptions({"auto", "lloyd", "bounds", "elkan"})],
    ),
    "metric": Parameter(
        '{"euclidean", "cosine"}',
        'Distance. With "cosine", rows and centroids are directions, and the distance is 1 - cos of the angle between '
        "them.",
        [StrOptions({"euclidean", "cosine"})],
    ),
    "keep_history": Parameter(
        "bool", "Whether to keep the centroids and the inertia of every iteration in `history_`.", ["boolean"]
    ),
}

MINI_BATCH = {
    **KMEANS,
    "n_init": Parameter(
        'int or "auto"',
        "Number of sets of initial centroids, each from a sample of rows. The single run starts from the set with the "
        'smallest inertia on another sample. "auto": 1 for "k-means++" and arrays, 3 for "random" and callables.',
        [StrOptions({"auto"}), AT_LEAST_1],
    ),
    "max_iter": Parameter(
        "int", "Maximum number of passes over the data: batches, in multiples of the number of rows.", [AT_LEAST_1]
    ),
    "batch_size": Parameter("int", "Number of rows per batch, sampled by weight with replacement.", [AT_LEAST_1]),
    "compute_labels": Parameter(
        "bool", "Whether to compute `labels_` and `inertia_` of all rows at the end of the fit.", ["boolean"]
    ),
    "verbose": Parameter("int", "1 prints the mean squared distance of every batch.", ["verbose"]),
    "random_state": Parameter(
        "int, RandomState or None", "Seed for initial centroids, batches and reassigned centroids.", ["random_state"]
    ),
    "tol": Parameter(
        "float",
        "Tolerance for convergence. The fit ends when the sum of the centroids' squared moves in a batch is at most "
        "this multiple of the columns' mean variance. 0 disables it.",
        [NOT_NEGATIVE],
    ),
    "max_no_improvement": Parameter(
        "int or None",
        "The fit ends when the smoothed inertia of the batches has not decreased for this many batches in a row. None "
        "disables it.",
        [_AT_LEAST_0, None],
    ),
    "init_size": Parameter(
        "int or None",
        "Number of rows, sampled by weight, from which initial centroids are chosen. None: three batches, and at least "
        "3 * n_clusters.",
        [AT_LEAST_1, None],
    ),
    "reassignment_ratio": Parameter(
        "float",
        "From time to time, centroids whose weight is less than this fraction of the largest are moved to rows of the "
        "batch.",
        [NOT_NEGATIVE],
    ),
}

BISECTING = {
    **KMEANS,
    "init": Parameter(
        '{"k-means++", "random"} or callable',
        'Initial two centroids of every split. "k-means++": rows sampled far from each other. "random": rows sampled '
        "by weight. A callable: the result of `init(X, 2, random_state=...)` for the rows to be split.",
        [StrOptions({"k-means++", "random"}), callable],
    ),
    "n_init": Parameter("int", "Number of initialisations of every split. The best run is kept.", [AT_LEAST_1]),
    "max_iter": Parameter("int", "Maximum number of iterations of a split.", [AT_LEAST_1]),
    "verbose": Parameter("int", "1 prints the sizes of the two clusters of every split.", ["verbose"]),
    "tol": KMEANS["tol"]._replace(
        text="Tolerance for convergence. A split ends when the sum of its centroids' squared moves is at most this "
        "multiple of the columns' mean variance."
    ),
    "bisecting_strategy": Parameter(
        '{"biggest_inertia", "largest_cluster"}',
        "Which cluster to split next: the one with the largest inertia, or the one with the most rows (by weight).",
        [StrOptions({"biggest_inertia", "largest_cluster"})],
    ),
}

# --- Gaussian mixtures ------------------------------------------------------------------------------------------------

MIXTURE = {
    **CLUSTERING,
    "n_components": Parameter("int", "Number of Gaussians.", [AT_LEAST_1]),
    "covariance_type": Parameter(
        '{"full", "tied", "diag", "spherical"}',
        'Form of the covariances. "full": a matrix per component. "tied": one matrix for all. "diag": a variance per '
        'component and column. "spherical": a variance per component.',
        [StrOptions({"full", "tied", "diag", "spherical"})],
    ),
    "tol": Parameter(
        "float",
        "Tolerance for convergence. A run ends when an iteration increases the mean log-likelihood by less.",
        [NOT_NEGATIVE],
    ),
    "reg_covar": Parameter(
        "float", "Regularisation: added to all variances, so that no component collapses.", [NOT_NEGATIVE]
    ),
    "max_iter": Parameter("int", "Maximum number of iterations of a run.", [_AT_LEAST_0]),
    "n_init": Parameter(
        "int", "Number of initialisations. The run with the highest `lower_bound_` is kept.", [AT_LEAST_1]
    ),
    "init_params": Parameter(
        '{"kmeans", "k-means++", "random", "random_from_data"}',
        'Initial responsibilities. "kmeans": the clusters of k-means. "k-means++" and "random_from_data": each row '
        'belongs to the nearest of the rows that are sampled by k-means++ or by weight alone. "random": random '
        "responsibilities.",
        [StrOptions({"kmeans", "k-means++", "random", "random_from_data"})],
    ),
    "weights_init": Parameter(
        "array-like or None", "Initial weights, in the shape of `weights_`.", ["array-like", None]
    ),
    "means_init": Parameter("array-like or None", "Initial means, in the shape of `means_`.", ["array-like", None]),
    "precisions_init": Parameter(
        "array-like or None", "Initial precisions, in the shape of `precisions_`.", ["array-like", None]
    ),
    "random_state": Parameter("int, RandomState or None", "Seed for initialisations and `sample`.", ["random_state"]),
    "warm_start": Parameter(
        "bool",
        "Whether to continue from the previous fit. The first gain is measured from its `lower_bound_`.",
        ["boolean"],
    ),
    "verbose": Parameter("int", "1 prints how every initialisation ends, and its progress at intervals.", ["verbose"]),
    "verbose_interval": Parameter("int", "Number of iterations between progress messages.", [AT_LEAST_1]),
    "keep_history": Parameter("bool", "Whether to keep the mixture of every iteration in `history_`.", ["boolean"]),
}

BAYESIAN = {
    **MIXTURE,
    "n_components": Parameter(
        "int",
        "Maximum number of Gaussians. Components that the data does not need end with weights near 0.",
        [AT_LEAST_1],
    ),
    "tol": Parameter(
        "float",
        "Tolerance for convergence. A run ends when an iteration increases `lower_bound_` by less.",
        [NOT_NEGATIVE],
    ),
    "weight_concentration_prior_type": Parameter(
        '{"dirichlet_process", "dirichlet_distribution"}',
        'Prior of the weights. "dirichlet_process" (stick-breaking, one component after another) favours few '
        'components. "dirichlet_distribution" treats all components alike.',
        [StrOptions({"dirichlet_process", "dirichlet_distribution"})],
    ),
    "weight_concentration_prior": Parameter(
        "float or None",
        "Concentration of that prior (gamma). Smaller values give fewer components. None: 1 / n_components.",
        [POSITIVE, None],
    ),
    "mean_precision_prior": Parameter(
        "float or None", "Number of rows that `mean_prior` counts for. None: 1.", [POSITIVE, None]
    ),
    "mean_prior": Parameter(
        "array-like of shape (n_features,) or None",
        "Expected mean of the components. None: the mean of X.",
        ["array-like", None],
    ),
    "degrees_of_freedom_prior": Parameter(
        "float or None",
        "Number of rows that `covariance_prior` counts for, more than n_features - 1. None: n_features.",
        [POSITIVE, None],
    ),
    "covariance_prior": Parameter(
        "float, array-like or None",
        "Prior of the covariances: a component's expected sum of squares, of shape (n_features, n_features) for "
        '"full" and "tied", (n_features,) for "diag", a number for "spherical". None: the covariance of X.',
        ["array-like", POSITIVE, None],
    ),
}
