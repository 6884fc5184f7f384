"""Forged trees: whatever would make a walk loop, leave its tree, or look up what is not there is refused."""

import copy
import io
from functools import cache

import numpy as np
import pytest

import spinney
from spinney.io.checks import At
from spinney.io.estimator_records import estimator_records
from tests.io.forging import Parts, saved
from tests.io.models import KINDS, fitted, table, target


@cache
def whole(name):
    return Parts(saved(fitted(getattr(spinney, name))[0]))


def parts(name):
    return copy.deepcopy(whole(name))


def raises(forged, problem, place):
    with pytest.raises(spinney.ModelFormatError, match=problem) as caught:
        spinney.load(forged.content())
    assert place in caught.value.place
    return caught.value


def resized(array, n):
    return np.resize(array, (n, *array.shape[1:]))


def put(field, index, value):
    """Set elements of an array of the store."""

    def change(forged):
        forged.array("Forest", field)[index] = value

    return change


def resize(field, by):
    def change(forged):
        number = forged.number("Forest", field)
        forged.arrays[number] = resized(forged.arrays[number], len(forged.arrays[number]) + by)

    return change


def turn_on(bit):
    def change(forged):
        forged.array("Forest", "turn")[0] |= bit

    return change


HUGE = [2**62 + 2**61, -(2**62)]  # their difference wraps around, and seems positive
SHAPES = [
    (put("first", 0, 1), "Trees must begin at 0 and end at the last node", "first"),
    (put("first", [1, 2], HUGE), "Every tree needs at least one node", "first"),
    (put("first", -1, 10**6), "Trees must begin at 0 and end at the last node", "first"),
    (put("first", 1, 0), "Every tree needs at least one node", "first"),
    (put("first", 1, -5), "Every tree needs at least one node", "first"),
    (put("size", 0, 1), "A root's subtree must be its tree", "size"),
    (put("size", 0, 60000), "A root's subtree must be its tree", "size"),
    (put("size", 1, 0), "A root's subtree must be its tree", "size"),
    (put("size", 1, 60000), "A subtree must end within its tree", "size"),
    (resize("feature", -1), "There are .* splits and .* columns", "size"),
    (resize("turn", 1), "There are .* splits and .* turns", "size"),
    (put("feature", 0, 6), "A split uses a column that does not exist", "feature"),
    (turn_on(32), "The kind of a split is unknown", "turn"),
    (resize("answers", 1), "Every node needs a value", "answers"),
    (put("answers", 0, np.nan), "Node values must be finite", "answers"),
    (resize("n_samples", -1), "Samples are counted for leaves or for nodes", "n_samples"),
]


@pytest.mark.parametrize("name", ["RandomForestClassifier", "GradientBoostingClassifier", "ExtraTreesRegressor"])
@pytest.mark.parametrize(("change", "problem", "place"), SHAPES)
def test_forged_trees(name, change, problem, place):
    forged = parts(name)
    change(forged)
    raises(forged, problem, place)


def test_sizes_that_do_not_add_up():
    """Every size of every node, one up and one down."""
    for name in ("RandomForestClassifier", "C45Classifier"):
        n = len(whole(name).array("Forest", "size"))
        for node in range(0, n, 3):
            for by in (1, -1, 2):
                forged = parts(name)
                size = forged.array("Forest", "size")
                size[node] = (int(size[node]) + by) % 2**16
                with pytest.raises(spinney.ModelFormatError):
                    spinney.load(forged.content())


