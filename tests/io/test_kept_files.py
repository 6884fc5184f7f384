"""Files of every release load in this one, and answer as they did."""

import json
from pathlib import Path

import numpy as np
import pytest

import spinney
from tests.io.models import answers, table

FILES = sorted((Path(__file__).parent / "files").glob("*/*.spinney"))


def rows_for(model):
    X = table()
    if type(model).__name__ in (
        "KMeans",
        "MiniBatchKMeans",
        "BisectingKMeans",
        "GaussianMixture",
        "BayesianGaussianMixture",
    ):
        X = X.fillna(0.0)
    return X[model.feature_names_in_.tolist()].head(5)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_of_every_release(path):
    model = spinney.load(path)
    expected = json.loads((path.parent / "answers.json").read_text())[path.stem]
    found = answers(model, rows_for(model))
    assert set(found) == set(expected)
    for method, answer in found.items():
        if answer.dtype.kind == "f":
            np.testing.assert_allclose(answer, np.array(expected[method], np.float64), rtol=1e-12, atol=1e-300)
        else:
            assert answer.tolist() == expected[method]


def test_this_release_has_files():
    assert any(path.parent.name == spinney.__version__ for path in FILES)
    assert sum(path.stat().st_size for path in FILES if path.parent.name == spinney.__version__) < 125_000
