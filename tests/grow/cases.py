"""Small tables, statistics and limits to grow one tree on, drawn by Hypothesis; and the ways to grow it."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from hypothesis import strategies as st

from spinney._team import Team
from spinney.criteria.gains import Link, Penalty
from spinney.data.dataset import Dataset
from spinney.data.encode import learn_bins
from spinney.data.tables import Panel, Table
from spinney.grow.boosting import memory, statistics
from spinney.grow.boosting.freeze import freeze, lay
from spinney.grow.boosting.grower import grow_tree
from spinney.grow.boosting.leaves import add_tree
from spinney.grow.rules import BoostingRules, Kinds
from spinney.tree.forest import Forest
from tests.oracles import boosting_batches as reference

NO_LIMIT = 1 << 30
ALONE = Team(1, inline=True)
# Ways to grow a tree that must not matter: histograms by rows or by words, and how much is handed out at a time.
WAYS: tuple[dict[str, int], ...] = (
    {"few_rows": 0, "lanes_at_a_time": 8},
    {"few_rows": NO_LIMIT, "group": 1},
    {"few_rows": 25, "group": 3, "lanes_at_a_time": 3},  # large nodes by rows, small ones by words
    {"few_rows": 0, "lanes_at_a_time": 1},
    {"few_rows": NO_LIMIT, "group": 2},
    {},  # as a fit has it
)
NUMBERS = ("few", "many", "gaps", "constant", "missing")
CATEGORIES = ("categories", "category gaps", "many categories", "pooled categories")


@dataclass(frozen=True)
class Case:
    """One tree to grow."""

    dataset: Dataset
    table: memory.BinnedTable
    rows: memory.BoostingRows
    limits: BoostingRules

    def __repr__(self) -> str:
        """What may have mattered; the numbers can be drawn again."""
        kinds = self.dataset.bins.is_categorical.tolist()
        return f"Case({self.rows.n} rows, categorical={kinds}, {self.limits}, {self.rows.fields})"

    @property
    def places(self) -> np.ndarray:
        """Numbers of the rows that the tree grows on."""
        return self.rows.chosen if self.rows.chosen.size else np.arange(self.rows.n)

    @property
    def counts(self) -> np.ndarray:
        """How often each of them counts."""
        return self.rows.counts[self.places] if self.rows.counts.size else np.ones(self.rows.n, np.int64)


@dataclass(frozen=True)
class ReadTree:
    """A grown tree, every node spelled out."""

    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    code: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    bits: np.ndarray
    is_category: np.ndarray
    value: np.ndarray
    gain: np.ndarray
    count: np.ndarray
    cover: np.ndarray

    @property
    def n_nodes(self):
        return len(self.left)

    @property
    def is_leaf(self):
        return self.left < 0

    @property
    def n_leaves(self):
        return int(self.is_leaf.sum())

    @property
    def depth(self):
        depth = np.zeros(self.n_nodes, np.int32)
        for node in np.flatnonzero(~self.is_leaf):  # parents come before their children
            depth[self.left[node]] = depth[self.right[node]] = depth[node] + 1
        return depth


def read(forest: Forest) -> ReadTree:
    tree = forest.tree(0)
    bits = np.zeros((forest.n_nodes, 4), np.uint64)
    is_category = forest.of_questions(forest.is_set, False)
    bits[is_category] = forest.sets.reshape(-1, 4)
    return ReadTree(
        left=tree.children_left,
        right=tree.children_right,
        feature=np.where(tree.is_leaf, -1, tree.feature),
        code=forest.of_questions(forest.code, np.uint8(0)),
        threshold=tree.threshold,
        missing_left=tree.missing_go_to_left,
        bits=bits,
        is_category=is_category,
        value=tree.answers[:, 0, 0],
        gain=tree.gain,
        count=tree.n_samples,
        cover=tree.weight,
    )


@dataclass(frozen=True)
class Grown:
    """A grown tree and what it left in memory."""

    frozen: Forest
    tree: ReadTree
    work: memory.BoostingWork
    segments: list  # rows of each piece, sorted
    scores: np.ndarray


def make_dataset(columns, is_categorical=None, counts=None, max_bins=255) -> Dataset:
    """Encode float columns; categories are whole numbers."""
    values = np.column_stack(columns).astype(np.float64)
    table = Table(len(values), len(columns), (Panel(values, tuple(range(len(columns)))),))
    kinds = np.zeros(len(columns), bool) if is_categorical is None else np.asarray(is_categorical, bool)
    return table.encode_dataset(learn_bins(table, kinds, counts, max_bins, ALONE), ALONE)


def make_limits(n_columns, **given) -> BoostingRules:
    """BoostingRules that forbid next to nothing, but for those given."""
    free = BoostingRules(
        best_first=True,
        max_leaves=12,
        max_depth=NO_LIMIT,
        min_count=1,
        min_hessian=0.0,
        min_gain=0.0,
        penalty=Penalty(0.0, 0.0),
        category_penalty=Penalty(0.0, 1.0),
        category_smoothing=1.0,
        category_count=1,
        learning_rate=0.5,
        link=Link(),
        has_monotone=False,
        groups=np.zeros((0, n_columns), np.uint8),
        features=np.arange(n_columns, dtype=np.int32),
        node_features=n_columns,
        node_key=np.uint64(11),
    )
    return free._replace(**given)


def make_case(dataset, derivatives, limits, monotone=(), counts=None, chosen=None, coarse=0) -> Case:
    """A case; `coarse` pretends that there are so many rows, which leaves fewer bits for each."""
    derivatives = np.asarray(derivatives, np.float32)
    counts = np.empty(0, np.int64) if counts is None else counts
    chosen = np.empty(0, np.int32) if chosen is None else np.asarray(chosen, np.int32)
    n = len(chosen) or dataset.n_rows
    total = int(counts[chosen if len(chosen) else slice(None)].sum()) if counts.size else n
    most = int(counts.max()) if counts.size else 1
    largest = (float(np.abs(derivatives[:, 0]).max()), float(derivatives[:, 1].max()))
    exponents = count_exponents(derivatives, counts if counts.size else np.ones(dataset.n_rows, np.int64))
    layout = statistics.make_fields(max(n, coarse), max(total, coarse), most, *largest, exponents)
    keys = np.random.RandomState(n).randint(0, 2**32, dataset.n_rows, np.uint32)
    rows = memory.BoostingRows(chosen, n, derivatives, counts, layout, np.uint64(12345), keys)
    return Case(dataset, memory.make_table(dataset, np.array(monotone, np.int8), ALONE), rows, limits)


def count_exponents(derivatives, counts) -> np.ndarray:
    """How many gradients and hessians have each exponent of a float32."""
    found = np.frexp(np.abs(derivatives.astype(np.float64)))[1] + 126
    return np.stack([np.bincount(np.maximum(one, 0), counts, 256).astype(np.int64) for one in found.T])


# --- growing -----------------------------------------------------------------------------------------------------


def grow_cpu(case: Case, n_threads: int = 1, **way: int) -> Grown:
    """By the CPU's loop, in one of the WAYS."""
    work = make_work(case, n_threads)._replace(**way)
    case.table.words[case.table.n_words - 1 :: case.table.n_words] = 77  # of the tree before
    with Team(n_threads) as team:
        kinds = Kinds(True, case.limits.has_monotone or None)
        return _keep(case, work, team.run(grow_tree, case.table, case.rows, case.limits, work, kinds))


