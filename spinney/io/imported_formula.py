"""Models of other libraries as a `Formula`.

In: an `ImportedClassifier` or `ImportedRegressor`. Out: its formula. That of a boosted model has `foreign`: in what
other libraries differ from Spinney.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.io.formula import Foreign, Formula, class_shares

_LINKS = {
    "identity": "identity",
    "sigmoid": "logistic",
    "sigmoid each": "logistic",
    "softmax": "softmax",
    "exp": "exp",
    "log1p exp": "softplus",
    "signed square": "signed_square",
    "hinge": "hinge",
}


def read_imported(model: Any, common: dict[str, Any], classes: tuple[np.ndarray, ...]) -> Formula:
    """The formula of a model that has trees."""
    forest, answering, name = model.forest_, model._answering, type(model).__name__
    if forest.n_trees == 0:
        raise TypeError(f"this {name} has no trees: it predicts the same for every row, so there is nothing to export.")
    if forest.n_classes is not None or forest.n_outputs > 1:
        answers = forest.answers.astype(np.float64)
        is_class = forest.n_classes is not None
        values = (class_shares(answers) if is_class else answers).reshape(forest.n_nodes, -1)
        common |= {"values": values, "start": np.zeros(values.shape[1]), "divisor": float(forest.n_trees)}
        return Formula(**common, link="shares" if is_class else "identity", classes=classes)
    link, scale = _LINKS[answering.link], float(answering.scale)
    divisor = float(model._n_rounds) if answering.averages else 1.0
    if link != "logistic" and scale != 1.0:
        raise TypeError(
            f"this {name} multiplies raw scores by {scale} before the link {answering.link!r}: only sigmoids of "
            "such scores can be exported."
        )
    return Formula(
        **common,
        values=forest.answers[:, 0].astype(np.float64),
        start=np.asarray(answering.start, np.float64),
        link=link,
        divisor=divisor,
        scale=scale,
        classes=classes,
        foreign=Foreign(model._reading, answering.start.dtype == np.float32, answering.second_from),
    )
