"""Members: named models of any kind -> the same models, fitted, one thread each.

In:  a list of (name, model), X, a target, perhaps weights or other arguments of fit.
Out: fitted clones, or their predictions for held-out rows.

Members are fitted on the labels of the target and predict these labels. `in_order` puts a member's columns of classes
in the order of all classes, and `class_numbers` numbers the labels it predicts.

Members run in threads. A member that uses threads itself gets an equal part of them, so that three members on six
cores use two each. Errors name the member. What is done with the predictions is not decided here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params, has_fit_parameter

from spinney._interruptible_threads import side_by_side
from spinney._warnings import warn_caller
from spinney.data.reading import with_rows

Member = tuple[str, Any]
FitParams = Mapping[str, Mapping[str, Any]]  # by the members' names: arguments of their fit besides X and y
Split = tuple[np.ndarray, np.ndarray]
_MOST_SEED = np.iinfo(np.int32).max


@contextmanager
def naming(name: str, action: str) -> Iterator[None]:
    """Name the failing member in errors: NotFittedError, ValueError and TypeError stay so, others become RuntimeError.

    >>> with naming("svc", "fit"):
    ...     raise ValueError("Input X contains NaN.")
    Traceback (most recent call last):
    ValueError: member 'svc' failed in fit: Input X contains NaN.
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        message = f"member {name!r} failed in {action}: {error}"
        for kind in (NotFittedError, ValueError, TypeError):
            if isinstance(error, kind):
                raise kind(message) from error
        raise RuntimeError(message) from error


def run_members(
    work: Callable[[str, Any], Any], members: Sequence[Member], n_jobs: int | None, action: str, verbose: Any = False
) -> list[Any]:
    """Run `work(name, clone)` for every member, in threads.

    >>> from sklearn.dummy import DummyRegressor
    >>> run_members(lambda name, model: name, [("a", DummyRegressor()), ("b", DummyRegressor())], 2, "nothing")
    ['a', 'b']
    """
    share = threads_each(n_jobs, len(members))

    def run(member: Member) -> Any:
        return _run_one(work, *member, share, action, verbose)

    return list(side_by_side(run, members, effective_n_jobs(n_jobs)))


def _run_one(work: Callable[[str, Any], Any], name: str, model: Any, share: int | None, action: str, say: Any) -> Any:
    start = time.perf_counter()
    with naming(name, action):
        copy = clone(model)
        open_counts = _open_thread_counts(copy) if share is not None else []
        copy.set_params(**dict.fromkeys(open_counts, share))
        try:
            answer = work(name, copy)
        finally:
            copy.set_params(**dict.fromkeys(open_counts))
    if say:
        print(f"{name}: {action}, {time.perf_counter() - start:.2f} s")
    return answer


