"""C4.5 release 8 (Quinlan, 1993 and 1996): numbers and categories, gain ratio, missing values in parts, pruning.

- Categories have one branch a value; at least two branches must weigh `min_samples_leaf`.
- With `subset` categories are joined in groups first, one branch a group: two by two, always those whose merger costs
  the least gain, as long as there are more than two. Of the stages that of the largest gain ratio is the test. Such a
  column may be asked about again further down.
- Numbers are cut in two, midway between neighbouring values of the node. Each side must weigh `min_samples_leaf`, or a
  tenth of the mean class of the node if that is more, but never more than 25 rows. Choosing among n cuts costs log2(n)
  bits (`mdl`): that much is taken off the gain, spread over the node's rows.
- Of the columns with at least average gain, the one of the largest gain ratio is asked about. Columns with
  categories for 30 % of the rows or more do not count in the average, unless all are such; where none of the columns
  that can be asked about counts, none is.
- Rows whose value is missing go down every branch, in parts; so do missing and unknown values in prediction.
- Splits that the limits which CART has too do not allow are not made, or taken back (limits.py).
- Then nodes below which no fewer rows are wrong become leaves, and the tree is pruned (below).
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, stop_wanted
from spinney.criteria.information import ROW, make_terms
from spinney.criteria.pessimism import SLACK, ConfidenceLevel, confidence, errors_to_add
from spinney.data.weights import Weights
from spinney.grow.multiway.columns import MultiwayColumns, read_units
from spinney.grow.multiway.freeze import freeze
from spinney.grow.multiway.grower import grow
from spinney.grow.multiway.limits import BranchSettings, Choose, limit_splits
from spinney.grow.multiway.memory import DONE, NEEDS_ROOM, STOPPED, MultiwayRows, MultiwayTree, make_rows, run_with_room
from spinney.grow.multiway.partition import close_branch, close_frame, count_segment, has_room, open_branch, open_frame
from spinney.grow.rules import NO_NODE, NO_SPLIT
from spinney.tree.decision import SPREADS, DecisionTree

# ----------------------------------------------------------------------------------------------------------------------
# Pruning, on the rows that the tree was grown from: a node becomes a leaf, or its largest branch takes its place.
#
# Three estimates are compared at a node, children first: the pessimistic errors (criteria/pessimism.py) of its subtree,
# of the node as a leaf, and of its largest branch if all the node's rows were sent down that one. To be as good, an
# estimate may be a tenth of an error higher. A branch that is raised gets all the rows and is pruned again.
#
# One loop, with frames in two modes. A node that is *pruned* visits its children, then (stage RAISE) has its largest
# branch *estimated*, which changes nothing but the order of rows in the segment.
#
#     PRUNE a node     VISIT  prune each child with its own rows        sum of their estimates -> errors
#                      RAISE  estimate the largest child with all rows                         -> branch_errors
#                      decide which is lowest, up to 0.1 of an error (ties go to the first):
#                             leaf            the node loses its split
#                             branch_errors   the node takes over the child's split and children, and is pruned again
#                             errors          it stays as it is
#
#     ESTIMATE a node  VISIT  estimate each child with its rows         sum of their estimates -> errors
#
# The stack of frames is kept in memory, instead of recursion, since the kernel may return between two steps (to get
# more memory, or for Ctrl-C) and go on where it was. A visit that ends at once, at a leaf, returns its estimate; any
# other returns _OPEN and hands its estimate to the frame below when it is popped (`_deliver`).


_PRUNE, _ESTIMATE = 0, 1  # modes
_VISIT, _RAISE = 0, 1  # stages
_SAME = ROW // 1000  # units of errors
_ROOT = np.int64(0)
_OPEN = -1.0  # in place of an estimate: the node has a frame now


def collapse(grown: MultiwayTree) -> None:
    """Make leaves of all nodes below which no fewer training rows are wrong."""
    _collapse(grown, np.zeros(len(grown.nodes), np.int64))


@kernel
def _collapse(grown, wrong):
    """`wrong` is scratch. Children have higher numbers than their parents."""
    for number in range(grown.state[0].n_nodes - 1, -1, -1):
        node = grown.nodes[number]
        wrong[number] = _wrong(grown.class_units[number], node.units)
        if node.feature == NO_SPLIT:
            continue
        below = np.int64(0)
        for k in range(node.first, node.first + node.n_branches):
            if grown.children[k] >= 0:
                below += wrong[grown.children[k]]
        if below >= wrong[number] - _SAME:  # fractional rows are rounded to units: a few of them are no difference
            node.feature = NO_SPLIT
        else:
            wrong[number] = below


def prune(
    grown: MultiwayTree, columns: MultiwayColumns, rows: MultiwayRows, level: ConfidenceLevel, raises: bool, team: Team
) -> MultiwayTree:
    """Prune a grown tree; `raises` is whether branches may take their parent's place."""
    grown.state[0]["started"] = 0
    return run_with_room(team, _prune, grown, columns, rows, level, raises)


