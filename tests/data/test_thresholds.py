"""Random thresholds between the middles of bins, beside a search in plain NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._random import uniform
from spinney._team import Team
from spinney.data.encode import MAX_BINS, learn_bins
from spinney.data.tables import Panel, Table
from spinney.data.thresholds import Middles, draw_code, find_middles
from tests.compiled import PLAIN_PYTHON, few, outer

pytestmark = pytest.mark.kernels
MANY = 300 if PLAIN_PYTHON else 20_000


@outer
def draw(place, start, low, high, keys, out):
    for i in range(keys.size):
        out[i] = draw_code(Middles(place, start), 0, low, high, keys[i])


@outer
def draw_uniforms(keys, out):
    for i in range(keys.size):
        out[i] = uniform(keys[i], 0)


def middles_of(column, max_bins=MAX_BINS, dtype=np.float64):
    """(middles, how many bins) of a table of one column."""
    values = np.asarray(column, dtype)[:, None]
    table = Table(len(values), 1, (Panel(values, (0,)),))
    with Team(1, inline=True) as team:
        bins = learn_bins(table, np.zeros(1, bool), None, max_bins, team)
    return find_middles(bins, table), int(bins.n_bins[0]), bins.edges[0]


def draws(middles, low, high, n=MANY, seed=0):
    keys = np.random.RandomState(seed).randint(0, 2**63, n, dtype=np.int64).astype(np.uint64)
    out, chances = np.empty(n, np.int64), np.empty(n)
    draw(*middles, low, high, keys, out)
    draw_uniforms(keys, chances)
    return out, chances


def column_of(kind, random):
    n = 600
    return {
        "even": np.arange(n) / 7.0,
        "two": np.arange(n) % 2,
        "one": np.full(n, 3.5),
        "bell": random.randn(n),
        "heavy": random.standard_cauchy(n) ** 3,
        "gaps": np.where(random.rand(n) < 0.3, np.nan, random.randn(n)),
        "infinite": random.choice([-np.inf, np.inf, 0.0, 1.0, 5.0, np.nan], n),
        "infinities only": random.choice([-np.inf, np.inf], n),
        "huge": random.choice([-1.7e308, 1.7e308, 0.0, 1e300], n),
        "tiny": random.randint(0, 9, n) * 5e-324,
        "missing": np.full(n, np.nan),
    }[kind]


KINDS = ("even", "two", "one", "bell", "heavy", "gaps", "infinite", "infinities only", "huge", "tiny", "missing")


@pytest.mark.parametrize("kind", KINDS)
@few(12, plain=4)
@given(seed=st.integers(0, 10**6), max_bins=st.sampled_from([2, 7, 255]))
def test_draws_are_those_of_a_plain_search(kind, seed, max_bins):
    """The bin below the threshold: the last whose middle is not above it, and never the last one of all."""
    random = np.random.RandomState(seed)
    middles, n_bins, _ = middles_of(column_of(kind, random), max_bins)
    place = middles.place[0, :n_bins]
    assert np.isfinite(place).all()
    assert (np.diff(place) >= 0).all()
    assert place[0] == 0.0
    assert place[-1] in (0.0, 256.0)
    if n_bins == 1:
        return
    low, high = sorted(random.choice(n_bins, 2, replace=False).tolist())
    found, chances = draws(middles, low, high, 60, seed)
    threshold = place[low] + chances * (place[high] - place[low])
    if place[low] == place[high]:
        assert set(found.tolist()) <= set(range(low, high))
        return
    expected = np.searchsorted(place[low:high], threshold, side="right") - 1 + low
    np.testing.assert_array_equal(found, expected)
    assert (found >= low).all()
    assert (found < high).all()


@pytest.mark.parametrize("kind", ["even", "bell", "heavy"])
@pytest.mark.parametrize("part", [(0.0, 1.0), (0.2, 0.7)])
def test_thresholds_are_uniform_on_the_line(kind, part):
    """A bin is as likely as the way from its middle to the next is long (chi-square, 1 in 1000)."""
    middles, n_bins, edges = middles_of(column_of(kind, np.random.RandomState(1)), 40)
    low, high = (round(share * (n_bins - 1)) for share in part)
    place = middles.place[0, :n_bins]
    chance = np.diff(place[low : high + 1]) / (place[high] - place[low])
    found, _ = draws(middles, low, high)
    expected, counted = MANY * chance, np.bincount(found - low, minlength=high - low)
    common = expected >= 5
    assert counted[~common].sum() <= expected[~common].sum() + 5 * np.sqrt(expected[~common].sum() + 1)
    far = ((counted - expected)[common] ** 2 / expected[common]).sum()
    n = max(1, int(common.sum()))
    assert far < n * (1 - 2 / (9 * n) + 3.09 * np.sqrt(2 / (9 * n))) ** 3 + 1  # Wilson and Hilferty


@pytest.mark.parametrize("end", [-1e9, 1e12, 1e300])
def test_one_value_far_away_does_not_hide_the_others(end):
    """Such as -1e9, which stands for something unknown. (The bin next to it reaches half-way there.)"""
    middles, n_bins, _ = middles_of([*np.arange(40.0), end])
    low, high = (2, n_bins - 1) if end < 0 else (0, n_bins - 3)
    found, _ = draws(middles, low, high)
    shares = np.bincount(found - low, minlength=high - low) / MANY
    np.testing.assert_allclose(shares, 1 / (high - low), atol=0.05 if PLAIN_PYTHON else 0.02)


def test_places_are_midway_between_the_edges():
    """1, 2, 4, 8: edges at 1.5, 3 and 6; the outer bins end at 1 and 8."""
    middles, n_bins, edges = middles_of([1.0, 2.0, 4.0, 8.0])
    assert edges.tolist() == [1.5, 3.0, 6.0]
    middle = np.array([1.25, 2.25, 4.5, 7.0])
    np.testing.assert_allclose(middles.place[0, :4], (middle - 1.25) / 5.75 * 256, rtol=1e-6)


def test_tables_say_which_bins_lie_where():
    middles, n_bins, _ = middles_of(np.random.RandomState(0).randn(1000))
    place, start = middles.place[0, :n_bins], middles.start[0]
    np.testing.assert_array_equal(start, [(np.minimum(place.astype(int), 255) < cell).sum() for cell in range(257)])


def test_float32_tables_have_the_same_middles():
    column = np.random.RandomState(0).randn(500).astype(np.float32)
    one, other = middles_of(column, dtype=np.float32)[0], middles_of(column)[0]
    np.testing.assert_array_equal(one.place, other.place)


def test_categories_have_none():
    values = np.column_stack([np.arange(6.0) % 3, np.arange(6.0)])
    table = Table(6, 2, (Panel(values, (0, 1)),))
    with Team(1, inline=True) as team:
        bins = learn_bins(table, np.array([True, False]), None, 255, team)
    middles = find_middles(bins, table)
    assert not middles.place[0].any()
    assert middles.place[1].any()


def test_rows_that_do_not_count_are_no_ends():
    values = np.array([[-9.0], [1.0], [2.0], [5.0], [70.0]])
    with Team(1, inline=True) as team:
        whole, part = (Table(len(one), 1, (Panel(one, (0,)),)) for one in (values, values[1:4]))
        bins = learn_bins(part, np.zeros(1, bool), None, 255, team)
    np.testing.assert_array_equal(find_middles(bins, whole, np.arange(1, 4)).place, find_middles(bins, part).place)
    assert (find_middles(bins, whole).place != find_middles(bins, part).place).any()
