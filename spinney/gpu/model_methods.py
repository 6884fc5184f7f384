"""What models of trees answer for a table on a GPU: it is read and sent down the trees there, and answers stay there.

In:  a fitted model, a method of it that answers row by row, and a table on a GPU. Out: what the method says, bit for
     bit, as an array of the table's library; of what a GPU has no numbers for (labels that are strings) one of NumPy's.
     Which function answers for a method stands above the method in `estimators/`: `@row_by_row(on_gpu....)`.

Sums over trees are all that takes long. A few last steps that are rare, or not ours to repeat bit for bit (NumPy's
logarithm), are done here, and their answers go back. No algorithm in here: see gpu/predict.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.data.on_gpu import READABLE, view_on_gpu
from spinney.tree.links import log_probabilities

if TYPE_CHECKING:
    from spinney.tree.forest import Forest

# ----------------------------------------------------------------------------------------------------------------------
# A question to a model about a table on a GPU: how the table is read, what is added up there, and where answers go.
#
# In:  a fitted model and the table. Out: sums over trees and leaves, on the GPU; answers in the table's library, or
# here.


_WANTED_HERE = ContextVar("wanted_here", default=False)


@contextmanager
def answers_here() -> Iterator[None]:
    """Answers for tables on the GPU are made there, as ever, and copied."""
    before = _WANTED_HERE.set(True)
    try:
        yield
    finally:
        _WANTED_HERE.reset(before)


class Asked:
    """A model and a table on the GPU, which is read as a model, or a member of it, does."""

    def __init__(self, model: Any, method: Callable[..., Any], X: Any) -> None:
        self.model, self.method, self.reader, self.X = model, method, model, X

    @cached_property
    def given(self) -> Any:
        from spinney.gpu.predict import read_there

        reader = self.reader
        return read_there(self.X, reader.schema_, type(reader).__name__, reader.refuses_unknown())

    @cached_property
    def stream(self) -> Any:
        from spinney.gpu.respond import open_stream

        return open_stream()

    def sums(self, forest: Any, name: Any, answers: Callable[[], np.ndarray], start: float = 0.0) -> Any:
        """(rows, numbers): sums over all trees of what nodes say, answers() (nodes, numbers)."""
        from spinney.gpu.predict import program_of
        from spinney.gpu.respond import begin_scores

        n, program = self.given.n_rows, program_of(forest, name, lambda: answers().astype(np.float64))
        sums = begin_scores(self.stream, np.full(program.width, start), n)
        program.add(self.given, sums, self.stream)
        return sums.reshape((n, program.width))

    def leaves(self, forest: Any, dtype: Any) -> Any:
        """(rows, trees)."""
        from spinney.gpu.predict import program_of

        program = program_of(forest, "leaves", lambda: np.zeros((forest.n_nodes, 1)))
        return program.leaves(self.given, dtype, self.stream)

    def hand_over(self, array: Any) -> Any:
        """An answer: on the GPU as the table's library has it, here as it is."""
        from spinney.gpu.respond import hand_over, is_there

        self.stream.wait()
        if not is_there(array):
            return array
        return self.stream.read(array) if _WANTED_HERE.get() else hand_over(self.X, array)

    def put(self, array: np.ndarray) -> Any:
        """The last steps were done here: the answer goes back."""
        return self.hand_over(self.stream.put(np.ascontiguousarray(array)) if array.dtype.kind in "biuf" else array)

    def name(self, numbers: Any, classes: list[np.ndarray]) -> Any:
        """Labels of class numbers (rows, outputs)."""
        from spinney.gpu.respond import labels_of

        labels = labels_of(self.stream, numbers, classes)
        return self.hand_over(labels.reshape(labels.shape[0]) if len(classes) == 1 else labels)


def answer_there(
    model: Any, method: Callable[..., Any], say: Callable[..., Any], X: Any, args: Any, kwargs: dict[str, Any]
) -> Any:
    """What `say` answers for a method; NotImplemented where the CPU has to, which then gets a copy of the table."""
    options = {name: value for name, value in kwargs.items() if name != "check_input"}
    if args or set(options) - {"init_score"} or view_on_gpu(X).dtype not in READABLE:
        return NotImplemented
    from spinney._compile import say_once
    from spinney.gpu import problem_with_gpu

    check_is_fitted(model)
    problem = problem_with_gpu()
    if problem is None and getattr(getattr(model, "forest_", None), "is_linear", False):
        problem = "the model has linear leaves"
    if problem is not None:
        say_once(f"A table on the GPU was copied to predict on the CPU: {problem}")
        return NotImplemented
    return say(Asked(model, method, X), **options)


# --- boosting --------------------------------------------------------------------------------------------------------


