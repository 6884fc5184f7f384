"""Gradient boosting as a model of AutoGluon, so that it can be entered on TabArena's board.

    from benchmarks.tabarena import SpinneyModel
    TabularPredictor(label="y").fit(train, hyperparameters={SpinneyModel: {}})

A model gets its own validation set, which decides the number of rounds; it is not fitted again on all rows. Without
one (AutoGluon's `refit_full`) it is fitted with the number of rounds that was found. `time_limit` is `time_budget`,
`num_cpus` is `n_jobs`, and the board's seed is `random_state`. Categories and missing values come as they are.

AutoGluon is imported when `SpinneyModel` is asked for.
"""

from __future__ import annotations

import time
from typing import Any

_DEFAULTS = {"n_estimators": 10_000, "learning_rate": 0.05, "n_iter_no_change": 50}
_OVERHEAD = 500_000_000  # bytes: Python, the libraries, machine code
_PER_CELL = 18  # bytes: the table as it comes and as it is read, codes by column and by row
_PER_ROW = 64  # bytes per class: target, order, scores, derivatives
_LEAST_SECONDS = 0.1
_RAW_TYPES = ["int", "float", "category"]


class Wrapper:
    """What AutoGluon asks of a model; it is mixed into its `AbstractModel`."""

    ag_key, ag_name, seed_name = "SPINNEY", "Spinney", "random_state"
    _supported_problem_types = ("binary", "multiclass", "regression")

    def _fit(
        self: Any,
        X: Any,
        y: Any,
        X_val: Any = None,
        y_val: Any = None,
        time_limit: float | None = None,
        num_cpus: int = 1,
        sample_weight: Any = None,
        **_: Any,
    ) -> None:
        begun = time.perf_counter()
        from spinney import GradientBoostingClassifier, GradientBoostingRegressor

        kind = GradientBoostingRegressor if self.problem_type == "regression" else GradientBoostingClassifier
        X, params = self.preprocess(X, is_train=True), {"n_jobs": num_cpus, **self._get_model_params()}
        sets = {} if X_val is None else {"eval_set": (self.preprocess(X_val), y_val)}
        if not sets and params["n_estimators"] != "auto":
            params["n_iter_no_change"] = None
        if time_limit is not None:
            left = 0.95 * time_limit - (time.perf_counter() - begun)
            params["time_budget"] = max(_LEAST_SECONDS, left)
        self.model = kind(**params).fit(X, y, sample_weight, **sets)
        if sets and params["n_estimators"] != "auto":
            self.params_trained["n_estimators"] = int(self.model.best_iteration_)

    def _set_default_params(self: Any) -> None:
        for name, value in _DEFAULTS.items():
            self._set_default_param_value(name, value)

    def _get_default_auxiliary_params(self: Any) -> dict[str, Any]:
        return {**super()._get_default_auxiliary_params(), "valid_raw_types": _RAW_TYPES}  # type: ignore[misc]

    def _estimate_memory_usage(self: Any, X: Any, **rest: Any) -> int:
        params = self._get_model_params()
        known = {"problem_type": self.problem_type, "num_classes": self.num_classes, "hyperparameters": params}
        return int(self.estimate_memory_usage_static(X=X, **known, **rest))

    @classmethod
    def _estimate_memory_usage_static(cls, *, X: Any, num_classes: int | None = 1, **_: Any) -> int:
        """Bytes that a fit needs at most, about."""
        n_rows, n_columns = X.shape
        return int(_OVERHEAD + n_rows * (_PER_CELL * n_columns + _PER_ROW * max(1, num_classes or 1)))

    @classmethod
    def _class_tags(cls) -> dict[str, Any]:
        return {"can_estimate_memory_usage_static": True}

    @classmethod
    def warmup(cls, **_: Any) -> None:
        """Compile what boosting needs, once per machine."""
        from spinney.warmup import compile_ahead

        compile_ahead(["boosting"])


def __getattr__(name: str) -> Any:
    if name != "SpinneyModel":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from autogluon.core.models import AbstractModel

    made = type(name, (Wrapper, AbstractModel), {"__module__": __name__, "__doc__": Wrapper.__doc__})
    globals()[name] = made  # pickles look for it here
    return made
