"""Linear leaves: slopes are NumPy's, and every way to fit and to predict knows them."""

import pickle
from types import SimpleNamespace

import numpy as np
import pandas
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import spinney
from spinney import GradientBoostingClassifier as Classifier
from spinney import GradientBoostingRegressor as Regressor
from spinney._compile import PLAIN_PYTHON
from spinney._team import Team
from spinney.criteria.losses import SquaredError
from spinney.data.weights import Weights
from spinney.ensemble.boosting.fit import has_gained
from tests.compiled import few
from tests.oracles import linear_leaves as oracle


def table(n=400, seed=0, missing=0.1):
    """Numbers, some missing, and a column of categories."""
    rng = np.random.RandomState(seed)
    X = rng.randn(n, 4)
    X[rng.rand(n, 4) < missing] = np.nan
    X[:, 3] = rng.randint(0, 4, n)
    y = 2 * np.nan_to_num(X[:, 0]) + np.sin(2 * np.nan_to_num(X[:, 1])) * (X[:, 3] > 1) + 0.1 * rng.randn(n)
    return X, y


def linear(kind=Regressor, **others):
    return kind(**{"leaves": "linear", "n_estimators": 8, "max_leaf_nodes": 6, "categorical_features": [3]} | others)


X, Y = table()


@pytest.fixture(scope="module")
def fitted():
    return linear().fit(X, Y)


def check_every_leaf(model, X, y, weight):
    """All terms of a model of squared error against the reference implementation."""
    scores, forest, n_terms = np.full(len(X), model._booster.start[0]), model.forest_, 0
    before = [scores, *model.staged_predict(X)]
    is_category = [False, False, False, True]
    for t, leaves in enumerate(model.apply(X).T):
        tree = forest.tree(t)
        gradient = (before[t] - y).astype(np.float32).astype(np.float64) * weight
        for leaf in np.flatnonzero(tree.is_leaf):
            rows = (leaves == leaf) & (weight > 0)
            columns = oracle.path_columns(tree, leaf, is_category)
            expected = oracle.terms_of_leaf(X[rows], columns, gradient[rows], weight[rows], model.learning_rate_)
            found = {column: line for column, line in forest.terms.of(forest.first[t] + leaf)}
            for column, *line in expected:
                got = found.pop(column, [0.0, *line[1:]])
                reach = max(line[3] - line[1], line[1] - line[2])
                largest = abs(gradient[rows]).max() * model.learning_rate_
                assert abs(got[0] - line[0]) * reach <= 1e-9 * max(largest, abs(line[0]) * reach)
                np.testing.assert_allclose(got[1:], line[1:], rtol=1e-9, atol=1e-9 * reach)
                n_terms += 1
            assert not found
    return n_terms


@few(25)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(60, 400),
    missing=st.sampled_from((0.0, 0.2, 0.6)),
    weights=st.sampled_from(("none", "repeats")),
    rate=st.sampled_from((0.1, 1.0)),
)
def test_slopes_are_those_of_a_ridge_in_every_leaf(seed, n, missing, weights, rate):
    X, y = table(n, seed, missing)
    weight = np.random.RandomState(seed).randint(0, 4, n) if weights == "repeats" else None
    model = linear(learning_rate=rate, n_estimators=3, min_samples_leaf=5).fit(X, y, weight)
    assert check_every_leaf(model, X, y, np.ones(n) if weight is None else weight.astype(np.float64)) > 0


def test_slopes_are_right_among_outliers():
    """Sums about the middle of a wide range would have few digits."""
    X, y = table(missing=0.0)
    X[0, 0], X[1, 1], X[:, 2] = 1e7, -1e9, 1e6 + 1e-3 * X[:, 2]
    y = y + 1e3 * (X[:, 2] - 1e6)
    assert check_every_leaf(linear(n_estimators=2, min_samples_leaf=5).fit(X, y), X, y, np.ones(len(X))) > 10