OTHERS = [
    ("RandomForestClassifier", put("code", 0, 255), "does not belong to a bin|Splits on categories", "code"),
    ("RandomForestClassifier", resize("code", -1), "Every split needs a code", "code"),
    ("RandomForestClassifier", turn_on(4), "two branches|Splits on categories", ""),
    ("RandomForestClassifier", turn_on(8), "Trees from bins have two branches", "turn"),
    ("RandomForestClassifier", turn_on(2), "There must be a set|Splits on categories need sets", ""),
    ("RandomForestClassifier", put("set_start", 1, -1), "Sets must fill their array", "sets"),
    (
        "RandomForestClassifier",
        put("set_start", [1, 2], [2**62 + 2**61, -(2**62)]),
        "Sets must fill their array",
        "sets",
    ),
    ("RandomForestClassifier", put("set_start", 0, 1), "There must be a set", "sets"),
    ("RandomForestClassifier", resize("sets", -1), "Sets must fill their array", "sets"),
    ("RandomForestClassifier", put("answers", (0, 0), 0.0), "Weights must be positive", "answers"),
    ("RandomForestClassifier", put("answers", (0, 0, 0), -1.0), "Weights must be positive", "answers"),
    ("RandomForestRegressor", resize("weight", -1), "Weights are missing", "weight"),
    ("RandomForestRegressor", resize("impurity", -1), "Impurities are missing", "impurity"),
    ("RandomForestRegressor", put("impurity", 0, np.nan), "A number is missing", "impurity"),
    ("GradientBoostingClassifier", resize("gain", -1), "Gains are missing", "gain"),
    ("GradientBoostingClassifier", resize("weight_unit", -1), "Weights need a unit per tree", "weight_unit"),
    ("DecisionTreeClassifier", put("threshold", slice(None), np.nan), "A threshold is missing", "threshold"),
    ("DecisionTreeClassifier", resize("threshold", 1), "Every split needs a threshold", "threshold"),
    ("DecisionTreeClassifier", turn_on(2), "There must be a set|other categories|Sets must fill", ""),
    ("DecisionTreeClassifier", turn_on(6), "not both", "turn"),
    ("C45Classifier", put("turn", slice(None), 0), "second branch|must fill its subtree|other categories", ""),
]


@pytest.mark.parametrize(("name", "change", "problem", "place"), OTHERS)
def test_other_forged_stores(name, change, problem, place):
    forged = parts(name)
    change(forged)
    raises(forged, problem, place)


def field_of(record, field, value, kind="fields"):
    def change(forged):
        forged.record(record)[kind][field] = value

    return change


def array_of(record, field, index, value):
    def change(forged):
        forged.array(record, field)[index] = value

    return change


def fitted_array(record, field, index, value):
    def change(forged):
        forged.arrays[forged.record(record)["fitted"][field]["array"]][index] = value

    return change


