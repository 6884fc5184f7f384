"""Every library's estimator at its defaults, given only the names of the categorical columns.

Only the number of threads and the seed are set, and output is turned off. Where a library does not accept the data
directly, its adapter does the minimum that its documentation requires: it names CatBoost's categorical columns and
turns their missing values into a string, pools rare categories for HistGradientBoosting, which supports at most 255,
and encodes categories as integers for scikit-learn's forests.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from benchmarks.data import Task

MOST_CATEGORIES = 255
Prepare = Callable[[pd.DataFrame, pd.DataFrame], tuple[pd.DataFrame, pd.DataFrame]]
Make = Callable[[Task, int, int, list[str]], Any]
Family = Literal["boosting", "forest", "extra"]
_NAMES: dict[Family, str] = {"boosting": "GradientBoosting", "forest": "RandomForest", "extra": "ExtraTrees"}


def estimator_name(family: Family, task: Task) -> str:
    """The name that Spinney and scikit-learn share."""
    return _NAMES[family] + ("Regressor" if task == "regression" else "Classifier")


def as_they_are(train: pd.DataFrame, test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Nothing to do."""
    return train, test


@dataclass(frozen=True)
class Contestant:
    """A library at its defaults. `make` takes the task, the threads, the seed and the categorical columns."""

    name: str
    package: str
    make: Make
    prepare: Prepare = as_they_are
    cached: bool = True
    fit: dict[str, Any] = field(default_factory=dict)  # further arguments of fit

    @property
    def label(self) -> str:
        """Name and version, under which results are kept."""
        try:
            return f"{self.name}-{version(self.package)}"
        except PackageNotFoundError:
            return self.name

    def is_installed(self) -> bool:
        """Whether the library is here; says so if it is not."""
        is_here = self.label != self.name
        if not is_here:
            print(f"note: {self.name} is left out: {self.package} is not installed")
        return is_here

    def scores(
        self, task: Task, parts: tuple[pd.DataFrame, NDArray[Any], pd.DataFrame], threads: int, seed: int
    ) -> NDArray[Any]:
        """Fit the training part (X, y) and predict the test part's probabilities or numbers."""
        X, y, X_test = parts
        categorical = [str(c) for c in X.columns if isinstance(X[c].dtype, pd.CategoricalDtype)]
        X, X_test = self.prepare(X, X_test)
        model = self.make(task, threads, seed, categorical)
        with threadpool_limits(threads, user_api="openmp"):  # the only way to tell HistGradientBoosting
            model.fit(X, y, **self.fit)
        if task == "regression":
            return np.asarray(model.predict(X_test))
        probabilities = np.asarray(model.predict_proba(X_test))
        return probabilities[:, 1] if task == "binary" else probabilities