def threads_each(n_jobs: int | None, n_members: int) -> int | None:
    """Return the number of threads per member; None if members run one after another and may use all.

    >>> threads_each(8, 3), threads_each(2, 5), threads_each(1, 3)
    (2, 1, None)
    """
    total = effective_n_jobs(n_jobs)
    return None if total == 1 or n_members < 2 else max(1, total // n_members)


def _open_thread_counts(model: Any) -> list[str]:
    """The parameters `n_jobs` of None, of the model and of models inside it; scikit-learn's mean one by None."""
    if not hasattr(model, "get_params"):
        return []
    parameters = model.get_params(deep=True)
    owners = {"": model, **{f"{key}__": value for key, value in parameters.items() if hasattr(value, "get_params")}}
    return [
        f"{prefix}n_jobs"
        for prefix, owner in owners.items()
        if parameters.get(f"{prefix}n_jobs", 1) is None and not type(owner).__module__.startswith("sklearn.")
    ]


def seeded(member: Any, random: np.random.RandomState) -> Any:
    """Give each `random_state` of a member a seed of its own, in the order in which scikit-learn does."""
    names = sorted(name for name in member.get_params(deep=True) if name.split("__")[-1] == "random_state")
    return member.set_params(**{name: draw_seed(random) for name in names})


def draw_seed(random: np.random.RandomState) -> int:
    """A seed for one `random_state`."""
    return random.randint(_MOST_SEED)


def check_weights_welcome(members: Sequence[Member], sample_weight: Any) -> None:
    """Raise if weights are given and a member cannot use them."""
    for name, model in members if sample_weight is not None else ():
        if not takes_weights(model):
            raise TypeError(
                f"Underlying estimator {type(model).__name__} does not support sample weights. Leave sample_weight "
                f"out, or set member {name!r} to 'drop'."
            )


def takes_weights(model: Any) -> bool:
    """Whether `fit` takes sample_weight."""
    return getattr(model, "takes_weights", False) or has_fit_parameter(model, "sample_weight")


def fit_one(model: Any, X: Any, y: Any, params: Mapping[str, Any], rows: np.ndarray | None = None) -> Any:
    """Fit the model on some of the rows (None: all) and return it; `params` with one value per row are subset, too."""
    if rows is not None:
        params = _check_method_params(X, params=params, indices=rows)
        X, y = _safe_indexing(with_rows(X), rows), y[rows]
    model.fit(X, y, **params)  # what it returns may be nothing
    return model


def fit_members(
    members: Sequence[Member],
    X: Any,
    y: np.ndarray,
    params: FitParams = MappingProxyType({}),
    *,
    rows: np.ndarray | None = None,
    own: Mapping[str, np.ndarray] | None = None,
    n_jobs: int | None = None,
    verbose: Any = False,
) -> list[Any]:
    """Return clones of the members, fitted on some of the rows (None: all); `own` has the targets of exceptions.

    >>> from sklearn.dummy import DummyRegressor
    >>> (model,) = fit_members([("mean", DummyRegressor())], [[0], [0]], np.array([1.0, 3.0]))
    >>> float(model.predict([[0]])[0])
    2.0
    """

    def work(name: str, model: Any) -> Any:
        return fit_one(model, X, (own or {}).get(name, y), params.get(name, {}), rows)

    return run_members(work, members, n_jobs, "fit", verbose)


def predict_held_out(
    members: Sequence[Member],
    methods: Sequence[str],
    X: Any,
    y: np.ndarray,
    splits: Sequence[Split],
    params: FitParams = MappingProxyType({}),
    *,
    own: Mapping[str, np.ndarray] | None = None,
    n_jobs: int | None = None,
    verbose: Any = False,
) -> list[np.ndarray]:
    """Return each member's predictions for every row, by clones that were not fitted on the row.

    Unlike scikit-learn's `cross_val_predict`, it passes labels to the members, not class indices.

    >>> from sklearn.dummy import DummyRegressor
    >>> splits = [(np.array([0]), np.array([1])), (np.array([1]), np.array([0]))]
    >>> predict_held_out([("mean", DummyRegressor())], ["predict"], [[0], [0]], np.array([1.0, 3.0]), splits)
    [array([3., 1.])]
    """
    method_of = dict(zip([name for name, _ in members], methods))
    place = _places([test for _, test in splits], len(y))

    def work(name: str, model: Any) -> np.ndarray:
        target, method = (own or {}).get(name, y), method_of[name]
        classes = np.unique(target) if is_classifier(model) and target.ndim == 1 else None
        parts = []
        for train, test in splits:
            X_train, y_train = _safe_split(model, X, target, train)
            some = _check_method_params(X, params=params.get(name, {}), indices=train)
            fitted = fit_one(clone(model), X_train, y_train, some)
            X_test, _ = _safe_split(model, X, None, test, train)
            answer = answer_of(fitted, method, X_test)
            parts.append(answer if classes is None else in_order(answer, fitted, method, classes))
        return np.concatenate(parts)[place]

    return run_members(work, members, n_jobs, "cross-validation", verbose)


def _places(tests: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Where each row is in the held-out parts laid end to end."""
    rows = np.concatenate([np.arange(n_rows)[test] for test in tests])
    if len(rows) != n_rows or np.bincount(rows, minlength=n_rows).max() > 1:
        raise ValueError("cv must hold out every row exactly once. Use KFold or StratifiedKFold, for example.")
    place = np.empty(n_rows, np.intp)
    place[rows] = np.arange(n_rows)
    return place


def answer_of(model: Any, method: str, X: Any) -> np.ndarray:
    """Return the result of a fitted model's method for X; for multilabel targets, each label's probability of being 1.

    >>> class Model:
    ...     classes_ = [np.array([0, 1]), np.array([0])]
    ...     def predict_proba(self, X):
    ...         return [np.array([[0.25, 0.75]]), np.array([[1.0]])]
    >>> answer_of(Model(), "predict_proba", [[0.0]])
    array([[0.75, 0.  ]])
    """
    answer = getattr(model, method)(X)
    if not isinstance(answer, list):
        return np.asarray(answer)
    by_label = zip(answer, model.classes_)
    return np.column_stack([np.asarray(one)[:, np.asarray(classes) == 1].sum(axis=1) for one, classes in by_label])


def in_order(answer: np.ndarray, model: Any, method: str, classes: np.ndarray) -> np.ndarray:
    """Return a classifier's predictions with a column for each of `classes`, including those it was not fitted on.

    >>> class Model:
    ...     classes_ = np.array(["b", "a"])
    >>> in_order(np.array([[1.0, 0.0]]), Model(), "predict_proba", np.array(["a", "b"]))
    array([[0., 1.]])
    """
    if method == "predict" or not hasattr(model, "classes_") or np.array_equal(model.classes_, classes):
        return answer
    own = np.asarray(model.classes_)
    seen = f"the classes {own.tolist()} of {classes.tolist()}"
    if not np.isin(own, classes).all():
        raise ValueError(f"it was fitted on other classes, {own.tolist()} instead of {classes.tolist()}.")
    if method == "decision_function" and (len(own) < 3 or answer.ndim != 2 or answer.shape[1] != len(own)):
        raise ValueError(
            f"it was fitted on {seen}, and decision_function has no values for the others. Use stratified folds (cv), "
            "or stack_method='predict'."
        )
    if len(own) < len(classes):
        warn_caller(
            f"A member was fitted on {seen} only. The others get the smallest {method}. Use stratified folds (cv).",
            RuntimeWarning,
        )
    least = 0.0 if method == "predict_proba" else np.finfo(answer.dtype).min
    filled = np.full((len(answer), len(classes)), least, answer.dtype)
    filled[:, np.searchsorted(classes, own)] = answer
    return filled


def class_numbers(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the indices in `classes` of the labels that a member predicts.

    >>> class_numbers(np.array(["no", "yes", "no"]), np.array(["no", "yes"]))
    array([0, 1, 0])
    """
    distinct, inverse = np.unique(labels, return_inverse=True)
    known = np.isin(distinct, classes)
    if not known.all():
        unknown = distinct[~known].tolist()[0]
        raise ValueError(f"it predicts {unknown!r}, which is none of the classes {classes.tolist()}.")
    return np.searchsorted(classes, distinct)[inverse.ravel()]


def score_held_out(
    members: Sequence[Member],
    scorers: Sequence[Callable[..., float]],
    X: Any,
    y: np.ndarray,
    splits: Sequence[Split],
    params: FitParams = MappingProxyType({}),
    sample_weight: np.ndarray | None = None,
    *,
    n_jobs: int | None = None,
    verbose: Any = False,
) -> list[np.ndarray]:
    """Return each member's scores on the held-out rows, one per split, with these weights.

    >>> from sklearn.dummy import DummyClassifier
    >>> splits = [(np.array([0, 1]), np.array([2]))]
    >>> accuracy = lambda model, X, y: model.score(X, y)
    >>> score_held_out([("a", DummyClassifier())], [accuracy], [[0], [0], [0]], np.array([1, 1, 1]), splits)
    [array([1.])]
    """
    scorer_of = dict(zip([name for name, _ in members], scorers))

    def work(name: str, model: Any) -> np.ndarray:
        scores = []
        for train, test in splits:
            fitted = fit_one(clone(model), X, y, params.get(name, {}), train)
            weights = {} if sample_weight is None else {"sample_weight": sample_weight[test]}
            scores.append(scorer_of[name](fitted, _safe_indexing(with_rows(X), test), y[test], **weights))
        return np.array(scores, np.float64)

    return run_members(work, members, n_jobs, "cross-validation", verbose)


# ----------------------------------------------------------------------------------------------------------------------
# Stacking: predictions for held-out rows, one array per model -> columns for the final model; and which rows are held
# out. No model is fitted here.


def meta_columns(predictions: Sequence[np.ndarray], are_pairs: Sequence[bool]) -> list[np.ndarray]:
    """Return each model's predictions as a block of columns.

    Of two probabilities that add up to 1 (`are_pairs`), only the second is kept.

    >>> meta_columns([np.array([[0.25, 0.75]]), np.array([3.0])], [True, False])
    [array([[0.75]]), array([[3.]])]
    """
    blocks = [one.reshape(-1, 1) if one.ndim == 1 else one for one in predictions]
    return [block[:, 1:] if is_pair else block for block, is_pair in zip(blocks, are_pairs)]


def beside(columns: np.ndarray, names: Sequence[str], X: Any) -> Any:
    """Return the columns followed by those of X.

    A DataFrame with strings or categories stays a DataFrame, so that the final model sees them; others become an array.

    >>> beside(np.array([[0.5]]), ["tree"], [[1, 2]])
    array([[0.5, 1. , 2. ]])
    """
    if sparse.issparse(X):
        return sparse.hstack([columns, X], format=X.format)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or all(kind.is_numeric() for kind in frame.schema.values()):
        return np.hstack([columns, X])
    backend = frame.implementation
    new = [nw.new_series(name, columns[:, k].copy(), backend=backend) for k, name in enumerate(names)]
    return frame.with_columns(*new).select(*names, *frame.columns).to_native()


def split_off(strata: np.ndarray, fraction: float, random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to fit on and those held out: about `fraction` of each stratum, and never all of it.

    >>> learn, held_out = split_off(np.array([0, 0, 0, 0, 1, 1, 1, 1]), 0.25, np.random.RandomState(0))
    >>> len(learn), np.array([0, 0, 0, 0, 1, 1, 1, 1])[held_out].tolist()
    (6, [0, 1])
    """
    held_out = np.zeros(len(strata), bool)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        count = min(round(fraction * len(rows)), len(rows) - 1)
        held_out[random.permutation(rows)[:count]] = True
    if not held_out.any():
        raise ValueError(
            f"holdout_fraction={fraction} holds out no rows of n_samples = {len(strata)}. "
            "Increase it, or use cross-validation (cv=5)."
        )
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)
