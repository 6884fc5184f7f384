"""Automatic models: what they try, how they judge it, and that nothing but the table decides."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score, root_mean_squared_error
from sklearn.model_selection import GroupKFold, StratifiedKFold

import spinney
from spinney.estimators.automatic.fit import DEFAULT, FAMILIES
from tests.compiled import slow

RANDOM = np.random.RandomState(0)
N = 160
FRAME = pd.DataFrame(
    {
        "size": RANDOM.randn(N).round(2),
        "count": RANDOM.randint(0, 9, N),
        "colour": RANDOM.choice(["red", "green", "blue"], N),
        "grade": pd.Categorical(RANDOM.choice(list("ABCDEFG"), N)),
    }
)
FRAME.loc[RANDOM.rand(N) < 0.15, "size"] = np.nan
NUMBERS = FRAME["size"].fillna(0).to_numpy() + 0.3 * FRAME["count"].to_numpy() + 0.3 * RANDOM.randn(N)
CLASSES = np.array(["low", "mid", "high"])[np.digitize(NUMBERS, [0.8, 1.6])]
FEW = 90  # rows, where all are as good
QUICK = {"families": ["boosting_of_small_trees", "extra_trees", "tree"], "random_state": 0}


def both(**parameters):
    """A classifier and a regressor with their targets."""
    parameters = {**QUICK, **parameters}
    return [(spinney.AutoClassifier(**parameters), CLASSES), (spinney.AutoRegressor(**parameters), NUMBERS)]


# --- members ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in FAMILIES.items() if one.grows == "rounds"])
@pytest.mark.parametrize("classifies, n", [(True, 60), *slow([(False, N), (True, N), (False, 60)])])
def test_what_boosting_has_settled_gives_the_same_model(name, classifies, n):
    family, y = FAMILIES[name], (CLASSES if classifies else NUMBERS)[:n]
    model = family.make(classifies, {"random_state": 3}).fit(FRAME[:n], y)
    again = clone(model).set_params(**family.settled(model, n)).fit(FRAME[:n], y)
    assert again.fingerprint_ == model.fingerprint_


def test_members_are_the_families_models_fitted_on_all_rows():
    weight = RANDOM.randint(0, 3, N)
    for model, y in both(cv=2):
        model.fit(FRAME, y, sample_weight=weight)
        for name, member in zip(model.names_, model.estimators_):
            own = clone(member).fit(FRAME, y, sample_weight=weight)
            assert own.fingerprint_ == member.fingerprint_, name
        assert model.weights_.sum() == pytest.approx(1)
        assert (model.weights_ > 0).all()
        expected = sum(w * member.feature_importances_ for w, member in zip(model.weights_, model.estimators_))
        np.testing.assert_allclose(model.feature_importances_, expected)
        method = "predict_proba" if hasattr(model, "predict_proba") else "predict"
        said = sum(w * getattr(member, method)(FRAME) for w, member in zip(model.weights_, model.estimators_))
        np.testing.assert_allclose(getattr(model, method)(FRAME), said)


@pytest.mark.slow
def test_all_families_are_tried_by_default():
    model = spinney.AutoRegressor(random_state=0, cv=2).fit(FRAME, NUMBERS)
    assert sorted(model.leaderboard_["name"]) == sorted(DEFAULT)
    assert model.leaderboard_["score"].notna().all()
    assert model.best_ == model.leaderboard_["name"][0]
    assert model.score_ >= model.leaderboard_["score"].max() - 1e-9
    assert dict(zip(model.names_, model.weights_)) == {
        name: weight for name, weight in zip(model.leaderboard_["name"], model.leaderboard_["weight"]) if weight
    }


# --- judging ---------------------------------------------------------------------------------------------------------


def by_hand(model, y, splits, judge, weight):
    """Scores of each fold, by models that are fitted on its rows alone."""
    scores = []
    for train, test in splits:
        one = clone(model).fit(FRAME.iloc[train], y[train], sample_weight=weight[train])
        method = "predict_proba" if hasattr(one, "predict_proba") else "predict"
        scores.append(judge(y[test], getattr(one, method)(FRAME.iloc[test]), weight[test]))
    return np.array(scores)


def test_scores_are_those_of_cross_validation_by_hand():
    splits = list(StratifiedKFold(3, shuffle=True, random_state=1).split(FRAME, CLASSES))
    weight = RANDOM.rand(N) + 0.5
    judges = [
        lambda y, said, w: -log_loss(y, said, sample_weight=w, labels=np.unique(CLASSES)),
        lambda y, said, w: -root_mean_squared_error(y, said, sample_weight=w),
    ]
    for (model, y), judge in zip(both(families=["tree"], cv=splits), judges):
        model.fit(FRAME, y, sample_weight=weight)
        expected = by_hand(model.estimators_[0], y, splits, judge, weight)
        found = model.leaderboard_.iloc[0]
        np.testing.assert_allclose([found["score"], found["spread"]], [expected.mean(), expected.std()])
        assert model.score_ == pytest.approx(expected.mean())


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc_ovr", "by function"])
def test_other_scores_of_classes(scoring):
    def ours(model, X, y):
        assert list(X.columns) == list(FRAME.columns)
        return accuracy_score(y, model.predict(X))

    splits = list(StratifiedKFold(3, shuffle=True, random_state=1).split(FRAME, CLASSES))
    model = spinney.AutoClassifier(["tree"], scoring=ours if scoring == "by function" else scoring, cv=splits)
    model.fit(FRAME, CLASSES)
    one = np.ones(N)
    if scoring == "roc_auc_ovr":
        expected = by_hand(
            model.estimators_[0], CLASSES, splits, lambda y, p, w: roc_auc_score(y, p, multi_class="ovr"), one
        )
    else:
        labels = np.unique(CLASSES)
        expected = by_hand(
            model.estimators_[0], CLASSES, splits, lambda y, p, w: accuracy_score(y, labels[p.argmax(1)]), one
        )
    assert model.leaderboard_["score"][0] == pytest.approx(expected.mean())
    assert model.leaderboard().startswith(
        f"AutoClassifier: {'score' if scoring == 'by function' else scoring}, 3 folds"
    )


@pytest.mark.slow
def test_other_scores_of_numbers_decide_the_weights():
    for scoring in ("neg_mean_absolute_error", "r2", "neg_mean_squared_error"):
        model = spinney.AutoRegressor(["extra_trees", "tree"], random_state=0, scoring=scoring).fit(FRAME, NUMBERS)
        assert model.score_ >= model.leaderboard_["score"].max() - 0.01 * abs(model.score_)


def test_groups_stay_together():
    groups = RANDOM.randint(0, 8, N)
    splits = list(GroupKFold(4).split(FRAME, NUMBERS, groups))
    found = spinney.AutoRegressor(["tree"], cv=4).fit(FRAME, NUMBERS, groups=groups)
    assert found.score_ == spinney.AutoRegressor(["tree"], cv=splits).fit(FRAME, NUMBERS).score_
    named = spinney.AutoRegressor(["tree"], cv=GroupKFold(4)).fit(FRAME, NUMBERS, groups=groups)
    assert named.score_ == found.score_


# --- nothing but the table decides -----------------------------------------------------------------------------------


def same(model, other):
    assert other.fingerprint_ == model.fingerprint_
    np.testing.assert_array_equal(other.weights_, model.weights_)
    assert other.score_ == pytest.approx(model.score_, rel=1e-12)


@pytest.mark.slow
def test_threads_and_the_order_of_rows_do_not_matter():
    shuffled, X = RANDOM.permutation(FEW), FRAME[:FEW]
    for model, y in both(cv=2):
        model.fit(X, y[:FEW])
        same(model, clone(model).set_params(n_jobs=2).fit(X, y[:FEW]))
        same(model, clone(model).fit(X.iloc[shuffled].reset_index(drop=True), y[shuffled]))


@pytest.mark.slow
def test_repetitions_may_be_weights():
    weight, X = RANDOM.randint(0, 4, FEW), FRAME[["size", "count"]].fillna(0.0)[:FEW]
    repeated = RANDOM.permutation(np.repeat(np.arange(FEW), weight))
    for model, y in both(cv=2, families=["boosting_of_small_trees", "extra_trees", "random_forest"]):
        y = y[:FEW]
        model.fit(X, y, sample_weight=weight)
        other = clone(model).fit(X.iloc[repeated].reset_index(drop=True), y[repeated])
        np.testing.assert_array_equal(other.weights_, model.weights_)
        assert other.score_ == pytest.approx(model.score_, rel=1e-12)
        if hasattr(model, "predict_proba"):
            np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X), atol=1e-12)
        else:
            np.testing.assert_allclose(other.predict(X), model.predict(X), atol=1e-12)


def test_another_seed_is_another_model():
    first, second = (spinney.AutoRegressor(["extra_trees"], random_state=k).fit(FRAME, NUMBERS) for k in (0, 1))
    assert first.fingerprint_ != second.fingerprint_
    assert first.score_ != second.score_


def test_a_copy_is_the_same():
    for model, y in both(cv=2, families=["extra_trees", "tree"]):
        model.fit(FRAME, y)
        copy = pickle.loads(pickle.dumps(model))
        assert copy.fingerprint_ == model.fingerprint_
        np.testing.assert_array_equal(copy.predict(FRAME), model.predict(FRAME))
        assert copy.leaderboard() == model.leaderboard()


def test_a_fit_that_fails_keeps_the_old_model():
    model = spinney.AutoRegressor(["tree"]).fit(FRAME, NUMBERS)
    before = model.fingerprint_
    with pytest.raises(ValueError, match="NaN"):
        model.fit(FRAME, np.where(np.arange(N) == 3, np.nan, NUMBERS))
    assert model.fingerprint_ == before


# --- time ------------------------------------------------------------------------------------------------------------


def test_without_time_the_first_family_is_the_model():
    for model, y in both(time_budget=1e-3):
        model.fit(FRAME, y)
        assert model.names_ == ["boosting_of_small_trees"]
        assert model.weights_.tolist() == [1.0]
        assert np.isnan(model.score_)
        notes = dict(zip(model.leaderboard_["name"], model.leaderboard_["note"]))
        assert notes["boosting_of_small_trees"] == "not scored: no time"
        assert notes["extra_trees"] == notes["tree"] == "not tried: no time"
        assert len(model.predict(FRAME)) == N
        assert model.estimators_[0].time_budget is None
        assert "one part held out" in model.leaderboard()  # the table is large for the budget


def test_a_forest_alone_and_no_time():
    model = spinney.AutoRegressor(["random_forest", "extra_trees"], time_budget=1e-3, random_state=0)
    assert model.fit(FRAME, NUMBERS).names_ == ["random_forest"]
    assert 1 <= len(model.estimators_[0].estimators_) < 100


def test_with_time_enough_nothing_is_cut():
    for model, y in both(cv=2):
        X, y = FRAME[:FEW], y[:FEW]
        free = clone(model).fit(X, y)
        assert model.set_params(time_budget=1e6).fit(X, y).fingerprint_ == free.fingerprint_


# --- small and odd tables --------------------------------------------------------------------------------------------


def test_too_few_rows_to_hold_any_out():
    for model, y in both():
        model.fit(FRAME[:6], y[:6])
        assert model.names_ == [model.best_] == ["boosting_of_small_trees"]
        assert np.isnan(model.score_)
        assert set(model.leaderboard_["note"]) == {"not scored: too few rows"}
        assert "nothing held out" in model.leaderboard()


def test_a_class_with_a_single_row():
    y = np.where(np.arange(N) == 7, "rare", CLASSES)
    model = spinney.AutoClassifier(**QUICK, cv=2).fit(FRAME, y)
    assert "rare" in model.classes_
    assert np.isfinite(model.score_)
    np.testing.assert_allclose(model.predict_proba(FRAME).sum(axis=1), 1)


def test_huge_numbers_are_judged_without_overflow():
    model = spinney.AutoRegressor(["tree"], cv=3).fit(FRAME, NUMBERS * 1e200)
    assert np.isfinite(model.score_)


# --- what is said ----------------------------------------------------------------------------------------------------


def test_a_line_for_every_family(capsys):
    spinney.AutoRegressor(["tree", "extra_trees"], cv=2, verbose=1).fit(FRAME, NUMBERS)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["tree", "extra_trees"]
    assert "neg_root_mean_squared_error -" in lines[0]
    assert "; 1 more, about " in lines[0]
    assert "more" not in lines[1]


def test_the_leaderboard_without_pandas(monkeypatch):
    model = spinney.AutoRegressor(["tree"], cv=2).fit(FRAME, NUMBERS)
    columns = list(model.leaderboard_.columns)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(model.leaderboard_, dict)
    assert list(model.leaderboard_) == columns


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"families": ["forest"]}, r"families must name some of \['boosting'.*each once, got \['forest'\]"),
        ({"families": []}, r"families must name some of .* got \[\]"),
        ({"families": ["tree", "tree"]}, "each once"),
        ({"scoring": "accurracy"}, "scoring='accurracy' is not a score. Did you mean 'accuracy'"),
        ({"scoring": lambda model, X, y: [1.0]}, "scoring must return one number, got"),
        ({"cv": 1}, r"'cv' parameter of AutoRegressor must be an int in the range \[2"),
        ({"time_budget": 0}, "'time_budget' parameter"),
    ],
)
def test_errors(parameters, message):
    with pytest.raises(ValueError, match=message):
        spinney.AutoRegressor(**{"families": ["tree"], **parameters}).fit(FRAME, NUMBERS)


def test_a_score_that_looks_at_some_rows_only_is_refused():
    with pytest.raises(ValueError, match="scoring must predict all rows of X in one call"):
        spinney.AutoRegressor(["tree"], scoring=lambda model, X, y: model.predict(X[:1])[0]).fit(FRAME, NUMBERS)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y must hold at least two classes, but has only one class: 'low'"):
        spinney.AutoClassifier().fit(FRAME, ["low"] * N)


def test_an_error_names_the_family(monkeypatch):
    def fail(self, X, y, sample_weight=None):
        raise ValueError("no luck")

    monkeypatch.setattr(spinney.DecisionTreeRegressor, "fit", fail)
    with pytest.raises(ValueError, match="member 'tree' failed in fit: no luck"):
        spinney.AutoRegressor(["tree"]).fit(FRAME, NUMBERS)
