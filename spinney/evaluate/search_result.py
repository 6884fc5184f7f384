"""The result of a search, with scikit-learn's names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.ma import MaskedArray
from scipy.stats import rankdata

from spinney.evaluate.cross_validation import gather
from spinney.evaluate.runs import Outcome

_SHOWN = 5  # candidates that are printed
_HANDED_ON = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
    "transform",
    "apply",
    "classes_",
    "n_features_in_",
    "feature_names_in_",
)


@dataclass(repr=False)
class SearchResult:
    """The candidates of a search and their scores. It predicts with the best candidate.

    Attributes
    ----------
    best_params_ : dict
        Parameters of the candidate with the best mean score.
    best_score_ : float
        Its mean score.
    best_index_ : int
        Its index in `cv_results_`.
    best_estimator_ : estimator or None
        Estimator with these parameters, fitted on all rows; None if `refit=False`.
    cv_results_ : dict
        scikit-learn's keys, with one value per candidate: `params`, `param_<name>`, `split<k>_test_<score>`,
        `mean_test_<score>`, `std_test_<score>`, `rank_test_<score>`, `mean_fit_time` and so on; with halving also
        `iter` and `n_resources`. `pandas.DataFrame(result.cv_results_)` converts it.
    metric : str
        The score that chose the best candidate.
    n_splits_ : int
        Number of folds.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> from spinney.evaluate import search
    >>> found = search(DecisionTreeClassifier(), {"max_depth": [1, 3]}, *load_penguins(), cv=3)
    >>> found.best_params_, found.n_splits_
    ({'max_depth': 3}, 3)
    """

    cv_results_: dict[str, Any]
    best_index_: int
    best_params_: dict[str, Any]
    best_score_: float
    best_estimator_: Any
    metric: str
    n_splits_: int

    def __getattr__(self, name: str) -> Any:
        if name not in _HANDED_ON:
            raise AttributeError(f"'SearchResult' has no attribute {name!r}")
        if self.best_estimator_ is None:
            raise AttributeError(
                f"{name} needs the best model, which refit=False does not fit. Search with refit=True."
            )
        return getattr(self.best_estimator_, name)

    def table(self) -> dict[str, list[Any]]:
        """Return the candidates from best to worst as a table.

        Returns
        -------
        dict of str to list
            Columns: rank, score, spread, times and parameters, with one value per candidate.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.evaluate import search
        >>> found = search(DecisionTreeClassifier(), {"max_depth": [1, 3]}, *load_penguins(), cv=3)
        >>> found.table()["max_depth"]
        [3, 1]
        """
        results = self.cv_results_
        score = next(key for key in results if key.startswith("rank_test_")).removeprefix("rank_test_")
        if f"mean_test_{self.metric}" in results:
            score = self.metric
        keys = {
            "rank": f"rank_test_{score}",
            "mean_score": f"mean_test_{score}",
            "std_score": f"std_test_{score}",
            "fit_time": "mean_fit_time",
        }
        keys |= {name: name for name in ("iter", "n_resources") if name in results}
        keys |= {key.removeprefix("param_"): key for key in results if key.startswith("param_")}
        order = np.lexsort([np.arange(len(results["params"])), results[keys["rank"]]])
        if "iter" in results:
            order = np.lexsort([results[keys["rank"]], -results["iter"]])
        return {name: [_plain(results[key][k]) for k in order] for name, key in keys.items()}

    def __repr__(self) -> str:
        n = len(self.cv_results_["params"])
        spread = self.table()["std_score"][0]
        lines = [
            f"SearchResult: {n} candidates on {self.n_splits_} folds",
            f"  best {self.metric} {self.best_score_:.5g} +- {spread:.2g} with {self.best_params_}",
        ]
        table = self.table()
        names = [name for name in table if name not in ("rank", "std_score", "fit_time")]
        rows = [names, *([_short(table[name][k]) for name in names] for k in range(min(n, _SHOWN)))]
        widths = [max(len(row[k]) for row in rows) for k in range(len(names))]
        lines += ["  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths)) for row in rows]
        return "\n".join(lines + ([f"  and {n - _SHOWN} more"] if n > _SHOWN else []))


def _plain(value: Any) -> Any:
    if value is np.ma.masked:
        return None
    return value.item() if isinstance(value, np.generic) else value


def _short(value: Any) -> str:
    text = f"{value:.5g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 24 else text[:21] + "..."


def make_results(candidates: Sequence[dict[str, Any]], outcomes: list[list[Outcome]], n_splits: int) -> dict[str, Any]:
    """scikit-learn's `cv_results_`."""
    flat = [one for row in outcomes for one in row]
    shape = (len(candidates), n_splits)
    results: dict[str, Any] = {}
    for key in ("fit_time", "score_time"):
        table = np.array([getattr(one, key) for one in flat]).reshape(shape)
        results |= {f"mean_{key}": table.mean(axis=1), f"std_{key}": table.std(axis=1)}
    results |= _parameter_columns(candidates)
    results["params"] = list(candidates)
    for part in ("test", "train"):
        for name, values in gather([getattr(one, part) for one in flat]).items():
            table = values.reshape(shape)
            results |= {f"split{k}_{part}_{name}": table[:, k] for k in range(n_splits)}
            results |= {f"mean_{part}_{name}": table.mean(axis=1), f"std_{part}_{name}": table.std(axis=1)}
            if part == "test":
                results[f"rank_test_{name}"] = ranks(results[f"mean_test_{name}"])
    return results


def ranks(means: np.ndarray) -> np.ndarray:
    """1 for the largest; ties share the better rank, and NaN come last."""
    known = np.where(np.isnan(means), np.nanmin(means) - 1 if not np.isnan(means).all() else 0.0, means)
    return rankdata(-known, method="min").astype(np.int32)


def _parameter_columns(candidates: Sequence[dict[str, Any]]) -> dict[str, MaskedArray]:
    """One masked column a parameter: candidates that do not set it are masked."""
    columns: dict[str, MaskedArray] = {}
    for k, one in enumerate(candidates):
        for name, value in one.items():
            if name not in columns:
                columns[name] = MaskedArray(np.empty(len(candidates), object), mask=True)
            columns[name][k] = value
    return {f"param_{name}": column for name, column in columns.items()}
