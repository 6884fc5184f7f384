"""Surrogates: a small tree that approximates a model.

In: any fitted model, and rows. Out: a `Surrogate`: a decision tree fitted on the model's predictions for the rows, and
how often the two agree, on these rows and on held-out rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import r2_score
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from spinney.data.reading import with_rows
from spinney.data.tables import is_streamed


@dataclass(frozen=True)
class Surrogate:
    """A decision tree that approximates a model.

    Attributes
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        Tree fitted on the predictions of the model.
    fidelity : float
        On the rows that the tree was fitted on: the fraction of rows on which both predict the same; R^2 for
        regression.
    held_out_fidelity : float
        The same on rows that the tree was not fitted on. NaN if no rows were held out.
    measure : str
        "accuracy" or "R2".

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import surrogate
    >>> X, y = load_penguins()
    >>> small = surrogate(RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y), X)
    >>> small.measure
    'accuracy'
    """

    tree: Any
    fidelity: float
    held_out_fidelity: float
    measure: str

    def __repr__(self) -> str:
        from spinney.view.text import export_text

        fresh = "" if self.held_out_fidelity != self.held_out_fidelity else f", {self.held_out_fidelity:.3f} held out"
        leaves = self.tree.get_n_leaves()
        head = f"a tree of {leaves} leaves; fidelity ({self.measure}) {self.fidelity:.3f}{fresh}"
        return f"{head}\n{export_text(self.tree)}"


def surrogate(
    model: Any,
    X: Any,
    *,
    max_leaf_nodes: int = 8,
    held_out: float = 0.25,
    random_state: int | None = 0,
    **parameters: Any,
) -> Surrogate:
    """Fit a small decision tree to the predictions of a model, and measure how well it approximates the model.

    Parameters
    ----------
    model : fitted model
        Any estimator with `predict`, from Spinney or another library.
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows like those that the model was fitted on. No target is needed.
    max_leaf_nodes : int, default=8
        Maximum number of leaves of the tree.
    held_out : float, default=0.25
        Fraction of the rows that the tree is evaluated on and not fitted on; 0 holds none out.
    random_state : int or None, default=0
        Seed that chooses the held-out rows.
    **parameters
        Other parameters of the tree, such as `max_depth` or `criterion`.

    Returns
    -------
    Surrogate
        The tree and its fidelity.

    Examples
    --------
    >>> from spinney import RandomForestClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.explain import surrogate
    >>> X, y = load_penguins()
    >>> model = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> small = surrogate(model, X, max_leaf_nodes=4)
    >>> small.tree.get_n_leaves(), small.held_out_fidelity > 0.9
    (4, True)
    """
    import spinney

    if isinstance(model, type) or not hasattr(model, "predict"):
        raise TypeError(f"model must be a fitted model with a method predict, got {model!r:.80}.")
    check_is_fitted(model)
    if isinstance(held_out, bool) or not isinstance(held_out, int | float) or not 0 <= held_out < 1:
        raise ValueError(f"held_out must be a fraction from 0 to below 1, got {held_out!r}.")
    if is_streamed(X):
        X.refuse_values("surrogate")
    X = with_rows(X)
    says = np.asarray(model.predict(X))
    names = is_classifier(model) or says.dtype.kind in "OUSTb"
    kind: Any = spinney.DecisionTreeClassifier if names else spinney.DecisionTreeRegressor
    n = _num_samples(X)
    n_held = round(held_out * n)
    if n - n_held < 2:
        raise ValueError(f"X must have at least 2 rows to fit a tree on, got {n} with held_out={held_out!r}.")
    order = np.random.default_rng(random_state).permutation(n)
    rest, kept = np.sort(order[:n_held]), np.sort(order[n_held:])
    tree = kind(max_leaf_nodes=max_leaf_nodes, **parameters)
    tree.fit(_safe_indexing(X, kept), says[kept])

    def agree(rows: np.ndarray) -> float:
        if not len(rows):
            return float("nan")
        answers = tree.predict(_safe_indexing(X, rows))
        if not names:
            return float(r2_score(says[rows], answers))
        return float((says[rows] == answers).reshape(len(rows), -1).all(axis=1).mean())  # of all outputs

    return Surrogate(tree, agree(kept), agree(rest), "accuracy" if names else "R2")