def test_predictions_are_sums_of_lines(fitted):
    expected = fitted._booster.start[0] + oracle.predict(fitted.forest_, fitted.apply(X), X)
    np.testing.assert_allclose(fitted.predict(X), expected, rtol=1e-12, atol=1e-12)
    assert fitted.forest_.n_terms.sum() > 20


@pytest.mark.parametrize("kind", [Regressor, Classifier])
def test_any_number_of_threads_gives_the_same_bits(kind):
    X, y = table(70_000)
    y = y if kind is Regressor else np.digitize(y, [-1, 1])
    prints = {linear(kind, n_jobs=n, n_estimators=2).fit(X, y).fingerprint_ for n in (1, 2, 5)}
    assert len(prints) == 1


def test_the_order_of_rows_does_not_matter(fitted):
    order = np.random.RandomState(0).permutation(len(X))
    assert linear().fit(X[order], Y[order]).fingerprint_ == fitted.fingerprint_


def test_slopes_of_zero_are_constant_leaves():
    """A table of categories has no columns for lines: the trees, and predictions, are those of constant leaves."""
    codes = np.random.RandomState(0).randint(0, 5, (300, 2)).astype(float)
    y = codes.sum(axis=1) + np.random.RandomState(1).randn(300)
    options = {"n_estimators": 5, "categorical_features": [0, 1]}
    plain = Regressor(**options).fit(codes, y)
    other = Regressor(**options, leaves="linear").fit(codes, y)
    assert other.forest_.n_terms.sum() == 0
    assert (other.predict(codes) == plain.predict(codes)).all()
    np.testing.assert_array_equal(other.forest_.answers, plain.forest_.answers)


def test_the_first_tree_has_the_splits_and_values_of_a_constant_one():
    options = {"n_estimators": 1, "max_leaf_nodes": 6, "categorical_features": [3]}
    plain, other = Regressor(**options).fit(X, Y).forest_, linear(n_estimators=1).fit(X, Y).forest_
    np.testing.assert_array_equal(other.answers, plain.answers)
    np.testing.assert_array_equal(other.thresholds(), plain.thresholds())


def test_repeated_rows_are_weights():
    weight = np.random.RandomState(0).randint(0, 4, len(X))
    some = np.repeat(np.arange(len(X)), weight)
    assert linear().fit(X, Y, weight).fingerprint_ == linear().fit(X[some], Y[some]).fingerprint_


def test_importances_are_equal_up_to_their_unit(fitted):
    weight = np.random.RandomState(0).uniform(0.1, 3.0, len(X))
    one, other = (linear().fit(X, Y, factor * weight) for factor in (1.0, 1024.0))
    assert one.fingerprint_ == other.fingerprint_
    assert np.abs(one.predict(X) - fitted.predict(X)).max() > 1e-3


def test_the_target_may_be_scaled(fitted):
    model = linear().fit(X, Y * 2.0**40)
    np.testing.assert_allclose(model.predict(X), fitted.predict(X) * 2.0**40, rtol=1e-6, atol=2.0**40 * 1e-6)


def test_rows_one_by_one_staged_cut_pickled_saved_and_tree_by_tree(tmp_path, fitted):
    expected = fitted.predict(X)
    assert [fitted.predict_row(row) for row in X[:40]] == expected[:40].tolist()
    assert [fitted.predict(row[None])[0] for row in X[:40]] == expected[:40].tolist()
    staged = [one.copy() for one in fitted.staged_predict(X)]
    np.testing.assert_array_equal(staged[-1], expected)
    np.testing.assert_array_equal(fitted[:3].predict(X), staged[2])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), expected)
    spinney.save(fitted, tmp_path / "model.spinney")
    stored = spinney.load(tmp_path / "model.spinney")
    assert stored.fingerprint_ == fitted.fingerprint_
    np.testing.assert_array_equal(stored.predict(X), expected)
    sums = fitted._booster.start[0] + sum(tree.predict(X) for (tree,) in fitted)
    np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-12)


