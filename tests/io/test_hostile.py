"""Files that were damaged on their way, or on purpose: refused in words, never a crash, a hang or a full memory."""

import json

import numpy as np
import pytest

from spinney import from_lightgbm, from_xgboost
from spinney.io.checks import ModelFormatError

ROWS = 120
RNG = np.random.default_rng(0)
X = np.c_[RNG.normal(size=(ROWS, 2)), RNG.integers(0, 5, ROWS)]
Y = np.digitize(X[:, 0] + (X[:, 2] == 3), [0, 1])
DIGITS = [b"9", b"-", b"1e9", b"nan", b"999999", b"0", b"1e999"]
ODD = [-1, 0, 7, 10**9, 10**30, 1e300, float("nan"), float("inf"), None, True, "x", "", "7", [], {}, [[1]], "999999999"]


@pytest.fixture(scope="module")
def files():
    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    table = xgboost.DMatrix(X, Y, feature_types=["q", "q", "c"], enable_categorical=True)
    params = {"max_depth": 3, "max_cat_to_onehot": 1, "nthread": 1, "objective": "multi:softprob", "num_class": 3}
    trees = xgboost.train(params, table, 2)
    params = {
        "num_leaves": 4,
        "min_data_per_group": 1,
        "objective": "multiclass",
        "num_class": 3,
        "verbose": -1,
        "num_threads": 1,
    }
    other = lightgbm.train(params, lightgbm.Dataset(X, Y, categorical_feature=[2]), 2)
    return {
        "ubj": (from_xgboost, bytes(trees.save_raw("ubj"))),
        "json": (from_xgboost, bytes(trees.save_raw("json"))),
        "text": (from_lightgbm, other.model_to_string().partition("\nparameters:")[0].encode() + b"\n"),
    }


def damage(data, rng):
    """Cut off, or with some bytes changed, added, gone, or with other numbers."""
    data, how, at = bytearray(data), rng.integers(5), rng.integers(len(data))
    if how == 0:
        return bytes(data[:at])
    if how == 1:
        data[at] = rng.integers(256)
    elif how == 2:
        data[at:at] = rng.integers(0, 256, rng.integers(1, 6), dtype=np.uint8).tobytes()
    elif how == 3:
        del data[at : at + rng.integers(1, 9)]
    else:
        digits = [k for k, letter in enumerate(data) if 48 <= letter < 58]
        at = digits[rng.integers(len(digits))]
        data[at : at + 1] = DIGITS[rng.integers(len(DIGITS))]
    return bytes(data)


def try_it(read, data):
    """Whether it was read; then it must also predict."""
    try:
        model = read(data)
    except ModelFormatError:
        return False
    assert model.forest_.n_bytes < 100 * len(data)
    if model.n_features_in_ == 3 and not hasattr(model, "feature_names_in_"):
        assert len(model.predict(X[:5])) == 5
    return True


@pytest.mark.parametrize("form", ["ubj", "json", "text"])
def test_damaged_bytes(files, form):
    read, data = files[form]
    rng = np.random.default_rng(1)
    assert try_it(read, data)
    found = [try_it(read, damage(data, rng)) for _ in range(150)]
    assert 0 < sum(found) < 150


def test_odd_values(files):
    """Somewhere in the file is something else."""
    data, rng = files["json"][1], np.random.default_rng(2)
    found = []
    for _ in range(150):
        whole = json.loads(data)
        at, key = whole, "learner"
        while isinstance(at[key], (dict, list)) and len(at[key]) and rng.random() < 0.95:
            at = at[key]
            keys = list(at) if isinstance(at, dict) else range(len(at))
            key = keys[rng.integers(len(keys))]
        at[key] = ODD[rng.integers(len(ODD))]
        found.append(try_it(from_xgboost, json.dumps(whole).encode()))
    assert 0 < sum(found) < 150