RECORDS = [
    ("RandomForestClassifier", field_of("Forest", "n_columns", 7), "bins for every column|too many", "Forest|code"),
    ("RandomForestClassifier", field_of("Forest", "n_columns", 0), "Expected an integer from 1", "n_columns"),
    ("RandomForestClassifier", field_of("Forest", "n_classes", {"tuple": [2]}), "a weight for every class", "answers"),
    ("RandomForestClassifier", field_of("Forest", "n_classes", None), "one number per output", "answers"),
    ("RandomForestClassifier", field_of("Forest", "criterion", 7), "Expected an integer from 0 to 6", "criterion"),
    (
        "RandomForestClassifier",
        field_of("Forest", "criterion", None),
        "must hold numbers|Gains|a bit for every code",
        "",
    ),
    ("RandomForestClassifier", field_of("Forest", "bins", None), "Every split needs a threshold", "threshold"),
    (
        "RandomForestClassifier",
        field_of("Forest", "size", [1]),
        "Expected an array of u2 u4 with 1 dimensions",
        "size",
    ),
    ("RandomForestClassifier", field_of("Forest", "more", 1), "There is no field 'more'", ""),
    ("RandomForestClassifier", array_of("Bins", "n_edges", 0, 200), "Every column needs its edges and codes", ""),
    ("RandomForestClassifier", array_of("Bins", "n_bins", 0, 300), "0 to 255 bins, not 300", "column 0"),
    ("RandomForestClassifier", array_of("Bins", "n_bins", 0, 1), "more edges than bins", "column 0"),
    ("RandomForestClassifier", array_of("Bins", "edges", 1, 0), "Edges must ascend", "column 0"),
    ("RandomForestClassifier", array_of("Bins", "codes", 0, 99), "Codes must be those of bins", "column"),
    ("RandomForestClassifier", array_of("Bins", "is_categorical", 3, False), "There are more|Every column|There", ""),
    ("RandomForestClassifier", array_of("Bags", "order", 0, 5), "Rows must be in some order", "order"),
    ("RandomForestClassifier", array_of("Bags", "order", 0, 10**9), "Rows must be in some order", "order"),
    ("RandomForestClassifier", field_of("Bags", "n_draws", 0), "samples per row is out of range", "n_draws"),
    ("RandomForestClassifier", field_of("Bags", "n_draws", 2**40), "samples per row is out of range", "n_draws"),
    ("BaggingClassifier", field_of("Subspaces", "n_drawn", 99), "More columns are sampled than exist", ""),
    ("BaggingClassifier", field_of("Subspaces", "n_columns", 9), "Columns belong to other data", "_draws"),
    ("RandomForestRegressor", array_of("LeafTargets", "start", -1, 10**9), "Rows must be listed leaf by leaf", "start"),
    ("RandomForestRegressor", array_of("LeafTargets", "row", 0, 10**6), "A row does not exist", "row"),
    ("GradientBoostingClassifier", array_of("Booster", "start", 0, np.inf), "Start values must be finite", "start"),
    (
        "KMeans",
        fitted_array("KMeans", "cluster_centers_", (0, 0), np.nan),
        "Numbers must be finite",
        "cluster_centers_",
    ),
    ("KMeans", fitted_array("KMeans", "labels_", 0, 3), "A label is not that of a centre", "labels_"),
    ("BisectingKMeans", fitted_array("BisectingKMeans", "split_nodes_", 0, 1), "A split node does not exist", "split"),
    ("BisectingKMeans", fitted_array("BisectingKMeans", "node_labels_", 0, 1), "Leaves must be the clusters", "labels"),
    ("GaussianMixture", fitted_array("GaussianMixture", "weights_", 0, -1), "Every mean needs a weight", "weights_"),
    (
        "GaussianMixture",
        fitted_array("GaussianMixture", "covariances_", 0, 0.0),
        "not positive definite",
        "covariances_",
    ),
]


@pytest.mark.parametrize(("name", "change", "problem", "place"), RECORDS)
def test_forged_records(name, change, problem, place):
    forged = parts(name)
    change(forged)
    raises(forged, problem, "" if "|" in place else place)