def _raw(asked: Asked, init_score: Any = None) -> Any:
    """Raw scores (outputs, rows), on the GPU."""
    from spinney.gpu.predict import scores_of
    from spinney.gpu.respond import begin_scores

    model, n = asked.model, asked.given.n_rows
    start = model.start_scores(asked.X, init_score, n)
    scores = begin_scores(asked.stream, start, n)
    scores_of(model.forest_, len(start)).add(asked.given, scores, asked.stream)
    return scores


def _link(model: Any) -> Any:
    """The formula of the predictions; None for a user's own, which is compiled for the CPU."""
    from spinney.criteria.losses import FORMULAS

    formulas = FORMULAS.get(type(model.fitted_loss))
    return None if formulas is None else formulas.response


def boosted_decision(asked: Asked, init_score: Any = None) -> Any:
    from spinney.gpu.respond import turned

    raw = _raw(asked, init_score)
    n_outputs, n = raw.shape
    return asked.hand_over(raw.reshape(n) if n_outputs == 1 else turned(asked.stream, raw))


def _boosted(asked: Asked, fill: Callable[..., Any], init_score: Any) -> Any:
    """Predictions from raw scores, by fill(stream, link, raw scores) or, of a user's own loss, here."""
    raw, link = _raw(asked, init_score), _link(asked.model)
    if link is None:
        return asked.put(asked.model.respond(asked.stream.read(raw)))
    return asked.hand_over(fill(asked.stream, link, raw))


def boosted_numbers(asked: Asked, init_score: Any = None) -> Any:
    from spinney.gpu.respond import respond

    return _boosted(asked, respond, init_score)


def boosted_probabilities(asked: Asked, init_score: Any = None) -> Any:
    from spinney.gpu.respond import chances

    return _boosted(asked, chances, init_score)


def boosted_log_probabilities(asked: Asked, init_score: Any = None) -> Any:
    return asked.put(asked.model.log_probabilities_of(asked.stream.read(_raw(asked, init_score))))


def boosted_classes(asked: Asked, init_score: Any = None) -> Any:
    from spinney.gpu.respond import choose

    raw, link, model = _raw(asked, init_score), _link(asked.model), asked.model
    if link is None:
        return asked.put(model.classes_of(asked.stream.read(raw)))
    numbers = choose(asked.stream, link, raw)
    return asked.name(numbers.reshape((asked.given.n_rows, 1)), [model.classes_])


def boosted_leaves(asked: Asked) -> Any:
    return asked.hand_over(asked.leaves(asked.model.forest_, np.int32))


