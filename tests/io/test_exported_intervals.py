"""Intervals and sets of exported models: in C and Python those of the models to the bit, in ONNX to rounding."""

import copy
import ctypes

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

import spinney
from spinney import to_c, to_onnx, to_python
from tests.io import test_imported_exports as imported
from tests.io.exported import FITS, NOT_IN_ONNX, X, Y, dicts, fitted, rows_for
from tests.io.test_to_c import Numbers, build, called, encoded, needs_compiler
from tests.io.test_to_onnx import run
from tests.io.test_to_python import load

LEVEL = 0.8
SKIPPED = (
    "isolation",
    "tree-outputs",
    "tree-numbers",
    "forest-outputs",
    "forest-exact",
    "id3",
)  # several outputs; words alone
SMALL = {"max_depth": 4, "random_state": 0}


def calibrated(name):
    """A model of `exported`, calibrated on arbitrary targets, with ties."""
    model = copy.copy(fitted(name))
    classes = getattr(model, "classes_", None)
    return model.calibrate(X, Y if classes is None else np.random.RandomState(0).choice(classes, len(X)))


def by_prediction():
    """Boosting whose errors grow with the prediction, as its held-out rows have told."""
    some, y = make_friedman1(600, noise=1.0, random_state=0)
    settings = {"n_estimators": 40, "early_stopping": True, "validation_fraction": 0.5, "random_state": 0}
    model = spinney.GradientBoostingRegressor(**settings).fit(some, np.exp(y / 5))
    assert model._calibration.spread is not None
    return model, some


MODELS = {
    **{name: lambda name=name: (calibrated(name), rows_for(name)) for name in FITS if name not in SKIPPED},
    "by-prediction": by_prediction,
    "out-of-bag": lambda: (spinney.RandomForestRegressor(30, oob_score=True, **SMALL).fit(X, Y), rows_for("forest")),
    "bagging-numbers": lambda: (
        spinney.BaggingRegressor(n_estimators=30, oob_score=True, random_state=0).fit(X, Y),
        rows_for("forest"),
    ),
    "spread-of-trees": lambda: (
        spinney.ExtraTreesRegressor(10, **SMALL).fit(X, Y).calibrate(X, Y, spread="trees"),
        rows_for("forest"),
    ),
    "weights-in-time": lambda: (
        copy.copy(fitted("forest-numbers")).calibrate(X, Y, times="order"),
        rows_for("forest"),
    ),
    "votes-out-of-bag": lambda: (
        spinney.RandomForestClassifier(30, oob_score=True, **SMALL).fit(X, Y > 1),
        rows_for("forest"),
    ),
}
PAIRS = {}


def model_and_rows(name):
    if name not in PAIRS:
        model, rows = MODELS[name]()
        how = model.predict_set if hasattr(model, "classes_") else model.predict_interval
        PAIRS[name] = model, rows[:60], how(rows[:60], LEVEL)
        assert np.isfinite(PAIRS[name][2]).all()
    return PAIRS[name]


def records(rows):
    return dicts(rows) if hasattr(rows, "columns") else rows.tolist()


@pytest.mark.parametrize("name", list(MODELS))
def test_python_gives_the_models_bits(name):
    model, rows, wanted = model_and_rows(name)
    space = load(to_python(model, interval=LEVEL, max_nodes=10**6))
    function = space["predict_set" if wanted.dtype == bool else "predict_interval"]
    assert [function(row) for row in records(rows)] == wanted.tolist()


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """All models in one library, each by a name of its own."""
    each = [to_c(model_and_rows(name)[0], called(name), interval=LEVEL, max_nodes=10**6) for name in MODELS]
    return build("\n".join(each), tmp_path_factory.mktemp("c"))


