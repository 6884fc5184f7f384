"""Alpha by cross-validation: the curve is the one that a grid search finds the slow way."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit

from spinney import prune
from spinney.prune.cost_complexity import full_path
from spinney.prune.cost_complexity_cv import _errors_along
from spinney.prune.pruned_copy import with_tree
from spinney.prune.validation import find_errors, judge
from spinney.tree.decision import STOPS
from tests.prune.drawn import draw
from tests.prune.from_sklearn import ClassTree, NumberTree

pytestmark = pytest.mark.kernels


def make_case(kind, n=150, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.randint(0, 15, (n, 3)).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * (X[:, 2] > 7)
    if kind == "classes":
        return ClassTree(), X, np.array(["low", "mid", "high"])[(signal + rng.randn(n) * 4 > [[9], [20]]).sum(axis=0)]
    return NumberTree(), X, signal + rng.randn(n) * 4


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_curve_is_that_of_a_grid_search(kind):
    model, X, y = make_case(kind)
    pruned = prune.cost_complexity_cv(model, X, y)
    curve = pruned.pruning_curve_
    grid = GridSearchCV(model, {"ccp_alpha": np.minimum(curve.alphas, 1e300)}, cv=5).fit(X, y)
    np.testing.assert_allclose(curve.mean, grid.cv_results_["mean_test_score"], atol=1e-12)
    folds = [grid.cv_results_[f"split{k}_test_score"] for k in range(5)]
    np.testing.assert_allclose(curve.scores, np.transpose(folds), atol=1e-12)
    np.testing.assert_allclose(curve.standard_error, np.std(folds, axis=0, ddof=1) / np.sqrt(5))
    assert curve.mean[curve.chosen] == pytest.approx(grid.best_score_)
    assert pruned.get_n_leaves() == curve.n_leaves[curve.chosen] < curve.n_leaves[0]


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_alphas_stand_for_the_subtrees_of_all_rows(kind):
    model, X, y = make_case(kind)
    full = model.fit(X, y)
    curve = prune.cost_complexity_cv(full, X, y, cv=3).pruning_curve_
    path = prune.cost_complexity_path(full)
    np.testing.assert_array_equal(curve.path_alphas, np.unique(path.ccp_alphas))
    np.testing.assert_allclose(curve.alphas[:-1] ** 2, curve.path_alphas[:-1] * curve.path_alphas[1:])
    assert curve.alphas[-1] == np.inf
    for alphas in (curve.alphas, curve.path_alphas):
        assert [prune.cost_complexity(full, alpha).get_n_leaves() for alpha in alphas] == curve.n_leaves.tolist()


def test_the_model_that_comes_back():
    model, X, y = make_case("classes")
    model.set_params(ccp_alpha=0.001)
    from_new = prune.cost_complexity_cv(model, X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert from_new.ccp_alpha == 0.001
    full = ClassTree().fit(X, y)
    before = full.fingerprint_
    from_fitted = prune.cost_complexity_cv(full, X, y)
    assert full.fingerprint_ == before
    assert not hasattr(full, "pruning_curve_")
    assert from_fitted.fingerprint_ == from_new.fingerprint_
    again = ClassTree(ccp_alpha=from_fitted.pruning_curve_.alpha).fit(X, y)
    assert again.fingerprint_ == from_fitted.fingerprint_


def test_one_standard_error():
    model, X, y = make_case("numbers")
    best = prune.cost_complexity_cv(model, X, y)
    simple = prune.cost_complexity_cv(model, X, y, rule="one_se")
    curve = simple.pruning_curve_
    assert curve.best == best.pruning_curve_.chosen == best.pruning_curve_.best
    assert simple.get_n_leaves() < best.get_n_leaves()
    enough = curve.mean >= curve.mean[curve.best] - curve.standard_error[curve.best]
    assert curve.chosen == np.flatnonzero(enough)[-1]
    assert "PruningCurve(alpha" in repr(curve)


@pytest.mark.parametrize("kind, scoring", [("classes", "accuracy"), ("numbers", "r2")])
def test_a_scorer_is_asked_for_what_is_otherwise_summed_up(kind, scoring):
    model, X, y = make_case(kind)
    weight = np.random.RandomState(1).randint(0, 3, len(X)).astype(float)
    at_once = prune.cost_complexity_cv(model, X, y, sample_weight=weight)
    asked = prune.cost_complexity_cv(model, X, y, sample_weight=weight, scoring=scoring)
    np.testing.assert_allclose(asked.pruning_curve_.scores, at_once.pruning_curve_.scores, atol=1e-12)
    assert asked.fingerprint_ == at_once.fingerprint_


def test_any_scorer():
    model, X, y = make_case("classes")
    by_name = prune.cost_complexity_cv(model, X, y, scoring="neg_log_loss").pruning_curve_
    own = prune.cost_complexity_cv(model, X, y, scoring=get_scorer("neg_log_loss")).pruning_curve_
    np.testing.assert_array_equal(by_name.scores, own.scores)
    assert (own.scores < 0).all()
    by_leaves = prune.cost_complexity_cv(model, X, y, scoring=lambda model, X, y: model.get_n_leaves())
    assert (np.diff(by_leaves.pruning_curve_.mean) <= 0).all()
    assert (by_leaves.pruning_curve_.scores[-1] == 1).all()


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_several_outputs(kind):
    model, X, y = make_case(kind)
    both = np.column_stack([y, y[::-1]])
    curve = prune.cost_complexity_cv(model, X, both, cv=KFold(4)).pruning_curve_
    kept, held = list(KFold(4).split(X))[1]
    fold = type(model)().fit(X[kept], both[kept])
    for k in (0, len(curve.alphas) // 2, len(curve.alphas) - 1):
        predicted = prune.cost_complexity(fold, curve.alphas[k]).predict(X[held])
        if kind == "classes":
            expected = (predicted == both[held]).mean()
        else:
            residual = ((predicted - both[held]) ** 2).sum(axis=0)
            expected = np.mean(1 - residual / ((both[held] - both[held].mean(axis=0)) ** 2).sum(axis=0))
        assert curve.scores[k, 1] == pytest.approx(expected)


def test_splitters_groups_jobs_and_tables():
    pandas = pytest.importorskip("pandas")
    model, X, y = make_case("numbers")
    groups = np.arange(len(X)) % 7
    grouped = prune.cost_complexity_cv(model, X, y, groups=groups, cv=GroupKFold(3)).pruning_curve_
    listed = list(GroupKFold(3).split(X, y, groups))
    np.testing.assert_array_equal(
        grouped.scores, prune.cost_complexity_cv(model, X, y, cv=listed).pruning_curve_.scores
    )
    frame = pandas.DataFrame(X, columns=["a", "b", "c"], index=np.arange(len(X))[::-1])
    threads = prune.cost_complexity_cv(model, frame, pandas.Series(y), cv=listed, n_jobs=2).pruning_curve_
    np.testing.assert_array_equal(grouped.scores, threads.scores)
    once = prune.cost_complexity_cv(model, X, y, cv=ShuffleSplit(1, random_state=0), rule="one_se").pruning_curve_
    assert (once.standard_error == 0).all()


def test_a_class_that_a_fold_has_not_seen_is_answered_wrongly():
    model, X, y = make_case("classes")
    y = np.where(np.arange(len(y)) < 5, "rare", y)
    first = [(np.arange(5, 150), np.arange(0, 30))]
    curve = prune.cost_complexity_cv(model, X, y, cv=first).pruning_curve_
    fold = ClassTree().fit(X[5:], y[5:])
    assert curve.scores[0, 0] == pytest.approx((fold.predict(X[:30]) == y[:30]).mean())


def test_a_constant_target():
    model, X, y = make_case("numbers")
    curve = prune.cost_complexity_cv(model, X, np.ones(len(X)))
    assert curve.get_n_leaves() == 1
    assert (curve.pruning_curve_.scores == 1.0).all()


@pytest.mark.parametrize("is_class", [True, False])
def test_rows_that_stop_on_the_way_are_judged_there(is_class):
    for seed in range(20):
        case = draw(seed, is_class, missing=STOPS)
        tree = case.model.tree_
        path = full_path(tree)
        alphas = np.concatenate([np.unique(path.alphas), [np.inf]])
        errors = find_errors(tree, judge(case.model, case.X, case.y, case.weight))
        along = _errors_along(tree, path, errors, alphas)[:, 0]
        for alpha, ours in zip(alphas, along):
            predicted = with_tree(case.model, tree.collapse(path.cut_at <= alpha)).predict(case.X)
            loss = predicted != case.y[:, 0] if is_class else (predicted - case.y[:, 0]) ** 2
            assert ours == pytest.approx((case.weight * loss).sum(), abs=1e-9)


def test_errors():
    model, X, y = make_case("numbers")
    with pytest.raises(ValueError, match="rule must be 'best' or 'one_se', got 'two_se'"):
        prune.cost_complexity_cv(model, X, y, rule="two_se")
    with pytest.raises(ValueError, match="model was fitted on 150 rows, but X has 100"):
        prune.cost_complexity_cv(model.fit(X, y), X[:100], y[:100])
    with pytest.raises(TypeError, match="model must be a fitted model of one Spinney decision tree"):
        prune.cost_complexity_cv(LinearRegression(), X, y)