def grow_reference(case: Case, lookahead: int = 0) -> Grown:
    """By the slow twin, in batches."""
    work = make_work(case, 1)
    return _keep(case, work, reference.grow(case.table, case.rows, case.limits, work, lookahead))


def make_work(case: Case, n_threads: int = 1) -> memory.BoostingWork:
    block_rows, n_groups = case.rows.fields.block_rows, len(case.limits.groups)
    work = memory.make_work(case.dataset, case.rows.n, case.limits.max_leaves, block_rows, n_threads, n_groups)
    for part in work:  # memory is used again from tree to tree: nothing may depend on what was there before
        if isinstance(part, int):
            continue
        if part.dtype.kind in "iu":
            part.fill(77)
        elif part.dtype.names:
            part.view(np.uint8).fill(77)
    return work


def _keep(case: Case, work: memory.BoostingWork, n_nodes: int) -> Grown:
    scores = np.zeros(case.dataset.n_rows)
    add_tree(case.rows, work, scores, ALONE)
    segments = []
    for node in work.nodes[work.pieces[: work.state[0]["n_leaves"]]]:
        segments.append(np.sort(work.rows[node["depth"] & 1, node["begin"] : node["end"]]))
    frozen = freeze([lay(work.nodes, n_nodes, case.rows.fields)], case.dataset.bins)
    return Grown(frozen, read(frozen), work, segments, scores)


