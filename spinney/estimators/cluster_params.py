"""What the parameters of clustering may be and mean: tables of k-means and of mixtures (see `params.py`)."""

from __future__ import annotations

from numbers import Integral

from sklearn.utils._param_validation import Interval, StrOptions

from spinney._distribution import install_command
from spinney.estimators.params import AT_LEAST_1, COMMON, NOT_NEGATIVE, POSITIVE, Parameter

_AT_LEAST_0 = Interval(Integral, 0, None, closed="left")

CLUSTERING = {
    "n_jobs": COMMON["n_jobs"]._replace(text="Threads; None: every core. The result does not depend on it."),
    "verbose": COMMON["verbose"],
    "keep_history": Parameter("bool", "Keep what every iteration starts from in `history_`.", ["boolean"]),
}

# --- k-means ----------------------------------------------------------------------------------------------------------

KMEANS = {
    **CLUSTERING,
    "n_clusters": Parameter("int", "How many centres.", [AT_LEAST_1]),
    "init": Parameter(
        '{"k-means++", "random"}, array of shape (n_clusters, n_features) or callable',
        "The first centres: drawn far from each other, the best of several candidates each time; rows drawn by weight; "
        "given; or what `init(X, n_clusters, random_state=...)` returns.",
        [StrOptions({"k-means++", "random"}), callable, "array-like"],
    ),
    "n_init": Parameter(
        'int or "auto"',
        'How many times to start; the run with the smallest `inertia_` counts. "auto": once for "k-means++" and given '
        'centres, ten times for "random" and callables.',
        [StrOptions({"auto"}), AT_LEAST_1],
    ),
    "max_iter": Parameter("int", "Maximum number of iterations of a run.", [AT_LEAST_1]),
    "tol": Parameter(
        "float",
        "A run ends when the squared moves of all centres add up to no more than this times the mean variance of the "
        "columns.",
        [NOT_NEGATIVE],
    ),
    "verbose": Parameter("int", "1 prints the sum of squares of every iteration.", ["verbose"]),
    "random_state": Parameter("int, RandomState or None", "For the first centres.", ["random_state"]),
    "copy_x": Parameter("bool", "There for scikit-learn's sake: X is never changed.", ["boolean"]),
    "algorithm": Parameter(
        '{"auto", "lloyd", "bounds", "elkan"}',
        '"lloyd" measures all rows in every iteration, "bounds" (also called "elkan") only those whose centre may have '
        'changed; "auto" does the one or the other, whichever it expects to be quicker. The result is the same.',
        [StrOptions({"auto", "lloyd", "bounds", "elkan"})],
    ),
    "metric": Parameter(
        '{"euclidean", "cosine"}',
        '"cosine": rows and centres are directions, and the distance is 1 - cos of the angle between them.',
        [StrOptions({"euclidean", "cosine"})],
    ),
    "keep_history": Parameter(
        "bool", "Keep the centres and the sum of squares of every iteration in `history_`.", ["boolean"]
    ),
}

DEVICE = Parameter(
    '{"cpu", "cuda", "auto"}',
    f'Where to fit: "cuda" is an NVIDIA GPU (`{install_command("gpu")}`), which gives the same labels and centres, '
    'bit for bit; "auto" is a GPU if there is one.',
    [StrOptions({"cpu", "cuda", "auto"})],
)

MINI_BATCH = {
    **KMEANS,
    "n_init": Parameter(
        'int or "auto"',
        "How many sets of first centres to draw, each from rows of its own; the set with the smallest sum of squares "
        'on some rows is the start of the one run. "auto": 1 for "k-means++" and given centres, 3 for "random" and '
        "callables.",
        [StrOptions({"auto"}), AT_LEAST_1],
    ),
    "max_iter": Parameter("int", "Maximum number of batches, in multiples of the table's size.", [AT_LEAST_1]),
    "batch_size": Parameter("int", "Rows of a batch, drawn by weight, with replacement.", [AT_LEAST_1]),
    "compute_labels": Parameter(
        "bool", "Find `labels_` and `inertia_` of the whole table when the centres are found.", ["boolean"]
    ),
    "verbose": Parameter("int", "1 prints the mean sum of squares of every batch.", ["verbose"]),
    "random_state": Parameter(
        "int, RandomState or None", "For first centres, batches and reassigned centres.", ["random_state"]
    ),
    "tol": Parameter(
        "float",
        "Stop when the squared moves of all centres in a batch add up to no more than this times the mean variance of "
        "the columns; 0: do not.",
        [NOT_NEGATIVE],
    ),
    "max_no_improvement": Parameter(
        "int or None",
        "Stop when the smoothed sum of squares of the batches has not fallen for this many in a row; None: do not.",
        [_AT_LEAST_0, None],
    ),
    "init_size": Parameter(
        "int or None",
        "Rows, drawn by weight, that first centres are drawn from. None: three batches, and at least 3 * n_clusters.",
        [AT_LEAST_1, None],
    ),
    "reassignment_ratio": Parameter(
        "float",
        "Now and then, centres whose weight so far is less than this share of the largest move to rows of the batch.",
        [NOT_NEGATIVE],
    ),
}

