"""scikit-learn's own checks of every estimator, none excused, and what the documentation promises of parameters."""

import doctest
import inspect
import re

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import spinney


def stands_alone(kind):
    """Whether it is an estimator that needs no other models; for those that do, see test_composition.py."""
    return hasattr(kind, "fit") and "estimators" not in inspect.signature(kind).parameters


ALL = [one for one in (getattr(spinney, name) for name in spinney.__all__) if stands_alone(one)]
BOOSTING = [spinney.GradientBoostingClassifier, spinney.GradientBoostingRegressor]
TREES = [
    spinney.DecisionTreeClassifier,
    spinney.DecisionTreeRegressor,
    spinney.ExtraTreeClassifier,
    spinney.ExtraTreeRegressor,
]
OPTIMAL = [spinney.OptimalTreeClassifier, spinney.OptimalTreeRegressor]
AUTO = [spinney.AutoClassifier, spinney.AutoRegressor]
CENTRES = [spinney.KMeans, spinney.MiniBatchKMeans, spinney.BisectingKMeans]
MIXTURES = [spinney.GaussianMixture, spinney.BayesianGaussianMixture]
CLUSTERING = [*CENTRES, *MIXTURES]
FREE = {"loss"}  # parameters that check themselves


def checked(kind):
    """As it comes, but, for time, with few trees; automatic models with two of their families and two folds; optimal
    trees of two levels."""
    if kind in OPTIMAL:
        return kind(max_depth=2)
    if kind in AUTO:
        return kind(["tree", "extra_trees"], cv=2)
    if "n_estimators" in inspect.signature(kind).parameters:
        return kind(n_estimators=30 if "Structure" in kind.__name__ else 10)  # that one learns slowly
    return kind()


def small(kind):
    if kind in CENTRES:
        return kind(n_clusters=2)
    if "features_per" in inspect.signature(kind).parameters:  # a forest: some attributes are there on demand
        return kind(n_estimators=30, bootstrap=True, oob_score=True)
    return kind(n_estimators=2) if kind in BOOSTING else kind()


def test_no_estimator_is_forgotten():
    assert {
        *BOOSTING,
        *TREES,
        *OPTIMAL,
        *AUTO,
        *CLUSTERING,
        spinney.ID3Classifier,
        spinney.C45Classifier,
        spinney.C50Classifier,
    } <= set(ALL)


@parametrize_with_checks([checked(kind) for kind in ALL])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([one for kind in BOOSTING for one in (kind(), kind(n_estimators=10, max_bins=None))])
def test_scikit_learn_checks_of_boosting_in_other_ways(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", ALL)
def test_every_parameter_is_documented_and_checked(kind):
    documented = inspect.getdoc(kind).split("Attributes\n")[0]
    for name in inspect.signature(kind.__init__).parameters:
        if name == "self":
            continue
        assert re.search(rf"^(\w+, )*{name}(, \w+)* : ", documented, re.MULTILINE), f"{name} is not documented"
        assert name in {*FREE, *kind._parameter_constraints}, f"{name} is not checked"


@pytest.mark.parametrize("kind", ALL)
def test_nothing_else_is_documented_as_a_parameter(kind):
    documented = re.search(r"Parameters\n-+\n(.*?)Attributes\n", inspect.getdoc(kind), re.DOTALL).group(1)
    lines = re.findall(r"^(\w[\w, ]*) : ", documented, re.MULTILINE)
    names = {name for line in lines for name in line.split(", ")}
    assert names == set(inspect.signature(kind.__init__).parameters) - {"self"}


@pytest.mark.parametrize("kind", ALL)
def test_every_documented_attribute_exists_after_fit(kind):
    documented = re.search(r"Attributes\n-+\n(.*?)Examples\n", inspect.getdoc(kind), re.DOTALL).group(1)
    entries = re.findall(r"^(\w+_(?:, \w+_)*)(?: : |$)(.*(?:\n .*)*)", documented, re.MULTILINE)
    lines = [names for names, text in entries if "only with `oob_score`" not in text]
    names = [name for line in lines for name in line.split(", ")]
    model = small(kind)
    assert "fingerprint_" in names
    assert not any(hasattr(model, name) for name in names)
    model.fit([[0.0], [1.0]], [0, 1])
    assert [name for name in names if not hasattr(model, name)] == ["feature_names_in_"]  # X had no names


@pytest.mark.parametrize("kind", ALL)
def test_the_examples_say_what_happens(kind):
    runner = doctest.DocTestRunner(verbose=False)
    (example,) = [one for one in doctest.DocTestFinder(recurse=False).find(kind, kind.__name__) if one.examples]
    runner.run(example)
    assert runner.failures == 0


ODD = {
    "boosting": {"n_estimators": 7, "learning_rate": 0.3, "growth": "level_wise", "monotonic_cst": [1], "n_jobs": 3},
    "clustering": {"max_iter": 7, "tol": 0.3, "n_init": 2, "verbose": 1, "random_state": 5, "n_jobs": 3},
    "optimal": {"max_depth": 3, "leaf_penalty": 0.1, "min_samples_leaf": 5, "time_budget": None, "max_bins": 9},
    "tree": {"max_depth": 7, "splitter": "random", "max_features": "sqrt", "significance": 0.1, "max_bins": 9},
}


@pytest.mark.parametrize(
    "kind, odd",
    [
        *((kind, ODD["boosting"]) for kind in BOOSTING),
        *((kind, ODD["tree"]) for kind in TREES),
        *((kind, ODD["optimal"]) for kind in OPTIMAL),
        *((kind, ODD["clustering"]) for kind in CLUSTERING),
    ],
)
def test_parameters_survive_clone_and_set_params(kind, odd):
    model = clone(kind(**odd))
    assert {name: model.get_params()[name] for name in odd} == odd
    assert kind().set_params(**odd).get_params() == model.get_params()


@pytest.mark.parametrize("kind", [*TREES, *CLUSTERING, spinney.IsolationForest, spinney.RandomTreesEmbedding])
def test_parameters_and_defaults_are_scikit_learns(kind):
    """Whoever comes from there finds every parameter, in its place and with its default."""
    import sklearn.cluster
    import sklearn.ensemble
    import sklearn.mixture
    import sklearn.tree

    def defaults(one):
        parameters = list(inspect.signature(one.__init__).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in parameters}

    (home,) = [
        one for one in (sklearn.tree, sklearn.cluster, sklearn.mixture, sklearn.ensemble) if hasattr(one, kind.__name__)
    ]
    mine, theirs = defaults(kind), defaults(getattr(home, kind.__name__))
    if kind is spinney.KMeans:  # ours chooses between two algorithms with the same result
        assert (mine.pop("algorithm"), theirs.pop("algorithm")) == ("auto", "lloyd")
    if kind is spinney.RandomForestRegressor:  # chosen by measurement, see CHANGELOG.md
        assert (mine.pop("max_features"), theirs.pop("max_features")) == (0.67, 1.0)
    assert {name: mine.get(name, "not there") for name in theirs} == theirs