@needs_compiler
@pytest.mark.parametrize("name", list(MODELS))
def test_c_gives_the_models_bits(name, library):
    model, rows, wanted = model_and_rows(name)
    is_set = wanted.dtype == bool
    function = getattr(library, called(name) + ("_set" if is_set else "_interval"))
    function.restype = None
    out = ((ctypes.c_int if is_set else ctypes.c_double) * wanted.shape[1])()
    for row, one in zip(encoded(model, rows) if hasattr(rows, "columns") else rows, wanted.tolist(), strict=True):
        function(row.ctypes.data_as(Numbers), out)
        assert list(out) == one


@pytest.mark.parametrize("name", [name for name in MODELS if name not in NOT_IN_ONNX])
def test_onnx_gives_them_to_rounding(name):
    model, rows, wanted = model_and_rows(name)
    made = to_onnx(model, interval=LEVEL)
    assert {one.key: one.value for one in made.metadata_props}["spinney.interval"] == "0.8"
    found = run(made, rows.astype({"flag": float}) if hasattr(rows, "columns") else rows)
    if wanted.dtype == bool:
        np.testing.assert_array_equal(found["set"], wanted)
    else:
        np.testing.assert_allclose(found["interval"], wanted, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found["variable"][:, 0], model.predict(rows), rtol=1e-12)


def test_mixtures_have_them_in_onnx():
    auto = fitted("auto")
    found = run(to_onnx(auto, interval=LEVEL), rows_for("auto").astype({"flag": float}))
    np.testing.assert_allclose(found["interval"], auto.predict_interval(rows_for("auto"), LEVEL), rtol=1e-12)
    soft = calibrated("soft")
    found = run(to_onnx(soft, interval=LEVEL), rows_for("soft").astype({"flag": float}))
    np.testing.assert_array_equal(found["set"], soft.predict_set(rows_for("soft"), LEVEL))


@pytest.mark.parametrize("name", ["x-numbers", "x-soft", "poisson", "binary"])
def test_imported_models_have_them(name):
    model = copy.copy(imported.ours(name))
    model.calibrate(imported.X, imported.GRADES if name == "x-soft" else imported.Y > 1)
    is_class, space = hasattr(model, "classes_"), {}
    exec(to_python(model, interval=LEVEL), space)
    wanted = (model.predict_set if is_class else model.predict_interval)(imported.NEW, LEVEL)
    function = space["predict_set" if is_class else "predict_interval"]
    assert [function(row) for row in imported.NEW.tolist()] == wanted.tolist()


def test_sources_without_intervals_have_no_trace_of_them():
    for write in (to_c, to_python):
        assert "interval" not in write(calibrated("forest-numbers"))
        assert "_set" not in write(calibrated("forest"))


@pytest.mark.parametrize("write", [to_c, to_python, to_onnx])
def test_refusals(write):
    plain, forest = fitted("forest-numbers"), copy.copy(fitted("forest-numbers"))
    with pytest.raises(ValueError, match=r"has no calibration.*Call calibrate\(X, y\).*oob_score=True"):
        write(plain, interval=0.9)
    for level in ("0.9", 0, 1.0, True):
        with pytest.raises(ValueError, match="interval must be a number between 0 and 1"):
            write(forest.calibrate(X, Y), interval=level)
    with pytest.raises(ValueError, match=r"too few calibration rows for interval=0\.9: at least 9"):
        write(forest.calibrate(X[:8], Y[:8]), interval=0.9)
    with pytest.raises(ValueError, match="calibrated by groups"):
        write(forest.calibrate(X, Y, by="flag"), interval=0.9)
    with pytest.raises(ValueError, match="spread=DecisionTreeRegressor"):
        write(forest.calibrate(X, Y, spread=spinney.DecisionTreeRegressor(max_depth=2).fit(X, Y**2)), interval=0.9)
    with pytest.raises(ValueError, match="IsolationForest has no intervals or sets"):
        write(fitted("isolation"), interval=0.9)
    keeps = spinney.RandomForestRegressor(3, keep_targets=True, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="spread='quantiles'"):
        write(keeps.calibrate(X, Y, spread="quantiles", level=0.9), interval=0.9)