def pool_rare(train: pd.DataFrame, test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Columns with too many categories keep the most frequent of the training part; the others become one."""
    train, test = train.copy(), test.copy()
    for column in train.columns:
        if not isinstance(train[column].dtype, pd.CategoricalDtype):
            continue
        counts = train[column].value_counts()
        if (counts > 0).sum() <= MOST_CATEGORIES:
            continue
        frequent = list(counts.index[: MOST_CATEGORIES - 1])
        train[column] = _pooled(train[column], frequent)
        test[column] = _pooled(test[column], frequent)
    return train, test


def name_missing(train: pd.DataFrame, test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Categories as text, a missing one as a word of its own."""
    categorical = [c for c in train.columns if isinstance(train[c].dtype, pd.CategoricalDtype)]
    as_text = {c: lambda frame, c=c: frame[c].astype(object).where(frame[c].notna(), "missing") for c in categorical}
    return train.assign(**as_text), test.assign(**as_text)


def number_categories(train: pd.DataFrame, test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Every category's place in the alphabet; missing ones stay missing, and one that the training part lacks is -1."""
    from sklearn.preprocessing import OrdinalEncoder

    categorical = [c for c in train.columns if isinstance(train[c].dtype, pd.CategoricalDtype)]
    if not categorical:
        return train, test
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    train, test = train.copy(), test.copy()
    numbers = encoder.fit_transform(train[categorical].astype(object))
    test_numbers = encoder.transform(test[categorical].astype(object))
    for k, column in enumerate(categorical):
        train[column], test[column] = numbers[:, k], test_numbers[:, k]
    return train, test


def _pooled(column: "pd.Series[Any]", frequent: list[Any]) -> "pd.Series[Any]":
    rare = "(rare)"
    values = column.astype(object)
    return values.where(values.isin(frequent) | values.isna(), rare).astype(pd.CategoricalDtype([*frequent, rare]))


def _lightgbm(task: Task, threads: int, seed: int, categorical: list[str]) -> Any:
    import lightgbm

    estimator = lightgbm.LGBMRegressor if task == "regression" else lightgbm.LGBMClassifier
    return estimator(n_jobs=threads, random_state=seed, verbosity=-1)


def _xgboost(task: Task, threads: int, seed: int, categorical: list[str]) -> Any:
    import xgboost

    estimator = xgboost.XGBRegressor if task == "regression" else xgboost.XGBClassifier
    return estimator(n_jobs=threads, random_state=seed, enable_categorical=True)


def _sklearn(task: Task, threads: int, seed: int, categorical: list[str]) -> Any:
    estimator = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    return estimator(random_state=seed)


def _catboost(task: Task, threads: int, seed: int, categorical: list[str]) -> Any:
    import catboost

    estimator = catboost.CatBoostRegressor if task == "regression" else catboost.CatBoostClassifier
    return estimator(
        cat_features=categorical, thread_count=threads, random_seed=seed, verbose=False, allow_writing_files=False
    )


def _chimeraboost(task: Task, threads: int, seed: int, categorical: list[str]) -> Any:
    import chimeraboost

    estimator = chimeraboost.ChimeraBoostRegressor if task == "regression" else chimeraboost.ChimeraBoostClassifier
    return estimator(cat_features=categorical or None, thread_count=threads, random_state=seed)


class _HessboostModel:
    """hessboost has no estimators: its `train` with the rounds of XGBoost's estimator, categories as their codes."""

    def __init__(self, task: Task, threads: int, seed: int) -> None:
        self.task, self.params = task, {"nthread": threads, "seed": seed}

    def fit(self, X: pd.DataFrame, y: NDArray[Any]) -> None:
        """A table of numbers, then the rounds."""
        import hessboost

        objective = {"regression": "reg:squarederror", "binary": "binary:logistic", "multiclass": "multi:softprob"}
        params: dict[str, Any] = {**self.params, "objective": objective[self.task]}
        if self.task == "multiclass":
            params["num_class"] = int(y.max()) + 1
        table = hessboost.DMatrix(self._numbers(X), label=np.asarray(y, np.float32))
        self.booster = hessboost.train(params, table, 100, verbose_eval=False)

    def predict(self, X: pd.DataFrame) -> NDArray[Any]:
        """Values."""
        return np.asarray(self.booster.predict(self._numbers(X)), np.float64)

    def predict_proba(self, X: pd.DataFrame) -> NDArray[Any]:
        """Probabilities of the classes."""
        found = self.predict(X)
        return found if self.task == "multiclass" else np.column_stack([1.0 - found, found])

    def _numbers(self, X: pd.DataFrame) -> NDArray[np.float32]:
        codes = {c: X[c].cat.codes.where(X[c].notna()) for c in X if isinstance(X[c].dtype, pd.CategoricalDtype)}
        return np.ascontiguousarray(X.assign(**codes).to_numpy(np.float32))


def _hessboost(task: Task, threads: int, seed: int, categorical: list[str]) -> Any:
    return _HessboostModel(task, threads, seed)


@dataclass(frozen=True)
class SklearnForest:
    """Makes scikit-learn's forests."""

    family: Family

    def __call__(self, task: Task, threads: int, seed: int, categorical: list[str]) -> Any:
        """An estimator for the task."""
        home = importlib.import_module("sklearn.ensemble")
        return getattr(home, estimator_name(self.family, task))(n_jobs=threads, random_state=seed)


@dataclass(frozen=True)
class SpinneyMake:
    """Makes Spinney's estimators with some parameters changed."""

    changes: dict[str, Any] = field(default_factory=dict)
    family: Family = "boosting"

    def __call__(self, task: Task, threads: int, seed: int, categorical: list[str]) -> Any:
        """An estimator for the task."""
        estimator = getattr(importlib.import_module("spinney"), estimator_name(self.family, task))
        return estimator(**{"n_jobs": threads, "random_state": seed, **self.changes})


def spinney_variant(
    name: str, changes: dict[str, Any], family: Family = "boosting", fit: dict[str, Any] | None = None
) -> Contestant:
    """Spinney with some defaults changed; never taken from the cache, since it is what is being worked on."""
    return Contestant(name, "spinney", SpinneyMake(changes, family), cached=False, fit=fit or {})


CONTESTANTS: dict[Family, dict[str, Contestant]] = {
    "boosting": {
        contestant.name: contestant
        for contestant in (
            Contestant("lightgbm", "lightgbm", _lightgbm),
            Contestant("xgboost", "xgboost", _xgboost),
            Contestant("sklearn", "scikit-learn", _sklearn, pool_rare),
            Contestant("catboost", "catboost", _catboost, name_missing),
            Contestant("hessboost", "hessboost", _hessboost),
            Contestant("chimeraboost", "chimeraboost", _chimeraboost),
        )
    },
    "forest": {"sklearn": Contestant("sklearn", "scikit-learn", SklearnForest("forest"), number_categories)},
    "extra": {"sklearn": Contestant("sklearn", "scikit-learn", SklearnForest("extra"), number_categories)},
}
