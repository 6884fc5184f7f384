"""Prediction on the GPU gives the CPU's answers: simulated, in a process where kernels are plain Python."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import spinney
import spinney.gpu as gpu
from tests.gpu.stand_ins import Cupy
from tests.gpu.test_fits import simulate

PREDICTIONS = Path(__file__).parent / "predictions.py"
OF_ROWS = {"predict", "predict_proba", "predict_log_proba", "predict_quantiles", "decision_function"}
OF_ROWS |= {"apply", "transform", "score_samples", "decision_path"}
# Missing values that go every way are for the CPU.
ON_THE_CPU = [f"C4.5: {name} is here" for name in ("predict", "predict_proba", "predict_log_proba")]


@pytest.mark.slow
def test_answers_are_those_of_the_cpu():
    assert simulate(1, str(PREDICTIONS), "40") == f"differ: {ON_THE_CPU}"


@pytest.mark.slow
def test_threads_of_a_block_agree():
    assert simulate(3, str(PREDICTIONS), "40", "squared error", "classes", "categories", "forest") == "differ: []"


_UNUSUAL = f"""
import pickle, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np, spinney, spinney.gpu
from predictions import same
from spinney.gpu import predict, respond
from stand_ins import Cupy, Torch

respond.hand_over = lambda like, array: Cupy(array)
rng = np.random.default_rng(0)
few = dict(n_estimators=2, max_leaf_nodes=4, min_samples_leaf=3, random_state=0, n_jobs=1)
class Twice(spinney.GradientBoostingRegressor):
    def predict(self, X):
        found = super().predict(X)
        return 2 * (found.get() if isinstance(found, Cupy) else found)

X = rng.integers(0, 9, (40, 3))
y = X[:, 0] * X[:, 1] + 0.5
model = Twice(**few).fit(X, y)
print("subclass", same(model.predict(X), model.predict(Cupy(X))))
model = spinney.GradientBoostingRegressor(**few).fit(X, y)
columns, predict.MOST_TREE_COLUMNS = predict.MOST_TREE_COLUMNS, 1
print("wide", same(model.predict(X), model.predict(Cupy(X))), vars(model._booster.forest)["on_gpu"]["scores"]._short)
predict.MOST_TREE_COLUMNS = columns
model = spinney.GradientBoostingRegressor(**few).fit(X, y)
for kind in (np.int8, np.uint16, np.int64, bool, np.float16):
    print(kind.__name__, same(model.predict(X.astype(kind)), model.predict(Torch(X.astype(kind)))))
print("offset", same(model.predict(X, init_score=y), model.predict(Cupy(X), init_score=y)))
print("score", model.score(X, y) == model.score(Cupy(X), Cupy(y)) == model.score(Cupy(X), y, sample_weight=np.ones(40)))
print("pickled", same(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X)))
spinney.gpu.LARGE = 1
for table in (X.astype(float), np.asfortranarray(X, np.float32)):
    print("sent", same(model.set_params(device="cpu").predict(table), model.set_params(device="cuda").predict(table)))
strict = spinney.RandomForestRegressor(categorical_features=[2], handle_unknown="error", n_estimators=1).fit(X, y)
for wrong, asked in ((X[:, :2], model), (X + 90, strict), (X, spinney.GradientBoostingRegressor())):
    try:
        asked.predict(Cupy(wrong))
    except ValueError as error:
        print(str(error)[:60])
    except Exception as error:
        print(type(error).__name__)
"""


@pytest.mark.slow
def test_unusual_tables_and_models():
    said = simulate(1, "-W", "ignore", "-c", _UNUSUAL).splitlines()
    kinds = ["int8", "uint16", "int64", "bool", "float16"]
    assert said[:-3] == [
        "subclass True",
        "wide True None",
        *(f"{kind} True" for kind in kinds),
        "offset True",
        "score True",
        "pickled True",
        "sent True",
        "sent True",
    ]
    assert said[-3] == "X has 2 features, but GradientBoostingRegressor is expecting"[:60]
    assert said[-2].startswith("Column 2 holds categories that RandomForestRegressor has not")
    assert "is not fitted yet" in said[-1] or said[-1] == "NotFittedError"


def test_every_answer_for_rows_takes_whatever_stands_for_a_table():
    from spinney.estimators.base import TableModel
    from spinney.estimators.combine.composition import Combination

    def all_below(kind):
        return {kind}.union(*map(all_below, kind.__subclasses__()))

    for name in spinney.__all__:  # they are imported when asked for
        getattr(spinney, name)
    for kind in all_below(TableModel) | all_below(Combination):
        if kind.__module__.startswith("spinney."):
            for name in OF_ROWS & vars(kind).keys():
                method = vars(kind)[name]
                assert hasattr(getattr(method, "fn", method), "on_gpu"), f"{kind.__name__}.{name} is not @row_by_row"


def test_without_a_gpu_the_table_is_copied_and_that_is_said(monkeypatch, capsys):
    monkeypatch.setenv("SPINNEY_QUIET", "0")
    monkeypatch.setattr(gpu, "problem_with_gpu", lambda: "none is here, in a prediction.")
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20.0)
    model = spinney.GradientBoostingRegressor(n_estimators=2).fit(X, y)
    assert np.array_equal(model.predict(Cupy(X)), model.predict(X))
    said = "A table on the GPU was copied to predict on the CPU: none is here, in a prediction."
    assert capsys.readouterr().err.count(said) == 1


def test_a_model_fitted_on_a_gpu_predicts_without_one(monkeypatch):
    monkeypatch.setattr(gpu, "LARGE", 1)
    monkeypatch.setattr(gpu, "problem_with_gpu", lambda: "none is here.")
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20.0)
    model = spinney.GradientBoostingRegressor(n_estimators=2).fit(X, y)
    assert np.array_equal(model.predict(X), model.set_params(device="cuda").predict(X))


@pytest.mark.skipif(os.environ.get("SPINNEY_TEST_GPU") != "1", reason="make test-gpu runs it where there is a GPU")
@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_a_true_gpu_agrees(library):
    module = pytest.importorskip(library)
    sys.path.insert(0, str(PREDICTIONS.parent))
    from predictions import differences

    to_gpu = module.asarray if library == "cupy" else lambda X: module.from_numpy(X.copy()).cuda()
    assert differences(20_000, to_gpu=to_gpu) == ON_THE_CPU