MODELS = [
    ("KMeans", "parameters", "n_clusters", "many", "A parameter cannot be used", "KMeans"),
    ("KMeans", "parameters", "unheard", 1, "The parameter 'unheard' is unknown or missing", "KMeans"),
    ("KMeans", "parameters", "n_jobs", 65536, "n_jobs is 65536: at most 4096 threads", "KMeans"),
    ("VotingClassifier", "parameters", "weights", [], "weights must have one entry per member", "VotingClassifier"),
    ("KMeans", "fitted", "unheard_", 1, "There is no field 'unheard_'", "KMeans"),
    ("KMeans", "fitted", "n_features_in_", 4, "The schema has other columns", "n_features_in_"),
    ("KMeans", "fitted", "_n_features_out", 4, "There are other centres", "_n_features_out"),
    ("DecisionTreeClassifier", "fitted", "n_outputs_", 2, "another number of outputs", "n_outputs_"),
    ("DecisionTreeClassifier", "fitted", "n_classes_", 2, "The number of classes is wrong", "n_classes_"),
    (
        "DecisionTreeClassifier",
        "fitted",
        "classes_",
        {"strings": ["a", "b"], "width": 1},
        "Trees have other classes",
        "",
    ),
    (
        "DecisionTreeClassifier",
        "fitted",
        "classes_",
        {"strings": ["a", "a", "b"], "width": 1},
        "Classes must differ",
        "",
    ),
    ("DecisionTreeClassifier", "fitted", "feature_names_in_", {"objects": ["x"]}, "The schema has other names", ""),
    ("GradientBoostingRegressor", "parameters", "loss", "unheard", "The loss cannot be used", "loss"),
    ("GradientBoostingRegressor", "parameters", "loss", None, "A loss is a name or a record", "loss"),
    ("GradientBoostingRegressor", "fitted", "best_iteration_", 99, "There are other rounds", "best_iteration_"),
    ("VotingClassifier", "fitted", "estimators_", [], "Named members must be those in the list", "named_estimators_"),
    ("StackingClassifier", "fitted", "stack_method_", ["fit", "fit"], "has no method 'fit'", "stack_method_"),
    ("StackingClassifier", "fitted", "_widths", [3, 4], "A member has other columns", "final_estimator_"),
    ("BucketOfModels", "fitted", "best_name_", "nobody", "The best member is not one of the members", "best_name_"),
    ("ExtraTreesClassifier", "fitted", "_n_rows", 2**40, "Trees of 90 rows do not belong to data of 1", "_n_rows"),
    ("AdaBoostClassifier", "fitted", "estimators_", [], "Every member needs a weight and an error", "estimators_"),
    ("BaggingClassifier", "fitted", "_draws", [], "Every member needs its rows and columns", "_draws"),
]


@pytest.mark.parametrize(("name", "part", "field", "value", "problem", "place"), MODELS)
def test_forged_models(name, part, field, value, problem, place):
    forged = parts(name)
    forged.header["records"][-1][part][field] = value
    raises(forged, problem, place)


def test_merged_forests_and_dropped_members():
    X, y = table(), target("classes", table())
    pool = spinney.merge_forests([spinney.RandomForestClassifier(1, random_state=k).fit(X, y) for k in range(2)])
    forged = Parts(saved(pool))
    forged.record("Bags")["fields"]["shift"] = 2
    raises(forged, "A merged forest was numbered before it existed", "")
    forged = Parts(saved(pool))
    forged.record("PooledBags")["fields"]["first"] = {"tuple": [1, 1]}
    raises(forged, "Merged forests stand one after the other|numbered before", "")
    forged = parts("VotingClassifier")
    items = forged.record("Bunch")["fields"]["items"]["dict"]
    assert items[1] == ["left out", "drop"]
    items[1][1] = "dropped"
    raises(forged, "A member is a model or 'drop'", "named_estimators_")


def test_missing_fields():
    forged = parts("KMeans")
    del forged.header["records"][-1]["fitted"]["_origin"]
    raises(forged, "The field '_origin' is missing", "KMeans")
    forged = parts("KMeans")
    del forged.header["records"][-1]["parameters"]["tol"]
    raises(forged, "The parameter 'tol' is unknown or missing", "KMeans")
    forged.header["library"] = "0.0.9"  # an older release may not have had it
    assert spinney.load(forged.content()).tol == spinney.KMeans().tol


def test_unknown_records_are_not_imported():
    for name in ("Pipeline", "os.system", "builtins.eval"):
        forged = parts("KMeans")
        forged.header["records"][0]["is"] = name
        raises(forged, "Records of the kind .* are unknown", "record 0")
    forged = parts("KMeans")
    forged.header["records"][0] = []
    raises(forged, "A record must name its kind", "record 0")


@pytest.mark.parametrize("odd", [[[1]], 7, "x", True, {"objects": {}}, {"array": -1}, {"record": 0}, {"tuple": ["a"]}])
def test_inspecting_classes_that_are_none(odd):
    """What is read without making a model is refused as well."""
    forged = parts("DecisionTreeClassifier")
    forged.record("DecisionTreeClassifier")["fitted"]["classes_"] = odd
    with pytest.raises(spinney.ModelFormatError) as caught:
        spinney.io.inspect(io.BytesIO(forged.content()))
    assert "classes_" in caught.value.place