@kernel
def _prune(rank, size, sync, grown, columns, rows, level, raises):
    if rank > 0:
        return DONE  # one thread does it
    state = grown.state[0]
    if not state.started:
        if not has_room(grown, rows):
            return NEEDS_ROOM
        state.started = 1
        _visit(grown, columns, rows, level, _ROOT, _ROOT, np.int64(rows.rows.size), _PRUNE)
    while state.n_frames > 0:
        if not has_room(grown, rows):
            return NEEDS_ROOM
        if stop_wanted(sync):
            return STOPPED
        frame = grown.frames[state.n_frames - 1]
        estimate = _OPEN
        if frame.stage == _VISIT:
            branch = open_branch(grown, rows, columns, frame)
            if branch >= 0:
                _visit_child(grown, columns, rows, level, frame, branch)
                continue
            close_frame(grown, rows, frame)
            if frame.mode == _ESTIMATE:
                estimate = frame.errors
            else:
                frame.stage, frame.branch_errors = _RAISE, np.inf
                if raises:
                    child, begin, end = frame.largest_child, frame.begin, frame.end
                    estimate = _visit(grown, columns, rows, level, child, begin, end, _ESTIMATE)
                    if estimate == _OPEN:
                        continue
                    frame.branch_errors = estimate
        if frame.mode == _PRUNE:
            estimate = _decide(grown, columns, rows, level, frame)
        if estimate != _OPEN:
            state.n_frames -= 1
            _deliver(grown, columns, rows, estimate)
    return DONE


@inner_kernel
def _deliver(grown, columns, rows, estimate):
    """Hand an estimate to the node above."""
    state = grown.state[0]
    if state.n_frames == 0:
        return
    frame = grown.frames[state.n_frames - 1]
    if frame.stage == _RAISE:
        frame.branch_errors = estimate
    else:
        frame.errors += estimate
        close_branch(grown, rows, columns, frame)


@inner_kernel
def _visit_child(grown, columns, rows, level, frame, branch):
    """Visit the child whose segment is open."""
    node, mode = grown.nodes[frame.node], frame.mode
    child = np.int64(grown.children[node.first + branch])
    if child == NO_NODE and mode == _PRUNE:
        child = _add_leaf(grown)
        grown.children[node.first + branch] = child
    if frame.child_units >= frame.largest_units:
        frame.largest_units, frame.largest_child = frame.child_units, child
    estimate = _visit(grown, columns, rows, level, child, frame.child_begin, frame.child_end, mode)
    if estimate != _OPEN:
        frame.errors += estimate
        close_branch(grown, rows, columns, frame)


@inner_kernel
def _add_leaf(grown):
    """Rows have come to a branch that had none when the tree was grown."""
    state, number = grown.state[0], grown.state[0].n_nodes
    state.n_nodes += 1
    node = grown.nodes[number]
    node.feature, node.n_branches, node.first, node.threshold = NO_SPLIT, 0, 0, np.nan
    return np.int64(number)


