"""The examples of the exports are true."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["to_c", "to_json", "to_onnx", "to_python", "to_sklearn"])
def test_examples(name):
    if name == "to_onnx":
        pytest.importorskip("onnxruntime")
    result = doctest.testmod(import_module(f"spinney.io.{name}"))
    assert result.attempted
    assert not result.failed
