"""Ranks, weights, groups, members and spreads of conformal prediction, against plain Python."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta, kstest

from spinney import DecisionTreeRegressor
from spinney.ensemble import conformal
from tests.compiled import slow
from tests.oracles import conformal as oracle

LEVELS = (0.1, 0.5, 0.55, 0.7, 0.9, 0.95, 0.99)


@pytest.mark.parametrize("seed", range(30))
def test_quantiles_are_those_of_the_oracle(seed):
    random = np.random.RandomState(seed)
    n = random.randint(1, 40)
    scores = random.randint(0, 12, n) / 4.0  # with ties
    counts = random.randint(1, 5, n) if seed % 2 else None
    times = random.randint(0, 8, n) if seed % 3 == 0 else None
    kept = conformal.by_scores("split", scores, counts, times)
    weights, own = (counts, 1) if times is None else (np.array(oracle.time_ranks(times)), n)
    if counts is not None and times is not None:
        weights = weights * counts
    for level in LEVELS:
        found = kept.quantile(conformal.read_level(level))[0]
        assert found == oracle.quantile(scores.tolist(), level, None if weights is None else weights.tolist(), own)


def test_levels_are_ranks_in_integers():
    """0.7 * 10 is more than 7 in floating point."""
    assert conformal.rank(9, conformal.read_level(0.7)) == 7
    assert conformal.read_level(np.float32(0.5)) == Fraction(1, 2)
    assert conformal.fewest_rows(conformal.read_level(0.95)) == 19
    assert np.isfinite(conformal.nth_score(np.arange(19.0), None, conformal.read_level(0.95)))
    assert conformal.nth_score(np.arange(18.0), None, conformal.read_level(0.95)) == np.inf


def test_whole_weights_are_repetitions():
    random = np.random.RandomState(0)
    scores, counts = random.rand(50), random.randint(1, 6, 50)
    weighted = conformal.by_scores("cv", scores, counts)
    repeated = conformal.by_scores("cv", np.repeat(scores, counts))
    for level in LEVELS:
        wanted = conformal.read_level(level)
        assert weighted.quantile(wanted) == repeated.quantile(wanted)


def test_each_group_has_a_quantile_of_its_own():
    random = np.random.RandomState(1)
    scores, group = random.rand(200), random.choice(["a", "b", "c"], 200)
    kept = conformal.by_scores("split", scores, labels=group, by="place")
    level = conformal.read_level(0.8)
    found = kept.quantile(level, kept.numbers_of(np.array(["c", "a", "?"], object)))
    assert found.tolist() == [
        oracle.quantile(scores[group == "c"].tolist(), 0.8),
        oracle.quantile(scores[group == "a"].tolist(), 0.8),
        np.inf,
    ]


@pytest.mark.parametrize("seed", range(20))
def test_jackknife_plus_is_that_of_the_oracle(seed):
    random = np.random.RandomState(seed)
    n, members = random.randint(3, 30), random.randint(2, 9)
    unseen = random.rand(n, members) < 0.4
    unseen[np.arange(n), random.randint(0, members, n)] = True
    answers, residuals = random.randn(5, members), np.abs(random.randn(n))
    for level in (0.5, 0.8, 0.9):
        low, high = conformal.plus_intervals(answers, unseen, residuals, conformal.read_level(level))
        for k, one in enumerate(answers.tolist()):
            wanted = oracle.plus_interval(one, unseen.tolist(), residuals.tolist(), level)
            assert (low[k], high[k]) == pytest.approx(wanted, rel=1e-13, abs=1e-15)


def test_rows_do_not_depend_on_the_block_they_are_in(monkeypatch):
    random = np.random.RandomState(2)
    unseen, answers, residuals = random.rand(40, 7) < 0.6, random.randn(30, 7), random.rand(40)
    unseen[:, 0] = True
    level = conformal.read_level(0.9)
    whole = conformal.plus_intervals(answers, unseen, residuals, level)
    monkeypatch.setattr(conformal, "_CELLS", 1)
    assert np.array_equal(whole, conformal.plus_intervals(answers, unseen, residuals, level))


def test_sets_are_those_of_the_oracle():
    random = np.random.RandomState(3)
    scores, shares = random.rand(30), random.dirichlet(np.ones(4), 50)
    quantile = conformal.by_scores("split", scores).quantile(conformal.read_level(0.6))
    for row, share in zip(conformal.class_sets(shares, quantile), shares.tolist()):
        assert np.flatnonzero(row).tolist() == oracle.members_of_set(share, scores.tolist(), 0.6)


@pytest.mark.parametrize("counts", [None, np.random.RandomState(5).randint(1, 4, 3_000)])
def test_thinned_scores_never_make_a_quantile_smaller(counts):
    scores = np.random.RandomState(4).rand(3_000)
    whole = conformal.by_scores("cv", scores, counts)
    fewer = conformal.thinned(whole, 100)
    assert len(fewer.scores) == 100
    assert fewer.weights.sum() == (3_000 if counts is None else counts.sum())
    for level in LEVELS:
        wanted = conformal.read_level(level)
        exact, found = whole.quantile(wanted)[0], fewer.quantile(wanted)[0]
        assert exact <= found
        assert np.sum((scores > exact) & (scores <= found)) < 30  # that one score stands for


def test_a_spread_is_found_where_there_is_one():
    random = np.random.RandomState(6)
    predicted = random.rand(2_000)
    noise = np.abs(random.randn(2_000))
    assert conformal.spread_if_narrower(predicted, noise) is None
    curve = conformal.spread_if_narrower(predicted, noise * (0.1 + predicted))
    assert np.corrcoef(curve.of(predicted), predicted)[0, 1] > 0.95
    assert conformal.spread_if_narrower(predicted, np.zeros(2_000)) is None
    assert conformal.spread_if_narrower(predicted[:50], noise[:50] * predicted[:50]) is None


def test_spreads_are_those_of_numpy():
    """Between its knots, a curve is linear, and beyond them constant."""
    random = np.random.RandomState(7)
    curve = conformal.SpreadCurve(np.sort(random.randn(20)), random.rand(20) + 0.1)
    at = np.concatenate([curve.prediction, random.randn(500), [-np.inf, np.inf, -1e300]])
    np.testing.assert_allclose(curve.of(at), np.interp(at, curve.prediction, curve.size), rtol=1e-13)
    assert conformal.SpreadCurve(np.zeros(1), np.full(1, 2.0)).of(np.array([-1.0, 1.0])).tolist() == [2.0, 2.0]
    answers = random.randn(50, 13)
    np.testing.assert_allclose(conformal.spread_of_members(answers), answers.std(axis=1), rtol=1e-13)


def test_a_class_of_the_bounds_own_probability_is_in_the_set():
    """In other last bits, too."""
    shares = np.array([[0.3, 0.7], [np.nextafter(0.3, 0), np.nextafter(0.7, 1)]])
    assert conformal.class_sets(shares, np.array([0.7])).tolist() == [[True, True], [True, True]]


def _coverages(n_splits, n_rows, level):
    """The true coverage of intervals calibrated on uniform residuals, split by split."""
    model = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0]], [0.0, 0.0])
    random = np.random.RandomState(0)
    found = []
    for _ in range(n_splits):
        rows = random.rand(n_rows, 1)
        low, high = model.calibrate(rows, random.uniform(-1, 1, n_rows)).predict_interval([[0.5]], level)[0]
        found.append((min(high, 1.0) - max(low, -1.0)) / 2.0)
    return found


@pytest.mark.parametrize("n_splits", [100, *slow([1_000])])
@pytest.mark.parametrize(("n_rows", "level"), [(50, 0.9), (99, 0.8)])
def test_coverage_over_splits_follows_the_beta_law(n_splits, n_rows, level):
    """Of n calibration rows, coverage is distributed as Beta(k, n + 1 - k): Vovk 2012, proposition 2a."""
    k = conformal.rank(n_rows, conformal.read_level(level))
    found = _coverages(n_splits, n_rows, level)
    assert kstest(found, beta(k, n_rows + 1 - k).cdf).pvalue > 1e-3
    assert np.mean(found) >= level - 4 * beta(k, n_rows + 1 - k).std() / np.sqrt(n_splits)