@inner_kernel
def _visit(grown, columns, rows, level, number, begin, end, mode):
    """Send rows to a node; returns the estimate of a leaf, or _OPEN: the node is on the stack now."""
    state = grown.state[0]
    if mode == _PRUNE:
        count_segment(grown, rows, begin, end, number)
    if number == NO_NODE or grown.nodes[number].feature == NO_SPLIT:
        scratch = np.int64(grown.nodes.size - 1)  # has_room leaves it free
        if mode == _ESTIMATE:
            count_segment(grown, rows, begin, end, scratch)
            number = scratch
        return _leaf_errors(grown, number, level)
    open_frame(grown, rows, columns, number, begin, end, True)
    frame = grown.frames[state.n_frames - 1]
    frame.mode, frame.stage, frame.errors, frame.largest_units, frame.largest_child = mode, _VISIT, 0.0, 0, NO_NODE
    return _OPEN


@inner_kernel
def _decide(grown, columns, rows, level, frame):
    """The estimate of the node, as a leaf or as it is; or _OPEN if its largest branch is to take its place."""
    state, number = grown.state[0], frame.node
    leaf = _leaf_errors(grown, number, level)
    if leaf <= frame.errors + SLACK and leaf <= frame.branch_errors + SLACK:
        grown.nodes[number].feature = NO_SPLIT
        return leaf
    if frame.branch_errors > frame.errors + SLACK:
        return frame.errors
    _raise(grown, number, frame.largest_child)
    # visited again with all the rows, in the place of this frame: its splits were pruned for a part of the rows only
    state.n_frames -= 1
    estimate = _visit(grown, columns, rows, level, number, frame.begin, frame.end, _PRUNE)
    if estimate != _OPEN:  # the branch is a leaf
        state.n_frames += 1
    return estimate


@inner_kernel
def _raise(grown, number, child):
    # the node keeps its number and its rows, so its parent need not change; siblings of the child become unreachable
    node, branch = grown.nodes[number], grown.nodes[child]
    node.feature, node.cut, node.threshold = branch.feature, branch.cut, branch.threshold
    node.first, node.n_branches = branch.first, branch.n_branches


@inner_kernel
def _leaf_errors(grown, number, level):
    """Pessimistic errors of a node as a leaf."""
    units = grown.nodes[number].units
    wrong = float(_wrong(grown.class_units[number], units)) / ROW
    return wrong + errors_to_add(float(units) / ROW, wrong, level)


@inner_kernel
def _wrong(class_units, units):
    most = np.int64(0)
    for c in range(class_units.size):
        most = max(most, class_units[c])
    return units - most


_MANY = 0.3  # categories a row that are too many for the average


def grow_c45(
    columns: MultiwayColumns,
    classes: np.ndarray,
    n_classes: int,
    weights: Weights | np.ndarray,
    settings: BranchSettings,
    team: Team,
    choose: Choose | None = None,
) -> DecisionTree:
    """Grow and prune a tree; `classes` is int32, the class of each row; `weights` may be units.

    `choose` says how many of its splits to keep.
    """
    units, kept = read_units(weights, len(classes))
    columns = columns.take(kept)
    classes = classes if kept is None else classes[kept]
    counted = _counts_in_average(columns, int(units.sum()) / ROW)
    own = {"mdl": settings.mdl, "subset": settings.subset}
    rules = settings.rules(columns, units, n_classes, ratio=True, spreads=True, in_average=counted, **own)
    least = max(2 * rules.min_leaf, rules.min_split)
    rules = rules._replace(min_split=least, n_classes=len(np.unique(classes)))
    rows = make_rows(classes, units, columns.most_branches)
    terms = make_terms(rules.total)
    grown = grow(columns, rows, n_classes, rules, terms, team)
    limit_splits(grown, columns, terms, settings.max_leaves, SPREADS, choose)
    collapse(grown)
    if settings.prune:
        rows = make_rows(classes, units, columns.most_branches)
        grown = prune(grown, columns, rows, confidence(settings.cf), settings.subtree_raising, team)
    return freeze(grown, columns, SPREADS, settings.subset)


def _counts_in_average(columns: MultiwayColumns, n_rows: float) -> np.ndarray:
    """uint8, by column: whether its gain counts in the average that a gain must reach."""
    few = columns.n_present() < _MANY * n_rows
    return (few | (not few.any())).astype(np.uint8)
