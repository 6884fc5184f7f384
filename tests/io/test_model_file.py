"""Model files: every estimator comes back as it was, and every byte is accounted for."""

import io

import numpy as np
import pytest

import spinney
from tests.io.models import KINDS, answers, fitted, make


def saved(model):
    file = io.BytesIO()
    spinney.save(model, file)
    return file.getvalue()


def same_parameters(one, other):
    a, b = one.get_params(), other.get_params()
    return list(a) == list(b) and all(repr(a[name]) == repr(b[name]) for name in a)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_estimator_comes_back(kind):
    model, X = fitted(kind)
    content = saved(model)
    again = spinney.load(content)
    assert type(again) is kind
    assert repr(again) == repr(model)
    assert same_parameters(again, model)
    assert set(again.__getstate__()) == set(model.__getstate__()) - set(vars(type(model)))
    expected = answers(model, X)
    assert expected
    for method, answer in answers(again, X).items():
        np.testing.assert_array_equal(answer, expected[method], err_msg=method)
        assert answer.dtype == expected[method].dtype
    if hasattr(model, "fingerprint_"):
        assert again.fingerprint_ == model.fingerprint_
    if hasattr(model, "classes_"):
        assert again.classes_.tolist() == model.classes_.tolist()
    assert again.feature_names_in_.tolist() == X.columns.tolist()
    assert saved(again) == content  # and so is saving twice


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_models_that_are_not_fitted(kind):
    again = spinney.load(saved(make(kind)))
    assert repr(again) == repr(make(kind))
    assert not hasattr(again, "n_features_in_")