def assert_same(a: Grown, b: Grown) -> None:
    """Equal to the last bit."""
    for field in fields(ReadTree):
        mine, other = getattr(a.tree, field.name), getattr(b.tree, field.name)
        assert mine.dtype == other.dtype, field.name
        assert mine.tobytes() == other.tobytes(), (field.name, mine, other)
    assert len(a.segments) == len(b.segments)
    for mine, other in zip(a.segments, b.segments):
        np.testing.assert_array_equal(mine, other)
    np.testing.assert_array_equal(a.scores, b.scores)


# --- drawing -----------------------------------------------------------------------------------------------------


def draw_column(kind: str, n: int, random: np.random.RandomState) -> np.ndarray:
    if kind == "few":
        return random.randint(0, 4, n).astype(float)
    if kind == "constant":
        return np.full(n, 3.5)
    if kind == "missing":
        return np.full(n, np.nan)
    if kind in ("many", "gaps"):
        values = random.randn(n)
    else:
        levels = {"categories": 4, "category gaps": 7, "many categories": 130, "pooled categories": 300}[kind]
        values = np.floor(levels * random.rand(n) ** 2)
        values[0] = levels - 1  # so that all the levels exist
    if "gaps" in kind or random.rand() < 0.2:
        values[random.rand(n) < 0.3] = np.nan
    return values