BISECTING = {
    **KMEANS,
    "init": Parameter(
        '{"k-means++", "random"} or callable',
        "The first two centres of every split: drawn far from each other; rows drawn by weight; or what "
        "`init(X, 2, random_state=...)` returns for the rows to be split.",
        [StrOptions({"k-means++", "random"}), callable],
    ),
    "n_init": Parameter("int", "How many times to start every split; the best run counts.", [AT_LEAST_1]),
    "max_iter": Parameter("int", "Maximum number of iterations of a split.", [AT_LEAST_1]),
    "verbose": Parameter("int", "1 prints the sizes of the two parts of every split.", ["verbose"]),
    "tol": KMEANS["tol"]._replace(
        text="A split ends when the squared moves of its two centres add up to no more than this times the mean "
        "variance of the columns."
    ),
    "bisecting_strategy": Parameter(
        '{"biggest_inertia", "largest_cluster"}',
        "Which cluster is split next: the one with the largest sum of squares, or with the most rows (by weight).",
        [StrOptions({"biggest_inertia", "largest_cluster"})],
    ),
}

# --- Gaussian mixtures ------------------------------------------------------------------------------------------------

MIXTURE = {
    **CLUSTERING,
    "n_components": Parameter("int", "How many Gaussians.", [AT_LEAST_1]),
    "covariance_type": Parameter(
        '{"full", "tied", "diag", "spherical"}',
        "A covariance matrix for each; one for all; a variance for each and every column; a variance for each.",
        [StrOptions({"full", "tied", "diag", "spherical"})],
    ),
    "tol": Parameter("float", "A run ends when an iteration raises the mean log-likelihood by less.", [NOT_NEGATIVE]),
    "reg_covar": Parameter("float", "Added to all variances, so that no component collapses.", [NOT_NEGATIVE]),
    "max_iter": Parameter("int", "Maximum number of iterations of a run.", [_AT_LEAST_0]),
    "n_init": Parameter(
        "int", "How many times to start; the run with the highest `lower_bound_` counts.", [AT_LEAST_1]
    ),
    "init_params": Parameter(
        '{"kmeans", "k-means++", "random", "random_from_data"}',
        "Where a run starts: at the clusters of k-means; with the rows nearest to each of the rows that k-means++ "
        'draws, or that are drawn by weight alone ("random_from_data"); with random shares of the '
        "components in the rows.",
        [StrOptions({"kmeans", "k-means++", "random", "random_from_data"})],
    ),
    "weights_init": Parameter("array-like or None", "A given start, in the shape of `weights_`.", ["array-like", None]),
    "means_init": Parameter("array-like or None", "A given start, in the shape of `means_`.", ["array-like", None]),
    "precisions_init": Parameter(
        "array-like or None", "A given start, in the shape of `precisions_`.", ["array-like", None]
    ),
    "random_state": Parameter("int, RandomState or None", "For starts and `sample`.", ["random_state"]),
    "warm_start": Parameter(
        "bool", "Continue from the last fit; the first gain is measured from its `lower_bound_`.", ["boolean"]
    ),
    "verbose": Parameter(
        "int", "1 prints how every start begins and ends, and its progress now and then.", ["verbose"]
    ),
    "verbose_interval": Parameter("int", "Iterations from one print to the next.", [AT_LEAST_1]),
    "keep_history": Parameter("bool", "Keep the mixture of every iteration in `history_`.", ["boolean"]),
}

BAYESIAN = {
    **MIXTURE,
    "n_components": Parameter(
        "int", "How many Gaussians at most: those that the rows do not ask for end with weights near 0.", [AT_LEAST_1]
    ),
    "tol": Parameter("float", "A run ends when an iteration raises `lower_bound_` by less.", [NOT_NEGATIVE]),
    "weight_concentration_prior_type": Parameter(
        '{"dirichlet_process", "dirichlet_distribution"}',
        "The prior of the weights: parts broken off a stick, one after the other, which favours few components; or a "
        "Dirichlet distribution, in which all components are alike.",
        [StrOptions({"dirichlet_process", "dirichlet_distribution"})],
    ),
    "weight_concentration_prior": Parameter(
        "float or None",
        "The concentration of that prior (gamma): the smaller, the fewer components. None: 1 / n_components.",
        [POSITIVE, None],
    ),
    "mean_precision_prior": Parameter(
        "float or None", "How many rows `mean_prior` counts for. None: 1.", [POSITIVE, None]
    ),
    "mean_prior": Parameter(
        "array-like of shape (n_features,) or None",
        "Where means are expected. None: the mean of X.",
        ["array-like", None],
    ),
    "degrees_of_freedom_prior": Parameter(
        "float or None",
        "How many rows `covariance_prior` counts for, more than n_features - 1. None: n_features.",
        [POSITIVE, None],
    ),
    "covariance_prior": Parameter(
        "float, array-like or None",
        "What a component's sum of squares is expected to be before a row is seen: of shape (n_features, n_features) "
        'for "full" and "tied", (n_features,) for "diag", a number for "spherical". None: the covariance of X.',
        ["array-like", POSITIVE, None],
    ),
}
