"""What else a model file carries."""

import io

import numpy as np
import pytest

import spinney


@pytest.fixture(scope="module")
def tree():
    return spinney.DecisionTreeRegressor(max_depth=1).fit(np.arange(6.0)[:, None], np.arange(6.0))


def saved(model, **more):
    file = io.BytesIO()
    spinney.save(model, file, **more)
    return file.getvalue()


def test_metadata_comes_back(tree):
    metadata = {"note": "é", "numbers": [1, 2.5, None, True], "nested": {"a": {"b": []}}}
    content = saved(tree, metadata=metadata)
    assert spinney.io.inspect(content)["metadata"] == metadata
    assert spinney.load(content).fingerprint_ == tree.fingerprint_


def test_without_metadata_nothing_is_written(tree):
    assert saved(tree) == saved(tree, metadata={}) == saved(tree, metadata=None)
    assert spinney.io.inspect(saved(tree))["metadata"] == {}


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ([1], r"metadata must be a dict, got \[1\]\."),
        ({1: 2}, r"the keys of metadata must be strings, got 1\."),
        ({"a": {"b": float("nan")}}, r"metadata\['a'\]\['b'\] must be None, a bool, int, finite float, .*, got nan\."),
        ({"a": [0, np.float64(1)]}, r"metadata\['a'\]\[1\] must be None"),
    ],
)
def test_only_plain_values(tree, metadata, said):
    with pytest.raises(TypeError, match=said):
        saved(tree, metadata=metadata)
