"""The leaderboard of an automatic model: the candidates, as columns and as text.

In: one record per family. Out: a dict of arrays; lines of text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spinney.view.numbers import short


def leaderboard_columns(tried: Sequence[Any], weights: Mapping[str, float]) -> dict[str, np.ndarray]:
    """One row per family: the best score first, those without one last.

    A record has a name, parameters, a score and its spread, seconds and a note; `weights` are those of the models that
    predict, by name.
    """
    rows = sorted(tried, key=lambda one: math.inf if math.isnan(one.score) else -one.score)
    return {
        "name": np.array([one.name for one in rows], object),
        "parameters": np.fromiter((dict(one.parameters) for one in rows), object, len(rows)),
        "score": np.array([one.score for one in rows], np.float64),
        "spread": np.array([one.spread for one in rows], np.float64),
        "seconds": np.array([one.seconds for one in rows], np.float64),
        "weight": np.array([weights.get(one.name, 0.0) for one in rows], np.float64),
        "note": np.array([one.note for one in rows], object),
    }


def leaderboard_text(columns: Mapping[str, np.ndarray], title: str, combined: float) -> str:
    """The same to be read; `combined` is the score of the weighted mean, NaN if there is none.

    >>> columns = {"name": ["boosting"], "score": [-0.25], "spread": [0.125], "seconds": [1.5], "weight": [1.0]}
    >>> print(leaderboard_text({**columns, "note": [""]}, "neg_log_loss, 5 folds", math.nan))
    neg_log_loss, 5 folds
                   score    spread   seconds  weight
      boosting     -0.25     0.125       1.5    1.00
    """
    width = max(len(name) for name in [*columns["name"], "combined"])
    lines = [title, f"  {'':{width}} {'score':>9} {'spread':>9} {'seconds':>9} {'weight':>7}"]
    for k, name in enumerate(columns["name"]):
        numbers = [short(columns[one][k]) for one in ("score", "spread", "seconds")]
        cells = " ".join(f"{one:>9}" for one in numbers)
        note = f"  {columns['note'][k]}" if columns["note"][k] else ""
        lines.append(f"  {name:{width}} {cells} {columns['weight'][k]:>7.2f}{note}")
    if not math.isnan(combined):
        lines.append(f"  {'combined':{width}} {short(combined):>9}")
    return "\n".join(lines)
