"""`calibrate`, `predict_interval` and `predict_set`: what each model knows of its errors, and for how long."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_friedman1
from sklearn.linear_model import LinearRegression, LogisticRegression

import spinney
from spinney import prune
from spinney.ensemble.selection import LEAST_PROBABILITY
from tests.compiled import slow
from tests.oracles import conformal as oracle

X, Y = load_diabetes(return_X_y=True)
FRAME = pd.DataFrame(X, columns=list("abcdefghij")).assign(sex=np.where(X[:, 1] > 0, "f", "m"))
Z, LABELS = load_iris(return_X_y=True)
LABELS = np.array(["setosa", "versicolor", "virginica"])[LABELS]
FITTED, HELD, NEW = slice(0, 200), slice(200, 340), slice(340, None)
ORDER = np.random.RandomState(0).permutation(len(Y))
BOOSTING = spinney.GradientBoostingRegressor(random_state=0)
FOREST = spinney.RandomForestRegressor(40, max_features=1.0, oob_score=True, random_state=0)
SMALL_TREES = [("a", spinney.DecisionTreeRegressor(max_depth=2))]
SMALL_CLASSES = [("a", spinney.DecisionTreeClassifier(max_depth=2)), ("b", LogisticRegression(max_iter=500))]


def rows(seed=0, n=600):
    return make_friedman1(n, noise=1.0, random_state=seed)


def covers(intervals, y):
    return float(np.mean((intervals[:, 0] <= y) & (y <= intervals[:, 1])))


# --- calibrate -------------------------------------------------------------------------------------------------------


def test_mapies_numbers():
    """Recorded from MAPIE 1.6; test_like_mapie.py compares the two where it is installed."""
    tree = spinney.DecisionTreeRegressor(max_depth=3).fit(X[FITTED], Y[FITTED]).calibrate(X[HELD], Y[HELD])
    wanted = [[-14.813333333333333, 199.0], [52.893333333333345, 266.7066666666667]]
    np.testing.assert_allclose(tree.predict_interval(X[340:342]), wanted, rtol=1e-12)


REGRESSORS = {
    "tree": spinney.DecisionTreeRegressor(max_depth=3),
    "extra-tree": spinney.ExtraTreeRegressor(max_depth=3, random_state=0),
    "optimal": spinney.OptimalTreeRegressor(max_depth=2, time_budget=None, max_bins=8),
    "forest": spinney.RandomForestRegressor(10, random_state=0),
    "extra-trees": spinney.ExtraTreesRegressor(10, random_state=0),
    "random-structure": spinney.RandomStructureForestRegressor(10, random_state=0),
    "bagging": spinney.BaggingRegressor(LinearRegression(), random_state=0),
    "boosting": spinney.GradientBoostingRegressor(n_estimators=10),
    "adaboost": spinney.AdaBoostRegressor(n_estimators=5, random_state=0),
    "voting": spinney.VotingRegressor([*SMALL_TREES, ("b", LinearRegression())]),
    "stacking": spinney.StackingRegressor(SMALL_TREES),
    "bucket": spinney.BucketOfModelsRegressor(SMALL_TREES),
    "averaging": spinney.BayesianModelAveragingRegressor(SMALL_TREES),
    "auto": spinney.AutoRegressor(["tree"], random_state=0),
}
CLASSIFIERS = {
    "tree": spinney.DecisionTreeClassifier(max_depth=2),
    "optimal": spinney.OptimalTreeClassifier(max_depth=2, time_budget=None, max_bins=8),
    "c45": spinney.C45Classifier(),
    "c50": spinney.C50Classifier(trials=3),
    "forest": spinney.RandomForestClassifier(10, random_state=0),
    "bagging": spinney.BaggingClassifier(random_state=0),
    "boosting": spinney.GradientBoostingClassifier(n_estimators=5),
    "adaboost": spinney.AdaBoostClassifier(n_estimators=5, random_state=0),
    "voting": spinney.VotingClassifier(SMALL_CLASSES, voting="soft"),
    "stacking": spinney.StackingClassifier(SMALL_CLASSES),
    "bucket": spinney.BucketOfModelsClassifier(SMALL_CLASSES),
    "averaging": spinney.BayesianModelAveragingClassifier(SMALL_CLASSES),
    "auto": spinney.AutoClassifier(["tree"], random_state=0),
}


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("by_time", [False, *slow([True])])
def test_every_regressor_has_intervals(name, by_time):
    """By quantiles of its residuals; later rows weigh more if there are times."""
    model = clone(REGRESSORS[name]).fit(X[FITTED], Y[FITTED])
    times = np.arange(140) // 10
    model.calibrate(X[HELD], Y[HELD], spread=None, times=times if by_time else None)
    residuals = np.abs(Y[HELD] - model.predict(X[HELD])).tolist()
    counts, own = (oracle.time_ranks(times.tolist()), 140) if by_time else (None, 1)
    predicted = model.predict(X[NEW])
    for level in (0.5, 0.9):
        width = oracle.quantile(residuals, level, counts, own)
        wanted = np.column_stack([predicted - width, predicted + width])
        assert np.array_equal(model.predict_interval(X[NEW], level), wanted)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_has_sets(name):
    fitted, held, new = ORDER[ORDER < 150][:50], ORDER[ORDER < 150][50:110], ORDER[ORDER < 150][110:]
    model = clone(CLASSIFIERS[name]).fit(Z[fitted, :2], LABELS[fitted]).calibrate(Z[held, :2], LABELS[held])
    place = {label: k for k, label in enumerate(model.classes_.tolist())}
    found = model.predict_proba(Z[held, :2])
    scores = [1.0 - share[place[label]] for share, label in zip(found, LABELS[held])]
    for level in (0.6, 0.9):
        wanted = [oracle.members_of_set(one, scores, level) for one in model.predict_proba(Z[new, :2])]
        assert [np.flatnonzero(one).tolist() for one in model.predict_set(Z[new, :2], level)] == wanted


def test_imported_models_have_them_too():
    lightgbm = pytest.importorskip("lightgbm")
    theirs = lightgbm.LGBMRegressor(n_estimators=5, verbose=-1).fit(X[FITTED], Y[FITTED])
    model = spinney.from_lightgbm(theirs).calibrate(X[HELD], Y[HELD])
    assert covers(model.predict_interval(X[NEW], 0.8), Y[NEW]) > 0.7


def test_groups_by_column_and_by_array():
    model = spinney.DecisionTreeRegressor(max_depth=3).fit(FRAME[FITTED], Y[FITTED])
    named = copy.copy(model).calibrate(FRAME[HELD], Y[HELD], by="sex")
    given = copy.copy(model).calibrate(FRAME[HELD], Y[HELD], by=FRAME["sex"][HELD])
    found = named.predict_interval(FRAME[NEW])
    assert np.array_equal(given.predict_interval(FRAME[NEW], by=FRAME["sex"][NEW]), found)
    for sex in "fm":
        some = FRAME["sex"] == sex
        alone = copy.copy(model).calibrate(FRAME[HELD][some[HELD]], Y[HELD][some[HELD]])
        assert np.array_equal(alone.predict_interval(FRAME[NEW][some[NEW]]), found[some[NEW]])
    with pytest.warns(UserWarning, match="too few calibration rows for level=0.9"):
        assert np.isinf(given.predict_interval(FRAME[:1], by=["?"])).all()
    with pytest.raises(ValueError, match="pass by="):
        given.predict_interval(FRAME[NEW])
    with pytest.raises(ValueError, match="calibrated without groups"):
        model.calibrate(FRAME[HELD], Y[HELD]).predict_interval(FRAME[:1], by=["f"])


@pytest.mark.parametrize("spread", ["trees", spinney.DecisionTreeRegressor(max_depth=2)])
def test_intervals_in_proportion_to_a_spread(spread):
    forest = spinney.RandomForestRegressor(20, random_state=0).fit(X[FITTED], Y[FITTED])
    if not isinstance(spread, str):
        spread.fit(X[FITTED], np.abs(Y[FITTED] - forest.predict(X[FITTED])))
    forest.calibrate(X[HELD], Y[HELD], spread=spread)

    def size(some):
        if not isinstance(spread, str):
            return spread.predict(some)
        return np.std([tree.predict(some) for tree in forest.estimators_], axis=0)

    factor = oracle.quantile((np.abs(Y[HELD] - forest.predict(X[HELD])) / size(X[HELD])).tolist(), 0.9)
    low, high = forest.predict_interval(X[NEW]).T
    np.testing.assert_allclose((high - low) / 2.0, factor * size(X[NEW]), rtol=1e-9)


# --- what a fit keeps ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [300, 6_000])
def test_boosting_keeps_the_errors_of_the_folds_that_chose_its_rounds(n):
    """Their mean square is the lowest point of the curve that the search followed."""
    some, y = rows(n=n)
    model = clone(BOOSTING).fit(some, y)
    kept = model._calibration
    assert kept.method == "cv"
    assert kept.spread is None
    assert np.mean(kept.scores**2) == pytest.approx(min(model.evals_result_["held_out"]["squared_error"]), rel=1e-3)
    low, high = model.predict_interval(some[:5], 0.8).T
    np.testing.assert_allclose((high - low) / 2.0, oracle.quantile(kept.scores.tolist(), 0.8), rtol=1e-9)
    np.testing.assert_allclose((high + low) / 2.0, model.predict(some[:5]), rtol=1e-9)


def test_boosting_in_time_keeps_the_errors_of_later_rows():
    """They are those of the rows held out, at the round that was chosen; the last ones weigh most."""
    some, y = rows(n=6_000)
    kept = clone(BOOSTING).fit(some, y, times="order")._calibration
    assert kept.own_weight == 900
    assert sorted(kept.weights.tolist()) == list(range(1, 901))


def test_early_stopping_keeps_the_errors_of_its_held_out_rows():
    settings = {"n_estimators": 60, "early_stopping": True, "validation_fraction": 0.2, "random_state": 0}
    some, y = rows()
    model = spinney.GradientBoostingRegressor(**settings).fit(some, y, times="order")
    wanted = np.sort(np.abs(y[480:] - model.predict(some[480:])))
    np.testing.assert_allclose(model._calibration.scores, wanted, rtol=1e-12)


def test_classifiers_keep_the_probabilities_of_the_true_classes():
    some, y = rows()
    labels = np.digitize(y, [10.0, 18.0])
    model = spinney.GradientBoostingClassifier(random_state=0).fit(some, labels)
    losses = -np.log(1.0 - model._calibration.scores)
    assert losses.mean() == pytest.approx(min(model.evals_result_["held_out"]["log_loss"]), rel=1e-9)
    two = spinney.GradientBoostingClassifier(random_state=0).fit(some, y > 14)
    assert -np.log(1.0 - two._calibration.scores).mean() == pytest.approx(
        min(two.evals_result_["held_out"]["log_loss"]), rel=1e-9
    )


@pytest.mark.parametrize("given", [{}, {"times": np.arange(442) // 2}, {"groups": np.arange(442) // 5}])
def test_the_order_of_rows_and_the_threads_do_not_matter(given):
    model = clone(BOOSTING).set_params(n_jobs=1).fit(X, Y, **given)
    shuffled = {name: values[ORDER] for name, values in given.items()}
    other = clone(BOOSTING).set_params(n_jobs=2).fit(X[ORDER], Y[ORDER], **shuffled)
    assert np.array_equal(model.predict_interval(X[NEW]), other.predict_interval(X[NEW]))


def test_integer_weights_are_repetitions():
    counts = np.random.RandomState(1).randint(0, 3, len(Y))
    many = np.repeat(np.arange(len(Y)), counts)
    weighted, repeated = clone(BOOSTING).fit(X, Y, counts), clone(BOOSTING).fit(X[many], Y[many])
    assert np.array_equal(weighted.predict_interval(X), repeated.predict_interval(X))


@pytest.mark.parametrize("kind", [spinney.RandomForestRegressor, spinney.ExtraTreesRegressor, spinney.BaggingRegressor])
def test_forests_keep_out_of_bag_residuals(kind):
    """Equal to jackknife+ row by row."""
    model = kind(n_estimators=12, bootstrap=True, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        model.fit(X[FITTED], Y[FITTED])
    unseen = np.array([~np.isin(np.arange(200), one) for one in model.estimators_samples_]).T
    known = unseen.any(axis=1)
    residuals = np.abs(Y[FITTED] - model.oob_prediction_)[known]
    answers = np.array([tree.predict(X[NEW]) for tree in model.estimators_]).T
    found = model.predict_interval(X[NEW], 0.8)
    for row, interval in zip(answers.tolist()[:10], found.tolist()):
        assert interval == pytest.approx(oracle.plus_interval(row, unseen[known].tolist(), residuals.tolist(), 0.8))


def test_bagging_of_other_models():
    model = spinney.BaggingRegressor(LinearRegression(), 20, oob_score=True, random_state=0).fit(X, Y)
    assert covers(model.predict_interval(X, 0.9), Y) == pytest.approx(0.9, abs=0.03)


def test_forests_of_classes_keep_out_of_bag_votes():
    forest = spinney.RandomForestClassifier(50, oob_score=True, random_state=0).fit(Z[:, :2], LABELS)
    votes, place = forest.oob_decision_function_, np.searchsorted(forest.classes_, LABELS)
    scores = (1.0 - votes[np.arange(150), place]).tolist()
    wanted = [oracle.members_of_set(one, scores, 0.8) for one in forest.predict_proba(Z[:, :2]).tolist()]
    assert [np.flatnonzero(one).tolist() for one in forest.predict_set(Z[:, :2], 0.8)] == wanted


def test_automatic_models_keep_the_errors_of_their_folds():
    model = spinney.AutoRegressor(["tree", "extra_trees"], cv=3, random_state=0).fit(*rows())
    assert model._calibration.spread is None
    assert np.sqrt(np.mean(model._calibration.scores**2)) == pytest.approx(-model.score_, rel=0.01)
    classes = spinney.AutoClassifier(["tree", "extra_trees"], cv=3, random_state=0).fit(Z[:, :2], LABELS)
    chances = np.maximum(1.0 - classes._calibration.scores, LEAST_PROBABILITY)
    assert np.log(chances).mean() == pytest.approx(classes.score_, rel=0.01)


# --- how long it is kept ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [BOOSTING, FOREST], ids=["boosting", "forest"])
@pytest.mark.parametrize("own", [True, False])
def test_files_and_pickles_keep_it(model, own, tmp_path):
    model = clone(model).fit(X[FITTED], Y[FITTED])
    if not own:
        model.calibrate(FRAME.iloc[HELD, :10].to_numpy(), Y[HELD], by=X[HELD, 1] > 0, times="order")
    more = {} if own else {"by": X[NEW, 1] > 0}
    wanted = model.predict_interval(X[NEW], **more)
    spinney.save(model, tmp_path / "model.spinney")
    for other in (spinney.load(tmp_path / "model.spinney"), pickle.loads(pickle.dumps(model)), copy.copy(model)):
        assert np.array_equal(other.predict_interval(X[NEW], **more), wanted)


def test_a_spread_of_ours_is_in_the_file(tmp_path):
    spread = spinney.DecisionTreeRegressor(max_depth=2).fit(X[FITTED], np.abs(Y[FITTED] - 150))
    model = spinney.DecisionTreeRegressor(max_depth=2).fit(X[FITTED], Y[FITTED])
    model.calibrate(X[HELD], Y[HELD], spread=spread)
    spinney.save(model, tmp_path / "model.spinney")
    found = spinney.load(tmp_path / "model.spinney").predict_interval(X[NEW])
    assert np.array_equal(found, model.predict_interval(X[NEW]))


def test_a_new_fit_and_pruning_drop_it():
    model = spinney.DecisionTreeRegressor(max_depth=3).fit(X[FITTED], Y[FITTED]).calibrate(X[HELD], Y[HELD])
    for other in (prune.cost_complexity(model, 100.0), clone(model).fit(X, Y), copy.copy(model).fit(X, Y)):
        with pytest.raises(ValueError, match="has no calibration"):
            other.predict_interval(X)
    assert model.predict_interval(X).shape == (442, 2)
    more = clone(BOOSTING).fit(X, Y).set_params(warm_start=True, n_estimators=2_000)
    with pytest.raises(ValueError, match="has no calibration"):
        more.fit(X, Y).predict_interval(X)
    whole = clone(BOOSTING).fit(X, Y)
    with pytest.raises(ValueError, match="has no calibration"):
        whole[:5].predict_interval(X)
    assert np.array_equal(whole[:].predict_interval(X), whole.predict_interval(X))


def test_a_fit_that_fails_keeps_it():
    model = spinney.DecisionTreeRegressor(max_depth=3).fit(X[FITTED], Y[FITTED]).calibrate(X[HELD], Y[HELD])
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, np.full(len(Y), np.nan))
    assert model.predict_interval(X).shape == (442, 2)


# --- tables of all kinds ---------------------------------------------------------------------------------------------


def test_records_tables_in_files_and_frames(tmp_path):
    pytest.importorskip("pyarrow")
    FRAME.assign(y=Y).to_parquet(tmp_path / "t.parquet")
    opened = spinney.open_table(tmp_path / "t.parquet", target="y")
    model = spinney.DecisionTreeRegressor(max_depth=3).fit(FRAME, Y).calibrate(FRAME, Y, by="sex")
    wanted = model.predict_interval(FRAME)
    assert np.array_equal(model.predict_interval(opened), wanted)
    assert np.array_equal(model.predict_interval(FRAME.to_dict("records")), wanted)
    assert np.array_equal(
        clone(model).fit(FRAME, Y).calibrate(opened).predict_interval(FRAME),
        copy.copy(model).calibrate(FRAME, Y).predict_interval(FRAME),
    )


def test_initial_scores_shift_intervals():
    offset = np.linspace(0, 100, len(Y))
    model = clone(BOOSTING).fit(X, Y, init_score=offset)
    low, high = model.predict_interval(X, init_score=offset).T
    np.testing.assert_allclose((low + high) / 2.0, model.predict(X, init_score=offset), rtol=1e-9)


# --- coverage --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_splits", [5, *slow([60])])
@pytest.mark.parametrize("model", [BOOSTING, FOREST], ids=["boosting", "forest"])
def test_coverage_of_what_a_fit_keeps(model, n_splits):
    found = []
    for seed in range(n_splits):
        some, y = rows(seed, 700)
        found.append(covers(clone(model).fit(some[:300], y[:300]).predict_interval(some[300:], 0.9), y[300:]))
    assert 0.88 <= np.mean(found) <= 0.95


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 1, 1.5, "0.9", True, float("nan")])
def test_levels_that_are_none(level):
    model = spinney.DecisionTreeRegressor().fit(X[FITTED], Y[FITTED]).calibrate(X[HELD], Y[HELD])
    with pytest.raises(ValueError, match="level must be a number between 0 and 1"):
        model.predict_interval(X, level)


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        (spinney.DecisionTreeRegressor(), r"was not fitted on\.$"),
        (spinney.RandomForestRegressor(3), "oob_score=True"),
        (spinney.GradientBoostingRegressor(n_estimators=3), "n_estimators="),
    ],
)
def test_models_that_know_nothing_say_what_to_do(model, hint):
    with pytest.raises(ValueError, match=hint):
        model.fit(X, Y).predict_interval(X)


def test_other_errors():
    tree = spinney.DecisionTreeRegressor(max_depth=3).fit(X[FITTED], Y[FITTED])
    with pytest.raises(ValueError, match="spread must be"):
        tree.calibrate(X[HELD], Y[HELD], spread="wide")
    with pytest.raises(ValueError, match="or a fitted regressor, got DecisionTreeClassifier"):
        tree.calibrate(X[HELD], Y[HELD], spread=spinney.DecisionTreeClassifier(max_depth=2).fit(X, Y > 100))
    with pytest.raises(ValueError, match=r"spread of row 0 is not positive, .* Use spread=None"):
        tree.calibrate(X[HELD], Y[HELD], spread=LinearRegression().fit(X, -Y))
    with pytest.raises(ValueError, match="only for forests and bagging"):
        tree.calibrate(X[HELD], Y[HELD], spread="trees")
    with pytest.raises(ValueError, match="only for forests"):
        tree.calibrate(X[HELD], Y[HELD], spread="quantiles", level=0.9)
    with pytest.raises(ValueError, match="level is needed only"):
        tree.calibrate(X[HELD], Y[HELD], level=0.9)
    with pytest.raises(ValueError, match="supported only for one output"):
        spinney.DecisionTreeRegressor().fit(X, np.column_stack([Y, Y])).calibrate(X, Y)
    forest = spinney.RandomForestRegressor(5, keep_targets=True, random_state=0).fit(X[FITTED], Y[FITTED])
    with pytest.raises(ValueError, match="needs a level"):
        forest.calibrate(X[HELD], Y[HELD], spread="quantiles")
    with pytest.raises(ValueError, match=r"calibrated for level=0\.8 alone"):
        forest.calibrate(X[HELD], Y[HELD], spread="quantiles", level=0.8).predict_interval(X)
    classes = spinney.DecisionTreeClassifier(max_depth=2).fit(Z, LABELS)
    with pytest.raises(ValueError, match="only for regressors"):
        classes.calibrate(Z, LABELS, spread="trees")
    with pytest.raises(ValueError, match="not among the classes"):
        classes.calibrate(Z, ["rose"] * 150)
    hard = spinney.VotingClassifier(SMALL_CLASSES).fit(Z, LABELS)
    with pytest.raises(ValueError, match="need predict_proba"):
        hard.calibrate(Z, LABELS)