def boosted_class_leaves(asked: Asked) -> Any:
    leaves, n_outputs = asked.leaves(asked.model.forest_, np.int32), asked.model.n_trees_per_iteration_
    n, n_trees = leaves.shape
    return asked.hand_over(leaves.reshape((n, n_trees // n_outputs, n_outputs)))


# --- forests and bags ------------------------------------------------------------------------------------------------


def _means(asked: Asked) -> Any:
    """(rows, outputs, classes or 1), on the GPU."""
    from spinney.gpu.predict import numbers_of
    from spinney.gpu.respond import divide

    forest, says = asked.model.forest_, asked.model.node_answers()
    name, answers = ("shares", forest.answers) if says is None else ("ballots", says)
    sums = asked.sums(forest, name, lambda: numbers_of(forest, answers))
    return divide(asked.stream, sums, forest.n_trees).reshape((asked.given.n_rows, *forest.answers.shape[1:]))


def logarithms(asked: Asked) -> Any:
    """The logarithms of `predict_proba`, which are taken here."""
    probabilities = asked.model.predict_proba
    say, asked.method = probabilities.on_gpu, probabilities.__wrapped__
    if say is None:
        return NotImplemented
    with answers_here():
        found = say(asked)
    if found is NotImplemented:
        return found
    logs = log_probabilities(found)
    return list(map(asked.put, logs)) if isinstance(logs, list) else asked.put(logs)


def _by_output(shares_in: Callable[[Asked], Any]) -> Callable[[Asked], Any]:
    """`predict_proba` from shares (rows, outputs, classes) on the GPU: an array, or a list of one per output."""

    def say(asked: Asked) -> Any:
        from spinney.gpu.respond import part_of

        shares = shares_in(asked)
        if shares is NotImplemented:
            return shares
        n, n_outputs, n_classes = shares.shape
        one = n_outputs == 1
        sizes = [n_classes] if one else asked.model.n_classes_
        parts = [shares.reshape((n, n_classes))] if one else []
        parts = parts or [part_of(asked.stream, shares, o, size) for o, size in enumerate(sizes)]
        found = [asked.hand_over(part) for part in parts]
        return found[0] if one else found

    return say


forest_probabilities = _by_output(_means)


def forest_classes(asked: Asked) -> Any:
    from spinney.gpu.respond import choose_of_shares

    return asked.name(choose_of_shares(asked.stream, _means(asked)), _classes(asked.model))


def _classes(model: Any) -> list[np.ndarray]:
    return [model.classes_] if model.n_outputs_ == 1 else model.classes_


def forest_numbers(asked: Asked) -> Any:
    means = _means(asked)
    n, n_outputs = means.shape[:2]
    return asked.hand_over(means.reshape(n if n_outputs == 1 else (n, n_outputs)))


def forest_leaves(asked: Asked) -> Any:
    return asked.hand_over(asked.leaves(asked.model.forest_, np.int64))


def _of_trees(say: Callable[[Asked], Any]) -> Callable[[Asked], Any]:
    """For bags: members that are not our trees answer here."""
    return lambda asked: say(asked) if "forest_" in vars(asked.model) else NotImplemented


bag_classes, bag_numbers, bag_leaves = _of_trees(forest_classes), _of_trees(forest_numbers), _of_trees(forest_leaves)
bag_probabilities = _of_trees(forest_probabilities)


# --- single trees ----------------------------------------------------------------------------------------------------

_AS_IT_IS = -0.0  # plus anything is that, its sign included


def _tree_shares(asked: Asked) -> Any:
    tree = asked.model.tree_
    if tree.spreads:
        return NotImplemented
    shares = asked.sums(tree.forest, "shares of one", lambda: tree.probabilities.reshape(tree.n_nodes, -1), _AS_IT_IS)
    return shares.reshape((asked.given.n_rows, *tree.answers.shape[1:]))


tree_probabilities = _by_output(_tree_shares)


def tree_classes(asked: Asked) -> Any:
    tree = asked.model.tree_
    if tree.spreads:
        return NotImplemented
    return asked.name(asked.sums(tree.forest, "majority", lambda: tree.majority), _classes(asked.model))


def tree_numbers(asked: Asked) -> Any:
    tree, n_outputs = asked.model.tree_, asked.model.n_outputs_
    values = asked.sums(tree.forest, "numbers", lambda: tree.answers[:, :, 0], _AS_IT_IS)
    return asked.hand_over(values.reshape(asked.given.n_rows) if n_outputs == 1 else values)


def tree_leaves(asked: Asked) -> Any:
    leaves = asked.leaves(asked.model.tree_.forest, np.int64)
    return asked.hand_over(leaves.reshape(asked.given.n_rows))


# --- models whose last steps are done here: isolation forests, AdaBoost, models of other libraries --------------------


class SummedTable:
    """A table on the GPU, for methods of models: it adds up what the trees say of its rows, or finds their leaves."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    def scores(self, forest: Forest, start: np.ndarray) -> np.ndarray:
        """(outputs, rows): raw scores of a boosted model."""
        from spinney.gpu.predict import scores_of
        from spinney.gpu.respond import begin_scores

        raw = begin_scores(self._asked.stream, start, self._asked.given.n_rows)
        scores_of(forest, len(start)).add(self._asked.given, raw, self._asked.stream)
        return self._read(raw)

    def means(self, forest: Forest) -> np.ndarray:
        """(rows, outputs, classes or 1)."""
        from spinney.gpu.predict import numbers_of

        sums = self._read(self._asked.sums(forest, "shares", lambda: numbers_of(forest, forest.answers)))
        return sums.reshape(len(sums), *forest.answers.shape[1:]) / forest.n_trees

    def totals(self) -> np.ndarray:
        """(rows, raw scores): sums of the values of the model's formula."""
        forest, values = _formula(self._asked.model)
        return self._read(self._asked.sums(forest, "values", lambda: values))

    def leaves(self) -> np.ndarray:
        """(rows, trees)."""
        return self._read(self._asked.leaves(_formula(self._asked.model)[0], np.int64))

    def _read(self, array: Any) -> np.ndarray:
        found: np.ndarray = self._asked.stream.read(array)
        return found


_FORMULAS: WeakKeyDictionary[Any, tuple[list[Any], Forest, np.ndarray]] = WeakKeyDictionary()  # by members


def _formula(model: Any) -> tuple[Forest, np.ndarray]:
    """The trees of AdaBoost in one store, and the values of their nodes."""
    known = _FORMULAS.get(model)
    if known is None or known[0] is not model.estimators_:
        formula = model.formula()  # which knows its model, and is not kept
        known = _FORMULAS[model] = model.estimators_, formula.forest, formula.values
    return known[1:]


def finished_here(asked: Asked) -> Any:
    """Rows go down the trees there, and all that follows is done here, by the method itself."""
    asked.reader = asked.model.reader_on_gpu
    if asked.reader is None:
        return NotImplemented
    answer = asked.method(asked.model, SummedTable(asked))
    return [asked.put(one) for one in answer] if isinstance(answer, list) else asked.put(answer)


def imported_leaves(asked: Asked) -> Any:
    if asked.model.reader_on_gpu is None:
        return NotImplemented
    return asked.hand_over(asked.leaves(asked.model.forest_, np.int32))