def test_what_nobody_refers_to():
    forged = parts("KMeans")
    forged.arrays.append(np.arange(3))
    raises(forged, "The file holds .* arrays, but .* are used", "the header")


def test_categories_must_be_those_of_the_trees():
    for name in ("DecisionTreeClassifier", "RandomForestClassifier"):
        forged = parts(name)
        columns = forged.record("Schema")["fields"]["columns"]
        town = next(one for one in columns if one["name"] == "town")
        town["categories"] = [f"{k:04}" for k in range(300)]
        raises(forged, "A set must have a bit for every category|other categories", "")
        town["categories"] = None
        raises(forged, "other categories|A Schema cannot be made", "")
        columns.pop()
        raises(forged, "other columns|A Schema cannot be made", "")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_audit_changes_nothing(kind):
    model = spinney.load(saved(fitted(kind)[0]))
    before = dict(vars(model))
    estimator_records()[kind.__name__].audit(model, At("model"))
    assert list(vars(model)) == list(before)
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.slow
def test_an_audit_leaves_the_scorer_alone():
    model = spinney.GradientBoostingClassifier(n_estimators=2, scoring="roc_auc", early_stopping=True, random_state=0)
    X, y = np.arange(80.0)[:, None], np.arange(80) % 3 == 0
    model.fit(X, y)
    again = spinney.load(saved(model))
    before = again.scorer_
    assert callable(before)
    estimator_records()["GradientBoostingClassifier"].audit(again, At("model"))
    assert again.scorer_ is before
    scores = [one(again, X, y) for one in (model.scorer_, before)]
    assert scores[0] == scores[1]


@cache
def calibrated():
    """A tree with a calibration by groups and times, and one with a spread."""
    X = table(200)[["x", "with gaps"]].fillna(0.0).to_numpy()
    y = X @ [1.0, 0.5]
    tree = spinney.DecisionTreeRegressor(max_depth=2).fit(X[:100], y[:100])
    grouped = copy.copy(tree).calibrate(X[100:], y[100:], by=X[100:, 0] > 0, times="order")
    return Parts(saved(grouped)), Parts(saved(fitted(spinney.RandomForestRegressor)[0]))


CALIBRATIONS = [
    (0, field_of("ConformalScores", "method", "guess"), "The calibration is unknown", ""),
    (0, field_of("ConformalScores", "method", "jackknife+"), r"Rows belong to jackknife\+", "rows"),
    (0, array_of("ConformalScores", "scores", 0, 1e9), "Scores must ascend in each group", "scores"),
    (0, array_of("ConformalScores", "scores", 0, np.nan), "Numbers must be finite", "scores"),
    (0, array_of("ConformalScores", "weights", 0, -1), "Weights must be positive", "weights"),
    (0, array_of("ConformalScores", "weights", 0, 1 << 50), "Weights are too large", "weights"),
    (0, array_of("ConformalScores", "group", -1, 7), "A group does not exist", "group"),
    (0, field_of("ConformalScores", "group", None), "Groups need labels", "labels"),
    (0, field_of("ConformalScores", "own_weight", 0), "Weights must be positive", "weights"),
    (0, field_of("ConformalScores", "spread", "wide"), "The spread is unknown", "spread"),
    (0, field_of("ConformalScores", "spread", "trees"), "does not know this spread", "spread"),
    (0, field_of("ConformalScores", "spread", "quantiles"), "Quantiles have a level", "level"),
    (1, array_of("ConformalScores", "rows", 0, 1 << 40), "A row does not exist", "rows"),
    (1, array_of("ConformalScores", "rows", 0, -1), "A row does not exist", "rows"),
]


@pytest.mark.parametrize(("which", "change", "problem", "place"), CALIBRATIONS)
def test_forged_calibrations(which, change, problem, place):
    forged = copy.deepcopy(calibrated()[which])
    change(forged)
    raises(forged, problem, place)