# Each rule may be in force or not; most trees have two or three of them and grow all the same.
RULES = {
    "max_leaves": lambda random, n: {"max_leaves": random.choice((1, 2, 4, 7))},
    "max_depth": lambda random, n: {"max_depth": random.choice((0, 1, 2, 4))},
    "min_count": lambda random, n: {"min_count": random.choice((2, 5))},
    "min_split": lambda random, n: {"min_split": random.choice((3, 9))},
    "least_gain": lambda random, n: {"least_gain": random.choice((0.5, 5.0))},
    "min_hessian": lambda random, n: {"min_hessian": random.choice((1e-3, 2.0))},
    "min_gain": lambda random, n: {"min_gain": random.choice((0.5, 5.0))},
    "l1": lambda random, n: {"penalty": Penalty(0.3, 0.0), "category_penalty": Penalty(0.3, 1.0)},
    "l2": lambda random, n: {"penalty": Penalty(0.0, 1.0), "category_penalty": Penalty(0.0, 11.0)},
    "category_smoothing": lambda random, n: {"category_smoothing": random.choice((0.0, 10.0))},
    "category_count": lambda random, n: {"category_count": random.choice((2, 3, 10))},
    "groups": lambda random, n: {"groups": (random.rand(random.randint(1, 4), n) < 0.7).astype(np.uint8)},
    "features": lambda random, n: {"features": np.sort(random.permutation(n)[: max(1, n // 2)]).astype(np.int32)},
    "node_features": lambda random, n: {"node_features": max(1, n // 2), "node_key": np.uint64(random.randint(999))},
}


@st.composite
def cases(draw, kinds: Any = NUMBERS + CATEGORIES, most_rows: int = 90) -> Case:
    """A tree to grow, with any of the rules that there are."""
    random = np.random.RandomState(draw(st.integers(0, 10**6)))
    n = draw(st.sampled_from((most_rows, most_rows // 2, most_rows // 3, 12, 2)))
    chosen_kinds = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    # "few" and "constant" share a lane, "many" have one each: five lanes take two words, thirteen four
    chosen_kinds += draw(st.sampled_from(([], [], [], [], ["few"] * 7, ["constant"] * 2, ["many"] * 4, ["many"] * 10)))
    n_columns = len(chosen_kinds)
    columns = [draw_column(kind, n, random) for kind in chosen_kinds]
    is_categorical = np.array([kind in CATEGORIES for kind in chosen_kinds])
    counts = _draw_counts(draw(st.sampled_from(("none", "none", "small", "large"))), n, random)
    dataset = make_dataset(columns, is_categorical, counts, draw(st.sampled_from((255, 16, 3))))
    signal = sum(np.nan_to_num(column, nan=2.0) % 5 for column in columns[:3])
    gradient = random.randn(n) - draw(st.sampled_from((1.0, 0.0))) * (signal - signal.mean())
    hessian = {"ones": np.ones(n), "some": random.rand(n), "gaps": random.rand(n) * (random.rand(n) < 0.8)}
    derivatives = np.stack((gradient, hessian[draw(st.sampled_from(("ones", "some", "gaps")))] + 1e-6), axis=1)
    far = draw(st.sampled_from(("near", "near", "outlier", "skewed")))
    if far == "outlier":
        derivatives[0, 0] *= draw(st.sampled_from((2.0**12, 2.0**20, 2.0**50)))
    elif far == "skewed":
        derivatives *= np.exp(4 * random.randn(n, draw(st.sampled_from((1, 2)))))
    chosen = None
    if counts is not None or draw(st.booleans()):
        share = draw(st.sampled_from((1.0, 0.5)))
        taken = (random.rand(n) < share) & (counts > 0 if counts is not None else True)
        taken[np.argmax(counts) if counts is not None else 0] = True
        chosen = np.flatnonzero(taken)
    monotone = random.randint(-1, 2, n_columns) * ~is_categorical * draw(st.sampled_from((0, 0, 1)))
    limits = _draw_limits(draw, n_columns, random)._replace(has_monotone=bool(monotone.any()))
    return make_case(dataset, derivatives, limits, monotone, counts, chosen, coarse=draw(st.sampled_from((0, 16383))))


def _draw_counts(kind: str, n: int, random: np.random.RandomState) -> np.ndarray | None:
    if kind == "none":
        return None
    counts = random.randint(0, 4 if kind == "small" else 128, n)
    counts[0] = max(1, counts[0])
    return counts


def _draw_limits(draw: Any, n_columns: int, random: np.random.RandomState) -> BoostingRules:
    rules: dict[str, Any] = {"max_leaves": 20}
    for rule in RULES.values():
        if draw(st.integers(0, 4)) == 4:
            rules |= rule(random, n_columns)
    limits = make_limits(n_columns, best_first=draw(st.booleans()))._replace(
        **{
            name: value.item() if isinstance(value, np.integer | np.floating) else value
            for name, value in rules.items()
        }
    )
    return limits._replace(
        node_features=min(limits.node_features, len(limits.features)), node_key=np.uint64(limits.node_key)
    )


# --- reading a grown tree ----------------------------------------------------------------------------------------


def descend(tree: ReadTree, case: Case, codes: np.ndarray) -> np.ndarray:
    """(nodes, rows) bool: the nodes that rows with these codes (columns, rows) come through."""
    visits = np.zeros((tree.n_nodes, codes.shape[1]), bool)
    visits[0] = True
    for at in np.flatnonzero(~tree.is_leaf):
        node = {"code": tree.code[at], "missing_left": tree.missing_left[at], "bits": tree.bits[at]}
        left = reference.goes_left(node, case.table.columns[tree.feature[at]], codes[tree.feature[at]])
        visits[tree.left[at]] = visits[at] & left
        visits[tree.right[at]] = visits[at] & ~left
    return visits