def test_tables_of_all_kinds():
    numbers = np.nan_to_num(X[:, :3])
    numbers[np.abs(numbers) < 0.5] = 0.0
    model = Regressor(leaves="linear", n_estimators=5).fit(numbers, Y)
    expected = model.predict(numbers)
    np.testing.assert_array_equal(model.predict(scipy.sparse.csr_matrix(numbers)), expected)
    np.testing.assert_array_equal(model.predict(np.asfortranarray(numbers)), expected)
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(np.float32), "c": X[:, 3].astype(int).astype(str)})
    model = Regressor(leaves="linear", n_estimators=5).fit(frame, Y)
    expected = model.predict(frame)
    assert [model.predict_row(row) for row in frame.head(30).to_dict("records")] == expected[:30].tolist()


def test_several_classes_and_two():
    for classes in (np.digitize(Y, [-1, 1]), (Y > 0).astype(int)):
        model, plain = linear(Classifier).fit(X, classes), linear(Classifier, leaves="constant").fit(X, classes)
        chances = model.predict_proba(X)
        np.testing.assert_allclose(chances.sum(axis=1), 1.0)
        assert model.score(X, classes) > 0.9
        assert (
            -np.log(chances[np.arange(len(X)), classes]).mean()
            < -np.log(plain.predict_proba(X)[np.arange(len(X)), classes]).mean()
        )
        np.testing.assert_array_equal(list(model.staged_predict_proba(X))[-1], chances)


def test_nothing_extrapolates_unless_asked():
    x = np.linspace(0.0, 1.0, 200)[:, None]
    far = np.array([[-3.0], [4.0], [np.inf], [-np.inf]])
    options = {"leaves": "linear", "n_estimators": 50, "max_leaf_nodes": 2}
    held = Regressor(**options).fit(x, 5 * x[:, 0])
    np.testing.assert_allclose(held.predict(far[:2]), held.predict([[0.0], [1.0]]))
    free = Regressor(**options, extrapolate=True).fit(x, 5 * x[:, 0])
    np.testing.assert_array_equal(free.predict(x), held.predict(x))
    np.testing.assert_allclose(free.predict(far[:2]), [-15.0, 20.0], rtol=0.1)
    assert np.isfinite(free.predict(far)).all()


def test_missing_values_get_the_constant():
    x = np.linspace(0.0, 1.0, 200)[:, None].repeat(2, axis=1)
    x[::3, 0] = np.nan
    model = Regressor(leaves="linear", n_estimators=1, max_leaf_nodes=2).fit(x[:, :1], 5 * x[:, 1])
    (leaf,) = model.apply([[np.nan]])[0]
    assert model.predict([[np.nan]])[0] == model._booster.start[0] + model.forest_.answers[leaf, 0, 0]


