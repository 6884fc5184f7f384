"""The wrapper for TabArena, on a stand-in of what it uses of AutoGluon's `AbstractModel`."""

import pickle
import sys
import types

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

from benchmarks import tabarena
from spinney.datasets import load_penguins


class AbstractModel:
    """AutoGluon's, as far as a model is built, fitted and asked."""

    def __init__(self, problem_type, num_classes=None, hyperparameters=None):
        self.problem_type, self.num_classes = problem_type, num_classes
        self.params, self.params_trained, self.model = dict(hyperparameters or {}), {}, None
        self._set_default_params()

    def _set_default_param_value(self, name, value):
        self.params.setdefault(name, value)

    def _get_model_params(self):
        return dict(self.params)

    def _get_default_auxiliary_params(self):
        return {"max_memory_usage_ratio": 1.0}

    def preprocess(self, X, is_train=False):
        return X

    @classmethod
    def estimate_memory_usage_static(cls, **given):
        return cls._estimate_memory_usage_static(**given)


@pytest.fixture
def make(monkeypatch):
    modules = {name: types.ModuleType(name) for name in ("autogluon", "autogluon.core", "autogluon.core.models")}
    modules["autogluon.core.models"].AbstractModel = AbstractModel
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    yield tabarena.SpinneyModel
    del tabarena.SpinneyModel


def split(frame, target):
    return train_test_split(frame, target, random_state=0)


def test_the_validation_set_decides_the_rounds_and_the_refit_has_as_many(make):
    X, X_val, y, y_val = split(*load_penguins())
    model = make("multiclass", 3, {"random_state": 1, "n_iter_no_change": 5})
    model._fit(X, y, X_val, y_val, num_cpus=1, num_gpus=0)
    n_rounds = model.params_trained["n_estimators"]
    assert 1 <= n_rounds == model.model.best_iteration_ < model.params["n_estimators"]
    assert (model.model.n_jobs, model.model.random_state) == (1, 1)
    again = make("multiclass", 3, {**model.params, **model.params_trained})
    again._fit(X, y)
    assert again.model.n_estimators_ == n_rounds
    np.testing.assert_array_equal(again.model.predict_proba(X_val), model.model.predict_proba(X_val))


def test_numbers_in_limited_time_and_pickled(make):
    random = np.random.RandomState(0)
    X = pd.DataFrame(random.randn(400, 4), columns=list("abcd")).assign(e=pd.Categorical(random.randint(0, 3, 400)))
    X, X_val, y, y_val = split(X, X["a"] + X["e"].cat.codes)
    model = make("regression", hyperparameters={"n_estimators": 20})
    model._fit(X, y, X_val, y_val, time_limit=60.0, sample_weight=np.ones(len(X)))
    assert model.model.score(X_val, y_val) > 0.5
    assert 0 < model.model.time_budget <= 57.0
    same = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(same.model.predict(X_val), model.model.predict(X_val))


def test_what_the_scheduler_asks(make, monkeypatch):
    X = pd.DataFrame(np.zeros((100, 7)))
    model = make("multiclass", 5)
    grown = model._estimate_memory_usage(pd.concat([X, X])) - model._estimate_memory_usage(X)
    assert grown == 100 * (7 * tabarena._PER_CELL + 5 * tabarena._PER_ROW)
    assert make._class_tags() == {"can_estimate_memory_usage_static": True}
    assert model._get_default_auxiliary_params()["valid_raw_types"] == ["int", "float", "category"]
    called = []
    monkeypatch.setattr("spinney.warmup.compile_ahead", called.append)
    make.warmup()
    assert called == [["boosting"]]


def test_other_names_are_unknown():
    with pytest.raises(AttributeError, match="no attribute 'Model'"):
        tabarena.__getattr__("Model")
