"""What a question is worth: the figures of Quinlan's book, and both formulas against each other."""

import numpy as np
import pytest

from spinney.criteria.information import ROW, gain_ratio, information_gain, make_terms
from spinney.data.schema import learn_and_read
from spinney.datasets import load_tennis
from spinney.grow.multiway.columns import read_columns
from spinney.grow.multiway.memory import make_grown, make_rows
from spinney.grow.multiway.partition import count_segment
from spinney.grow.multiway.search import fill_runs, judge_column, least_side, make_desk
from spinney.grow.rules import BranchRules
from tests.compiled import outer

pytestmark = pytest.mark.kernels

RULES = BranchRules(
    ratio=True,
    spreads=True,
    mdl=True,
    min_leaf=2 * ROW,
    min_split=4 * ROW,
    min_gain=0.0,
    min_decrease=0.0,
    total=0,
    critical=np.zeros(0),
    max_depth=9,
    n_classes=2,
    in_average=np.ones(9, np.uint8),
)


def _judge(grown, columns, rows, rules, terms, desk):
    count_segment(grown, rows, 0, rows.rows.size, 0)
    for column in range(columns.n_values.size):
        n_runs = fill_runs(columns, column, rows, 0, rows.rows.size, True, desk)
        judge_column(columns, column, grown.nodes[0], n_runs, rules, terms, desk)


_judge_all = outer(_judge)
_least = outer(least_side)


def judge(X, classes, rules=RULES):
    """(gain, info) of each column at the root, and the desk."""
    schema, table = learn_and_read(X)
    columns = read_columns(table, schema, None)
    classes = np.asarray(classes, np.int32)
    n_classes = int(classes.max()) + 1
    rows = make_rows(classes, np.full(len(classes), ROW, np.int64), columns.most_branches)
    desk = make_desk(len(classes), len(columns.codes), n_classes)
    _judge_all(
        make_grown(columns, n_classes, len(rows.rows)), columns, rows, rules, make_terms(len(classes) * ROW), desk
    )
    return desk.gain, desk.info, desk


def test_tennis():
    X, y = load_tennis()
    gain, info, _ = judge(X.astype(str), y == "Yes")
    for k, name in enumerate(X):
        counts = [[((X[name] == v) & (y == c)).sum() for c in ("No", "Yes")] for v in sorted(set(X[name]))]
        assert gain[k] == pytest.approx(information_gain(counts), abs=1e-9)
        assert gain[k] / info[k] == pytest.approx(gain_ratio(counts), abs=1e-9)


def test_one_value_is_missing():
    """Quinlan (1993), section 3.2: Outlook of one row unknown; 13/14 (0.961 - 0.747) = 0.199 bits, 1.809 to tell."""
    X, y = load_tennis()
    outlook = X[["Outlook"]].astype(object)
    outlook.iloc[11, 0] = None  # Overcast, Mild, High, True: Yes
    gain, info, _ = judge(outlook, y == "Yes")
    assert gain[0] == pytest.approx(0.199, abs=5e-4)
    assert info[0] == pytest.approx(1.809, abs=5e-4)


def test_naming_one_of_many_cuts_costs_bits():
    X, classes = np.arange(16.0)[:, None], np.arange(16) >= 8
    paid, info, desk = judge(X, classes)
    free, _, _ = judge(X, classes, RULES._replace(mdl=False))
    assert (free[0], info[0]) == (1.0, 1.0)
    n_cuts = 13  # two rows at least on each side
    assert paid[0] == pytest.approx(1.0 - np.log2(n_cuts) / 16)
    assert (desk.low[0], desk.high[0]) == (7, 8)


def test_two_branches_must_be_large_enough():
    gain, _, _ = judge(np.array(["a"] * 5 + ["b", "c"], dtype=object)[:, None], [0, 0, 0, 0, 0, 1, 1])
    assert gain[0] < 0


@pytest.mark.parametrize(("rows", "least"), [(10, 2), (60, 3), (400, 20), (5000, 25)])
def test_least_side_of_a_cut(rows, least):
    assert _least(rows * ROW, RULES) == least * ROW


def test_of_equal_cuts_the_lowest_is_taken():
    X, classes = np.arange(8.0)[:, None], [0, 0, 1, 1, 1, 1, 0, 0]
    _, _, desk = judge(X, classes, RULES._replace(mdl=False))
    assert desk.low[0] == 1