@few(15)
@given(
    seed=st.integers(0, 10**6),
    directions=st.lists(st.sampled_from((-1, 0, 1)), min_size=3, max_size=3),
    loss=st.sampled_from(("squared_error", "huber", "poisson")),
)
def test_monotone_constraints_hold(seed, directions, loss):
    """On a fine grid: every pair of neighbours along every column."""
    rng = np.random.RandomState(seed)
    X = rng.uniform(0.0, 4.0, (200, 3))
    X[rng.rand(200) < 0.1, 1] = np.nan
    y = np.nan_to_num(X) @ rng.randn(3) + np.sin(3 * X[:, 0]) + rng.randn(200)
    y = np.exp(y - y.max()) if loss == "poisson" else y
    model = Regressor(
        loss, monotonic_cst=directions, n_estimators=15, learning_rate=0.5, min_samples_leaf=5, leaves="linear"
    ).fit(X, y)
    n = 12
    grid = np.stack(np.meshgrid(*[np.linspace(-1.0, 5.0, n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    answers = model.predict(grid).reshape(n, n, n)
    for column, direction in enumerate(directions):
        if direction:
            assert (direction * np.diff(answers, axis=column) >= -1e-9 * np.abs(answers).max()).all()


@pytest.mark.parametrize(
    "options",
    [
        {"subsample": 0.6},
        {"ccp_alpha": 1.0},
        {"min_split_gain": 1.0},
        {"max_features": 0.5, "max_features_per_tree": 0.7},
        {"interaction_cst": "no_interactions"},
        {"growth": "level_wise", "max_depth": 3},
        {"loss": "poisson"},
        {"loss": "gamma"},
        {"loss": "huber"},
        {"init": "zero"},
    ],
    ids=str,
)
def test_scores_of_a_fit_are_its_predictions(options):
    """The training loss that a fit keeps is that of what it predicts."""
    y = np.exp(Y / 4) if options.get("loss") in ("poisson", "gamma") else Y
    model = linear(**options).fit(X, y, eval_set=(X, y))
    by_fit = model.evals_result_["valid"]
    (values,) = by_fit.values()
    again = Regressor(**model.get_params() | {"n_estimators": 8}).fit(X, y)
    assert again.fingerprint_ == model.fingerprint_
    if "subsample" not in options and "loss" not in options:
        factor = model.train_score_[-1] / values[-1]
        np.testing.assert_allclose(model.train_score_, factor * np.array(values), rtol=1e-9)
    plain = linear(**options, leaves="constant").fit(X, y)
    assert model.train_score_[-1] < plain.train_score_[-1]


def test_early_stopping_and_the_search_for_rounds():
    X, y = table(1500)
    stopped = linear(n_estimators=300, early_stopping=True, learning_rate=0.3).fit(X, y)
    assert 1 < stopped.n_estimators_ < 300
    held = linear(n_estimators=300, n_iter_no_change=5, learning_rate=0.3).fit(
        X[:1000], y[:1000], eval_set=(X[1000:], y[1000:])
    )
    best = held.evals_result_["valid"]["squared_error"][held.best_iteration_ - 1]
    np.testing.assert_allclose(np.mean((held.predict(X[1000:]) - y[1000:]) ** 2), best, rtol=1e-9)
    chosen = Regressor(leaves="linear", max_leaf_nodes=6).fit(X, y)
    losses = chosen.evals_result_["held_out"]["squared_error"]
    assert min(losses) == losses[np.argmin(losses)]
    assert chosen.n_estimators_ > 10


@pytest.mark.skipif(PLAIN_PYTHON, reason="a minute and more in plain Python")
def test_a_mean_of_several_models():
    X, y = table(800)
    model = Regressor(quality=4, leaves="linear").fit(X, y)
    by_trees = model._booster.start[0] + oracle.predict(model.forest_, model.apply(X[:5]), X[:5])
    np.testing.assert_allclose(model.predict(X[:5]), by_trees, rtol=1e-9)
    assert model.score(X, y) > 0.95
    assert list(model.evals_result_) == ["held_out", "held_out_2", "held_out_3", "held_out_4"]


def lines_and_steps():
    """A smooth target, and one of steps, of the same columns."""
    A = np.random.RandomState(0).randint(0, 2, (400, 3)) + np.random.RandomState(1).uniform(-0.1, 0.1, (400, 3))
    noise = 0.3 * np.random.RandomState(2).randn(400)
    return A, {"linear": 20 * A[:, 0] * A[:, 1] + noise, "constant": 3.0 * (A > 0.5) @ [1, 2, 3] + noise}


AUTO = {"learning_rate": 0.3, "random_state": 0}


@pytest.mark.parametrize("best", ["linear", "constant"])
def test_auto_is_the_better_of_both(best):
    A, targets = lines_and_steps()
    y = targets[best]
    auto, *both = (Regressor(leaves=one, **AUTO).fit(A, y) for one in ("auto", "constant", "linear"))
    assert auto.leaves_ == best
    assert auto.fingerprint_ == both[best == "linear"].fingerprint_
    curves = [one.evals_result_["held_out"] for one in both]
    assert [auto.evals_result_["held_out"], auto.evals_result_["held_out_2"]] == curves
    assert auto.predict_interval(A).tolist() == both[best == "linear"].predict_interval(A).tolist()


@few(200)
@given(seed=st.integers(0, 10**6), weights=st.sampled_from(("none", "repeats", "importances")))
def test_auto_compares_the_weighted_gain_with_its_standard_error(seed, weights):
    """Two folds of held-out rows, whose gain is about as large as chance."""
    rng = np.random.RandomState(seed)
    y, first = rng.randn(2, 60)
    second = y + (first - y) * np.sqrt(1 + rng.uniform(0.2, 1.2) * (rng.rand(60) - 0.65))
    often = rng.randint(0, 4, 60) if weights == "repeats" else np.ones(60, np.int64)
    factor = rng.uniform(0.5, 2.0, 60) if weights == "importances" else None
    folds = [slice(0, 25), slice(25, 60)]
    sets = [
        SimpleNamespace(y=y[some], weights=Weights(often[some], None if factor is None else factor[some]))
        for some in folds
    ]
    one, other = (SimpleNamespace(best=1, raw=[by[None, some] for some in folds], sets=sets) for by in (first, second))
    gains = np.repeat(((first - y) ** 2 - (second - y) ** 2) / 2, often)
    share = None if factor is None else factor
    mean = np.average(gains, weights=share)
    error = np.sqrt(np.average((gains - mean) ** 2, weights=share) / len(gains))
    job = SimpleNamespace(task=SimpleNamespace(loss=SquaredError()))
    with Team(1) as team:
        assert has_gained(job, one, other, team) == (mean > error)
    assert 0.0 < abs(mean / error) < 30.0


def test_auto_of_classes_and_of_several_models():
    A, targets = lines_and_steps()
    classes = (targets["linear"] > 10).astype(int) + (targets["linear"] > 18)
    for kind, y, level in ((Classifier, classes, 3), (Regressor, targets["linear"], 4)):
        auto, linear = (kind(leaves=one, quality=level, **AUTO).fit(A, y) for one in ("auto", "linear"))
        n_models = 4 if level == 4 else 1
        assert len(auto.evals_result_) == len(linear.evals_result_) + 1 == n_models + 1
        assert auto.fingerprint_ in (linear.fingerprint_, kind(quality=level, **AUTO).fit(A, y).fingerprint_)
    assert auto.fingerprint_ == linear.fingerprint_


@pytest.mark.parametrize(
    "options",
    [{"max_bins": None}, {"loss": "absolute_error"}, {"n_estimators": 5}, {"categorical_features": [0, 1, 2]}],
    ids=str,
)
def test_auto_is_constant_where_lines_cannot_be_tried(options):
    A, targets = lines_and_steps()
    A = A.round() if "categorical_features" in options else A
    one, other = (
        Regressor(leaves=leaves, **AUTO | options).fit(A, targets["linear"]) for leaves in ("auto", "constant")
    )
    assert one.fingerprint_ == other.fingerprint_
    assert one.evals_result_ == other.evals_result_


def test_auto_goes_on_with_the_leaves_that_it_has():
    A, targets = lines_and_steps()
    for leaves, y in targets.items():
        model = Regressor(leaves="auto", **AUTO).fit(A, y)
        more = model.set_params(n_estimators=len(model) + 3, warm_start=True).fit(A, y)
        assert more.leaves_ == leaves
        assert (more.forest_.part(range(more.n_estimators_ - 3, more.n_estimators_)).n_terms.sum() > 0) == (
            leaves == "linear"
        )
    model = Regressor(leaves="auto", **AUTO).fit(A, targets["linear"])
    model.set_params(n_estimators=len(model) + 3, warm_start=True, max_bins=None)
    with pytest.raises(ValueError, match="needs bins, but max_bins is None"):
        model.fit(A, targets["linear"])


def test_tables_on_a_cluster_are_refused():
    dask = pytest.importorskip("dask.array")
    client = pytest.importorskip("distributed").Client(processes=False, n_workers=1, dashboard_address=None)
    with client, pytest.raises(ValueError, match="leaves='linear' needs a table in memory"):
        linear().fit(dask.from_array(X, chunks=(200, 4)), dask.from_array(Y, chunks=200))


def test_a_warm_start_goes_on(fitted):
    model = linear(n_estimators=3, warm_start=True).fit(X, Y)
    model.set_params(n_estimators=8).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), fitted.predict(X), rtol=1e-6)
    model.set_params(n_estimators=9, leaves="constant")
    with pytest.raises(ValueError, match="leaves='constant' does not continue the previous fit, which has linear"):
        model.fit(X, Y)


def test_cross_validation_on_opened_tables():
    found = spinney.evaluate.cross_validate(linear(), X, Y, cv=3)
    assert np.mean(found["test_score"]) > 0.7


def test_every_round_is_cross_validated():
    result = spinney.boosting_cv(linear(), X, Y, cv=3, return_estimator=True)
    (curve,) = result.test.values()
    assert len(curve) == 8
    assert curve[-1].mean() < 0.7 * curve[0].mean()
    assert all(model.forest_.is_linear for model in result.estimators)


def test_pruned_branches_are_constant(fitted):
    pruned = spinney.prune.cost_complexity(fitted, 60.0)
    forest = pruned.forest_
    assert forest.n_nodes < fitted.forest_.n_nodes
    assert forest.is_linear
    np.testing.assert_allclose(
        pruned.predict(X), pruned._booster.start[0] + oracle.predict(forest, pruned.apply(X), X), rtol=1e-12, atol=1e-12
    )
    root = spinney.prune.cost_complexity(fitted, 1e9).forest_
    assert root.n_nodes == 8
    assert not root.n_terms.any()
    assert not len(root.term)


def test_lines_beat_steps_on_a_smooth_target():
    rng = np.random.RandomState(0)
    A = rng.uniform(-2, 2, (3000, 3))
    y = A[:, 0] * A[:, 1] + 2 * A[:, 2] + 0.05 * rng.randn(3000)
    errors = []
    for leaves in ("constant", "linear"):
        model = Regressor(leaves=leaves, n_estimators=60).fit(A[:2000], y[:2000])
        errors.append(np.mean((model.predict(A[2000:]) - y[2000:]) ** 2))
    assert errors[1] < 0.5 * errors[0]


@pytest.mark.parametrize(
    ("options", "rows", "words"),
    [
        ({"max_bins": None}, X, "needs bins, but max_bins is None"),
        ({"extrapolate": True, "monotonic_cst": [1, 0, 0, 0]}, X, "cannot extrapolate and keep monotonic_cst"),
        ({"device": "cuda"}, X, "is fitted on the CPU only, but device is 'cuda'"),
        ({"loss": "absolute_error"}, X, "needs a loss whose leaves are not quantiles"),
        ({"loss": "quantile", "quantile": 0.3}, X, "needs a loss whose leaves are not quantiles"),
        ({}, scipy.sparse.random(len(X), 20_000, 0.0001, "csr", random_state=0), "needs a dense table"),
    ],
    ids=("exact", "monotone", "gpu", "median", "quantile", "sparse"),
)
def test_what_linear_leaves_cannot_do(options, rows, words):
    with pytest.raises(ValueError, match=rf"leaves='linear' {words}.*or leave leaves='constant'"):
        linear(**{"categorical_features": None} | options).fit(rows, Y)


def test_tables_in_files_are_refused(tmp_path):
    pandas.DataFrame(np.column_stack([np.nan_to_num(X), Y]), columns=list("abcdy")).to_csv(
        tmp_path / "t.csv", index=False
    )
    opened = spinney.open_table(str(tmp_path / "t.csv"), target="y")
    with pytest.raises(ValueError, match="leaves='linear' needs a table in memory"):
        Regressor(leaves="linear", n_estimators=2).fit(opened)
    assert Regressor(leaves="auto", learning_rate=0.5).fit(opened).leaves_ == "constant"
    model = Regressor(leaves="linear", n_estimators=2).fit(pandas.DataFrame(np.nan_to_num(X), columns=list("abcd")), Y)
    np.testing.assert_allclose(model.predict(opened), model.predict(np.nan_to_num(X)))
