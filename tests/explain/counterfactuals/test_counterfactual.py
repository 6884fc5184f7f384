"""Counterfactuals: beside all combinations, and what they promise. No search here depends on a clock."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import spinney
from spinney import explain
from spinney.explain.counterfactuals import nearest_point
from tests.oracles.nearest_box import candidates, least_change

counterfactual = partial(explain.counterfactual, time_limit=math.inf)
UNITS = {0: 1.0, 1: 0.5, 2: 2.0}


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0.2).astype(int)
    return X, y


MODELS = {
    "tree": lambda: spinney.DecisionTreeClassifier(max_depth=4),
    "forest": lambda: spinney.RandomForestClassifier(6, max_depth=3, random_state=0),
    "boosting": lambda: spinney.GradientBoostingClassifier(n_estimators=8, max_depth=3, learning_rate=0.5),
    "adaboost": lambda: spinney.AdaBoostClassifier(spinney.DecisionTreeClassifier(max_depth=2), n_estimators=5),
    "c50": lambda: spinney.C50Classifier(trials=4),
    "bagging": lambda: spinney.BaggingClassifier(spinney.DecisionTreeClassifier(max_depth=3), 5, random_state=0),
}


def thresholds(model, n_columns):
    from spinney.tree.models import trees_of

    found = [set() for _ in range(n_columns)]
    for one in trees_of(model):
        forest = one.tree_.forest
        for j, t in zip(forest.feature.tolist(), forest.thresholds().tolist()):
            if t == t:
                found[j].add(t)
    return [sorted(one) for one in found]


@pytest.fixture(scope="module")
def fitted():
    X, y = table()
    return {name: make().fit(X, y) for name, make in MODELS.items()}


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    i=st.integers(0, 299),
    ways=st.dictionaries(st.integers(0, 2), st.sampled_from(["increase", "decrease"]), max_size=2),
    fixed=st.sets(st.integers(0, 2), max_size=1),
    high=st.sampled_from([None, 0.8]),
)
def test_none_of_all_combinations_is_nearer(fitted, name, i, ways, fixed, high):
    model, row = fitted[name], table()[0][i]
    high = None if high is not None and row[2] > high else high
    found = counterfactual(model, row, fixed=fixed, directions=ways, scale=UNITS, bounds={2: (None, high)})
    cuts, choices = thresholds(model, 3), []
    for j, x in enumerate(row.tolist()):
        ends = {"low": x if ways.get(j) == "increase" else -np.inf, "high": x if ways.get(j) == "decrease" else np.inf}
        if j in fixed:
            ends = {"low": x, "high": x}
        if j == 2 and high is not None:
            ends["high"] = min(ends["high"], high)
        choices.append(candidates(x, cuts[j], **ends))
    now = model.predict(row[None])[0]
    costs = [lambda a, b, u=UNITS[j]: abs(a - b) / u for j in range(3)]
    cost, _ = least_change(choices, row.tolist(), costs, lambda rows: model.predict(np.array(rows)) != now)
    assert found.optimal
    if cost == np.inf:
        assert len(found) == 0
        assert "there is no such row" in repr(found)
        return
    assert found[0].cost == pytest.approx(cost, rel=1e-12)
    assert found.bound == pytest.approx(cost, rel=1e-12)
    assert model.predict(np.array([found[0].row]))[0] != now
    assert found[0].prediction == model.predict(np.array([found[0].row]))[0]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    n = 400
    X = pd.DataFrame(
        {
            "job": rng.choice(["a", "b", "c", "d"], n),
            "age": rng.integers(18, 70, n),
            "pay": rng.normal(3, 1, n).round(2),
            "owns": rng.random(n) < 0.4,
        }
    )
    X.loc[rng.random(n) < 0.15, "pay"] = np.nan
    X.loc[rng.random(n) < 0.1, "job"] = None
    good = (X["pay"].fillna(2.5) + (X["job"] == "b") + 0.02 * X["age"] + 0.5 * X["owns"] + rng.normal(0, 0.3, n)) > 4.2
    return X, np.where(good, "yes", "no")


@pytest.fixture(scope="module")
def lender(people):
    X, y = people
    return spinney.GradientBoostingClassifier(n_estimators=10, max_depth=3, learning_rate=0.4).fit(X, y)


@pytest.mark.parametrize("i", [0, 7, 31, 45, 90])
@pytest.mark.parametrize("cost", ["l1", "l0"])
def test_categories_booleans_whole_numbers_and_missing_values(people, lender, i, cost):
    X, _ = people
    row = X.iloc[i].to_dict()
    scale = {"age": 10.0, "pay": 1.0}
    found = counterfactual(lender, row, cost=cost, scale=scale, weights={"job": 2.0})
    cuts = thresholds(lender, 4)
    jobs = [row["job"]] if not isinstance(row["job"], str) else list("abcd")
    pays = [row["pay"]] if row["pay"] != row["pay"] else candidates(row["pay"], cuts[2])
    ages = [int(one) for one in candidates(row["age"], cuts[1], whole=True)]
    choices = [jobs, ages, pays, [False, True]]

    def price(unit, weight=1.0):
        if cost == "l0" or unit is None:
            return lambda a, b: weight * (a == a and a != b) if a is not None else 0.0
        return lambda a, b: 0.0 if a != a else abs(a - b) / unit

    now = lender.predict_row(row)
    best, _ = least_change(
        choices,
        list(row.values()),
        [price(None, 2.0), price(10.0), price(1.0), price(None)],
        lambda rows: lender.predict(pd.DataFrame(rows, columns=list(row))) != now,
    )
    # a Boolean is a number of its own scale: 1 from false to true
    assert found.optimal
    assert found[0].cost == pytest.approx(best)
    assert isinstance(found[0].row["age"], float)
    assert found[0].row["age"] == round(found[0].row["age"])
    assert (found[0].row["pay"] != found[0].row["pay"]) == (row["pay"] != row["pay"])
    assert lender.predict_row(found[0].row) != now


def test_missing_values_are_filled_where_that_is_allowed(people, lender):
    X, _ = people
    rows = X[X["pay"].isna() & X["job"].notna()]
    row = next(row for _, row in rows.iterrows() if lender.predict_row(row) == "no")
    free = counterfactual(lender, row, fixed=["job", "age", "owns"], fill=["pay"])
    assert len(counterfactual(lender, row, fixed=["job", "age", "owns"])) == 0
    assert free[0].row["pay"] == free[0].row["pay"]
    assert "pay: missing -> " in repr(free)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_no_constraint_is_broken(people, lender, data):
    X, _ = people
    names = list(X)
    row = X.iloc[data.draw(st.integers(0, 60))].to_dict()
    for name in data.draw(st.sets(st.sampled_from(["job", "pay"]))):
        row[name] = None
    fixed = data.draw(st.sets(st.sampled_from(names), max_size=2))
    fill = data.draw(st.sets(st.sampled_from(names)))
    ways = data.draw(st.dictionaries(st.sampled_from(names[1:]), st.sampled_from(["increase", "decrease"]), max_size=2))
    possible = {
        "job": st.lists(st.sampled_from("abcd"), min_size=1, unique=True),
        "age": st.sampled_from([(20, 60), (None, 50), (30, None)]),
        "pay": st.sampled_from([(0.5, 4.0), (None, 3.3), (2.0, None)]),
        "owns": st.sampled_from([(False, True), (None, False), (True, None), (1, 1)]),
    }
    bounds = {name: data.draw(one) for name, one in possible.items() if data.draw(st.booleans())}
    rules = {"fixed": fixed, "directions": ways, "bounds": bounds}
    if any(allows_nothing(name, row[name], **rules) for name in names):
        with pytest.raises(ValueError, match=r"is allowed\. Check fixed, directions and bounds"):
            counterfactual(lender, row, fill=fill, **rules)
        return
    for one in counterfactual(lender, row, fill=fill, n=2, **rules):
        for name in names:
            before, after = row[name], one.row[name]
            if pd.isna(after):
                assert pd.isna(before)
                continue
            assert after == before if name in fixed else name in fill or not pd.isna(before)
            assert is_within(after, bounds.get(name))
            if not pd.isna(before) and name != "job":
                assert after >= before or ways.get(name) != "increase"
                assert after <= before or ways.get(name) != "decrease"


def ends(bounds):
    low, high = bounds or (None, None)
    return -np.inf if low is None else low, np.inf if high is None else high


def is_within(value, bounds):
    if isinstance(value, str):
        return value in (bounds or "abcd")
    return ends(bounds)[0] <= value <= ends(bounds)[1]


def allows_nothing(name, value, fixed, directions, bounds):
    """Whether a column that is known can neither stay nor go anywhere."""
    if pd.isna(value) or is_within(value, bounds.get(name)):
        return False
    low, high = ends(bounds.get(name)) if name != "job" else (-np.inf, np.inf)
    stuck = {"increase": name != "job" and value > high, "decrease": name != "job" and value < low}
    return name in fixed or stuck.get(directions.get(name), False)


def test_several_differ_in_what_they_change(people, lender):
    X, _ = people
    found = counterfactual(lender, X.iloc[3], n=3)
    sets = [{one.column for one in each.changes} for each in found]
    assert len(found) == 3
    assert all(not a <= b for k, b in enumerate(sets) for a in sets[:k])
    assert [one.cost for one in found] == sorted(one.cost for one in found)
    assert list(found.to_frame().columns) == ["counterfactual", "column", "before", "after", "cost"]
    assert len(found.to_frame()) == sum(len(one.changes) for one in found)


def test_populated_regions_hold_a_row(people, lender):
    X, _ = people
    X = X[X["pay"].notna() & X["job"].notna()]
    row, now = X.iloc[5], lender.predict_row(X.iloc[5])
    found = counterfactual(lender, row, populated=X, n=2)
    leaves = lender.apply(X)
    for one in found:
        mine = lender.apply(pd.DataFrame([one.row]).astype({"owns": bool}))
        assert (leaves == mine).all(axis=1).any()
        assert one.prediction != now
    assert found[0].cost >= counterfactual(lender, row, scale=X)[0].cost
    assert found.optimal


@pytest.mark.parametrize("i", [0, 5, 9])
def test_no_populated_region_is_nearer(fitted, i):
    X, model = table()[0], fitted["forest"]
    row, seen = X[i], {tuple(one) for one in model.apply(X).tolist()}
    found = counterfactual(model, row, populated=X, scale=UNITS)
    now, cuts = model.predict(row[None])[0], thresholds(model, 3)

    def wanted(rows):
        rows = np.array(rows)
        return (model.predict(rows) != now) & np.array([tuple(one) in seen for one in model.apply(rows).tolist()])

    choices = [candidates(x, cuts[j]) for j, x in enumerate(row.tolist())]
    costs = [lambda a, b, u=UNITS[j]: abs(a - b) / u for j in range(3)]
    assert found[0].cost == pytest.approx(least_change(choices, row.tolist(), costs, wanted)[0])


@pytest.mark.parametrize("name", ["forest", "boosting", "c50"])
def test_three_classes_and_probabilities(name):
    X, _ = table(240, 3)
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.5, 0.5])
    model = MODELS[name]().fit(X, y)
    row = X[int(np.flatnonzero(model.predict(X) == 0)[0])]
    cuts = thresholds(model, 3)
    choices = [candidates(x, cuts[j]) for j, x in enumerate(row.tolist())]
    costs = [lambda a, b, u=UNITS[j]: abs(a - b) / u for j in range(3)]
    for target, probability in ((2, None), (1, 0.6), (None, None)):
        found = counterfactual(model, row, target=target, probability=probability, scale=UNITS)

        def wanted(rows, target=target, probability=probability):
            answers = model.predict(np.array(rows))
            good = answers != 0 if target is None else answers == target
            return (
                good if probability is None else good & (model.predict_proba(np.array(rows))[:, target] >= probability)
            )

        assert found[0].cost == pytest.approx(least_change(choices, row.tolist(), costs, wanted)[0])
        assert found.optimal


@pytest.mark.parametrize(
    "model",
    [
        spinney.DecisionTreeRegressor(max_depth=4),
        spinney.GradientBoostingRegressor(n_estimators=6, max_depth=3, learning_rate=0.5, loss="poisson"),
        spinney.AdaBoostRegressor(spinney.DecisionTreeRegressor(max_depth=2), n_estimators=4, random_state=0),
    ],
    ids=["tree", "poisson", "median"],
)
def test_numbers_reach_a_range(model):
    X, _ = table(240, 4)
    model.fit(X, np.exp(X[:, 0]) + np.abs(X[:, 1]))
    row = X[0]
    low, high = np.quantile(model.predict(X), [0.7, 0.85])
    found = counterfactual(model, row, target=(low, high), scale=UNITS)
    cuts = thresholds(model, 3)
    choices = [candidates(x, cuts[j]) for j, x in enumerate(row.tolist())]
    costs = [lambda a, b, u=UNITS[j]: abs(a - b) / u for j in range(3)]

    def wanted(rows):
        answers = model.predict(np.array(rows))
        return (low <= answers) & (answers <= high)

    assert found[0].cost == pytest.approx(least_change(choices, row.tolist(), costs, wanted)[0])
    assert found.optimal
    assert low <= found[0].prediction <= high


def test_isolation_forests_and_rows_that_need_no_change():
    X, _ = table(200, 5)
    model = spinney.IsolationForest(n_estimators=10, max_samples=32, random_state=0, contamination=0.1).fit(X)
    row = X[int(np.argmin(model.score_samples(X)))]
    assert model.predict(row[None])[0] == -1
    found = counterfactual(model, row)
    assert found[0].prediction == 1
    assert found.optimal
    same = counterfactual(model, found[0].row, target=1)
    assert same[0].cost == 0.0
    assert "no change is needed" in repr(same)


@pytest.mark.parametrize(("seed", "place"), [(6, 4), (7, 5), (10, 4)])
def test_the_least_change_does_not_depend_on_where_the_search_begins(monkeypatch, seed, place):
    """Parts of a box with a lower bound than the box were once lost, and with them the nearest point."""
    X = np.random.RandomState(seed).randn(300, 6)
    y = (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] - X[:, 4] * X[:, 5] > 0) * 1.0
    model = spinney.GradientBoostingRegressor(n_estimators=30, max_depth=4, learning_rate=0.3, random_state=0).fit(X, y)
    target = (None, 0.4) if model.predict(X[[place]])[0] > 0.5 else (0.6, None)
    found = []
    for climbs in (32, 1):
        monkeypatch.setattr(nearest_point, "_CLIMBS", climbs)
        found.append(counterfactual(model, X[place], target=target, scale=X))
        assert found[-1].optimal
    assert found[0][0].cost == pytest.approx(found[1][0].cost)


@pytest.mark.parametrize("steps, leaves, climbs", [(1, 100, True), (3, 2, True), (2, 100, False)])
def test_boxes_may_be_looked_at_anew_at_any_time(people, lender, monkeypatch, steps, leaves, climbs):
    from spinney.explain.counterfactuals import nearest_point

    rows = [people[0].iloc[i].to_dict() for i in (0, 7, 31, 45)]
    expected = [counterfactual(lender, row)[0].cost for row in rows]
    monkeypatch.setattr(nearest_point, "_STEPS", steps)
    monkeypatch.setattr(nearest_point, "_GROUP", leaves)
    if not climbs:
        monkeypatch.setattr(nearest_point, "_climb", lambda space, frozen, known: nearest_point.Found(None, known, 0.0))
    for row, cost in zip(rows, expected):
        found = counterfactual(lender, row)
        assert found.optimal
        assert found[0].cost == pytest.approx(cost, rel=1e-12)


@pytest.fixture(scope="module")
def large():
    """A search of some dozens of nodes."""
    X = np.random.default_rng(0).normal(size=(400, 6)).round(2)
    y = (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + X[:, 4] * X[:, 5] > 0).astype(int)
    return spinney.RandomForestClassifier(30, max_depth=6, random_state=0).fit(X, y), X[1]


@pytest.mark.parametrize("limit", [{"time_limit": 1e-9}, {"max_nodes": 3}])
def test_a_search_that_is_cut_short(large, limit):
    model, row = large
    found = explain.counterfactual(model, row, **limit)
    assert found[0].prediction != found.prediction
    assert 0.0 <= found[0].bound < found[0].cost
    assert not found.optimal
    assert found.nodes == (3 if "max_nodes" in limit else 0)
    bound = found[0].bound
    assert (f"no change costs less than {bound:.4g}" if bound > 0.0 else "a cheaper change may exist") in repr(found)


def test_a_number_of_nodes_gives_the_same_result_every_time(large):
    model, row = large
    bounds, needed = [], explain.counterfactual(model, row, max_nodes=10**6).nodes
    assert needed > 20
    for most in (1, 10, needed - 1, needed, 10**6):
        one, other = (explain.counterfactual(model, row, max_nodes=most) for _ in range(2))
        assert one.nodes == other.nodes <= most
        assert (one[0].row, one[0].bound) == (other[0].row, other[0].bound)
        assert one.optimal == (most >= needed)
        bounds.append(one[0].bound)
    assert bounds == sorted(bounds)
    assert bounds[-1] == one[0].cost


BAD = [
    ({"target": 7}, "target must be one of the classes ['no', 'yes'], got 7."),
    ({"probability": 1.5}, "probability must be a number between 0 and 1, got 1.5."),
    (
        {"fixed": ["wage"]},
        "fixed names the column 'wage', which the model does not have. Its columns are ['job', 'age', 'pay', 'owns'].",
    ),
    ({"fixed": "age"}, "fixed must be a list of columns, got 'age'."),
    ({"directions": {"age": "up"}}, "directions must be 'increase' or 'decrease', got 'up' for 'age'."),
    (
        {"directions": {"job": "increase"}},
        "'job' has categories, which cannot increase. Pass the allowed categories in bounds.",
    ),
    ({"bounds": {"age": 3}}, "bounds of 'age' must be a pair (low, high), got 3."),
    ({"bounds": {"age": (5, 3)}}, "bounds of 'age' must be (low, high) with low <= high, got (5, 3)."),
    ({"bounds": {"job": "a"}}, "bounds of 'job' must be a list of categories, got 'a'."),
    ({"bounds": {"job": ["z"]}}, "bounds of 'job': 'z' is not one of its categories."),
    (
        {"bounds": {"age": (90, 99)}, "fixed": ["age"]},
        "no value of 'age' is allowed. Check fixed, directions and bounds.",
    ),
    ({"weights": {"age": 0}}, "weights must be positive numbers, got 0 for 'age'."),
    ({"scale": {"age": -1}}, "scale must be positive numbers, got -1 for 'age'."),
    ({"cost": "l2"}, "cost must be 'l1' or 'l0', got 'l2'."),
    (
        {"bounds": {"owns": (3, 5)}},
        "bounds of 'owns' must be a pair (low, high) of False, True or None, since the column is Boolean, got (3, 5). "
        "Use fixed=['owns'] to keep its value.",
    ),
    (
        {"bounds": {"job": ["a"]}, "fixed": ["job"]},
        "no value of 'job' is allowed. Check fixed, directions and bounds.",
    ),
    ({"max_nodes": 0}, "max_nodes must be a positive integer, got 0."),
    ({"max_nodes": 2.5}, "max_nodes must be a positive integer, got 2.5."),
    ({"n": 0}, "n must be a positive integer, got 0."),
    ({"time_limit": 0}, "time_limit must be a positive number of seconds, got 0."),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[str(one[0]) for one in BAD])
def test_bad_arguments(people, lender, arguments, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        counterfactual(lender, people[0].iloc[0], **arguments)
    assert str(caught.value) == message


BAD_ROWS = {
    "too short": (lambda X: [1, 2], "row has 2 values, but the model is expecting 4"),
    "a column less": (lambda X: {"job": "a", "age": 3, "owns": True}, "row has no value for column 'pay'"),
    "two rows": (lambda X: X.iloc[:2], r"row must be one row, got a table of 2\."),
    "batches": (
        lambda X: spinney.open_table(lambda: iter([X]), target="age"),
        r"row must be one row, got a table of \d+\.",
    ),
    "infinite": (
        lambda X: {"job": "a", "age": 3, "pay": np.inf, "owns": True},
        "row has an infinite value in 'pay'",
    ),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows(people, lender, name):
    row, words = BAD_ROWS[name]
    with pytest.raises(ValueError, match=words):
        counterfactual(lender, row(people[0]))


BAD_MODELS = {
    "not fitted": (lambda fitted: spinney.DecisionTreeClassifier(), NotFittedError, "not fitted"),
    "of another library": (
        lambda fitted: LogisticRegression().fit([[0.0], [1.0]], [0, 1]),
        TypeError,
        "needs one of Spinney's tree-based models, got LogisticRegression",
    ),
    "a class": (lambda fitted: spinney.DecisionTreeClassifier, TypeError, "got the class DecisionTreeClassifier"),
    "a vote": (
        lambda fitted: spinney.VotingClassifier([(name, fitted[name]) for name in ("tree", "forest")]).fit(*table()),
        TypeError,
        "averages several models, which is not a sum of trees",
    ),
    "several outputs": (
        lambda fitted: spinney.DecisionTreeClassifier(max_depth=2).fit(table()[0], np.column_stack([table()[1]] * 2)),
        ValueError,
        "has 2 outputs of classes",
    ),
    "one class": (
        lambda fitted: spinney.DecisionTreeClassifier().fit(table()[0], np.zeros(300)),
        ValueError,
        "has only one class",
    ),
}


@pytest.mark.parametrize("name", BAD_MODELS)
def test_bad_models(fitted, name):
    make, error, words = BAD_MODELS[name]
    with pytest.raises(error, match=words):
        counterfactual(make(fitted), [0.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def numbers():
    return spinney.DecisionTreeRegressor(max_depth=2).fit(*table())


@pytest.mark.parametrize("target", [None, 3, (None, None), ("a", 1), (3, 1)], ids=str)
def test_targets_that_are_no_range(numbers, target):
    with pytest.raises(ValueError, match=r"target must be a range \(low, high\)"):
        counterfactual(numbers, [0.0, 0.0, 0.0], target=target)


def test_probabilities_of_numbers(numbers):
    with pytest.raises(ValueError, match="needs predict_proba"):
        counterfactual(numbers, [0.0, 0.0, 0.0], target=(0, 1), probability=0.5)


def test_targets_of_isolation_forests():
    forest = spinney.IsolationForest(n_estimators=2, random_state=0).fit(table()[0])
    with pytest.raises(ValueError, match=r"target must be 1 \(inlier\) or -1 \(outlier\), got 3"):
        counterfactual(forest, [0.0, 0.0, 0.0], target=3)


def test_several_numbers_at_once():
    X, _ = table(120, 7)
    model = spinney.DecisionTreeRegressor(max_depth=4).fit(X, X[:, :2])
    found = counterfactual(model, X[0], target=[(0.5, None), (None, 0.0)])
    assert found.optimal
    assert found[0].prediction[0] >= 0.5
    assert found[0].prediction[1] <= 0.0
    with pytest.raises(ValueError, match=r"target must be a list of 2 ranges \(low, high\), got \(0, 1, 2\)"):
        counterfactual(model, X[0], target=(0, 1, 2))


def test_rows_that_go_down_several_branches(people):
    X, y = people
    model = spinney.C45Classifier(max_depth=3).fit(X, y)
    lost = X[X["pay"].isna()].iloc[0]
    with pytest.raises(ValueError, match="'pay' is missing, and C45Classifier sends such rows down several branches"):
        counterfactual(model, lost)
    whole = X[X["pay"].notna() & X["job"].notna()].iloc[0]
    found = counterfactual(model, whole)
    assert model.predict_row(found[0].row) != found.prediction


def test_models_that_read_zeros_as_missing_values():
    lightgbm = pytest.importorskip("lightgbm")
    X, y = table(120, 8)
    data = lightgbm.Dataset(X, y, params={"zero_as_missing": True, "verbose": -1})
    booster = lightgbm.train({"objective": "binary", "zero_as_missing": True, "verbose": -1}, data, 2)
    with pytest.raises(ValueError, match="numbers categories itself or treats zeros as missing"):
        counterfactual(spinney.from_lightgbm(booster), X[0])
    plain = lightgbm.train({"objective": "binary", "verbose": -1}, lightgbm.Dataset(X, y), 3)
    found = counterfactual(spinney.from_lightgbm(plain), X[0])
    assert found.optimal
