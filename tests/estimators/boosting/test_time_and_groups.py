"""Rows in time and in groups: which rows choose the number of rounds, and stop the fit."""

import numpy as np
import pandas as pd
import pytest

import spinney
from spinney import AutoRegressor, GradientBoostingClassifier, GradientBoostingRegressor

N = 900
DRAW = np.random.RandomState(0)
X = pd.DataFrame({"a": DRAW.randn(N), "b": DRAW.randn(N), "drift": np.arange(N) / 30 + DRAW.randn(N)})
STEPS = np.repeat(DRAW.randn(N // 30) * 3, 30)  # a level per stretch of 30 rows: rows close together are alike
Y = X["a"] + STEPS + 0.3 * DRAW.randn(N)
PATIENTS = np.repeat(np.arange(N // 30), 30)
ORDER = DRAW.permutation(N)


def test_times_choose_fewer_rounds_where_rows_close_together_are_alike():
    random, last = (GradientBoostingRegressor(random_state=0).fit(X, Y, **given) for given in ({}, {"times": "order"}))
    assert last.n_estimators_ < random.n_estimators_ / 2


@pytest.mark.parametrize("given", [{"times": np.arange(N) // 3, "gap": 2}, {"groups": PATIENTS}])
@pytest.mark.parametrize("more", [{}, {"early_stopping": True, "n_estimators": 60}])
def test_the_order_of_rows_does_not_matter(given, more):
    model = GradientBoostingRegressor(random_state=0, **more).fit(X, Y, **given)
    shuffled = {key: value if key == "gap" else value[ORDER] for key, value in given.items()}
    other = GradientBoostingRegressor(random_state=0, **more).fit(X.iloc[ORDER], Y.iloc[ORDER], **shuffled)
    assert other.fingerprint_ == model.fingerprint_
    assert other.evals_result_ == model.evals_result_


def test_early_stopping_monitors_the_last_rows():
    """The same as with these rows as the evaluation set, fitted on those before."""
    settings = {"n_estimators": 40, "early_stopping": True, "random_state": 0}
    model = GradientBoostingRegressor(validation_fraction=0.2, **settings).fit(X, Y, times="order")
    by_hand = GradientBoostingRegressor(**settings).fit(X[:720], Y[:720], eval_set=(X[720:], Y[720:]))
    assert model.fingerprint_ == by_hand.fingerprint_
    assert model.evals_result_ == by_hand.evals_result_


def test_the_search_by_group_goes_on_where_errors_rise_and_fall_again():
    """Levels of the known groups are learned first: errors of new groups have two valleys, the second is lower."""
    draw = np.random.RandomState(1)
    group, level = np.repeat(np.arange(30), 100), np.column_stack([draw.randn(30), draw.randn(30)])
    rows = np.column_stack([draw.randn(3000, 5), level[group]])
    truth = rows[:, 0] + np.sin(2 * rows[:, 1]) + rows[:, 2] * rows[:, 3] + draw.randn(30)[group]
    model = GradientBoostingRegressor(random_state=0).fit(rows, truth + 0.5 * draw.randn(3000), groups=group)
    curve = model.evals_result_["held_out"]["squared_error"]
    first = int(np.argmin(curve[:40]))
    assert max(curve[first:80]) > 1.01 * curve[first]
    assert min(curve[80:]) < curve[first]


def test_early_stopping_holds_out_whole_groups():
    seen = []

    def metric(y, prediction):
        seen.append(len(y))
        return 0.0

    settings = {"n_estimators": 3, "early_stopping": True, "validation_fraction": 0.1, "random_state": 0}
    GradientBoostingRegressor(**settings).fit(X, Y, groups=PATIENTS, eval_metric=metric)
    assert set(seen) == {90}  # three patients of thirty rows


def test_a_column_by_its_name():
    frame = X.assign(patient=PATIENTS.astype(str))
    model = GradientBoostingClassifier(random_state=0).fit(frame, Y > 0, groups="patient")
    assert (
        model.fingerprint_
        == GradientBoostingClassifier(random_state=0).fit(frame, Y > 0, groups=PATIENTS.astype(str)).fingerprint_
    )


def test_a_column_of_a_table_in_files_by_its_name(tmp_path):
    frame = X.assign(day=np.arange(N) // 3)
    frame.assign(y=Y).to_csv(tmp_path / "t.csv", index=False)
    opened = spinney.open_table(tmp_path / "t.csv", target="y")
    again = pd.read_csv(tmp_path / "t.csv")
    for given in ({"times": "day"}, {"groups": "day"}):
        model = GradientBoostingRegressor(random_state=0).fit(opened, **given)
        local = GradientBoostingRegressor(random_state=0).fit(again.drop(columns="y"), again["y"], **given)
        assert model.fingerprint_ == local.fingerprint_
    with pytest.raises(ValueError, match="'week' is not a column of X"):
        GradientBoostingRegressor().fit(opened, times="week")


def test_integer_weights_are_repetitions():
    counts = np.random.RandomState(1).randint(0, 3, N)
    rows = np.repeat(np.arange(N), counts)
    weighted = GradientBoostingRegressor(random_state=0).fit(X, Y, counts, times="order")
    repeated = GradientBoostingRegressor(random_state=0).fit(X.iloc[rows], Y.iloc[rows], times=rows)
    assert weighted.fingerprint_ == repeated.fingerprint_


def test_automatic_models_predict_later_rows_from_earlier_ones():
    model = AutoRegressor(["boosting", "tree"], cv=3, random_state=0).fit(X, Y, times="order")
    other = AutoRegressor(["boosting", "tree"], cv=3, random_state=0).fit(X.iloc[ORDER], Y.iloc[ORDER], times=ORDER)
    assert other.fingerprint_ == model.fingerprint_
    assert (
        model.leaderboard_["score"].max()
        < AutoRegressor(["tree"], cv=3, random_state=0).fit(X, Y).leaderboard_["score"].max()
    )
    with pytest.raises(ValueError, match="cv must be a number of folds with times"):
        AutoRegressor(["tree"], cv="stratified").fit(X, Y, times="order")


def test_what_cannot_be_used():
    with pytest.raises(ValueError, match="groups and times cannot be used together"):
        GradientBoostingRegressor().fit(X, Y, groups=PATIENTS, times="order")
    with pytest.raises(ValueError, match=r"times must have one value per row, shape \(900,\), got \(3,\)"):
        GradientBoostingRegressor().fit(X, Y, times=[1, 2, 3])
