"""scikit-learn's own checks of both estimators, none excused, and what the documentation promises of parameters."""

import inspect
import re

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney import GradientBoostingClassifier, GradientBoostingRegressor

BOTH = [GradientBoostingClassifier, GradientBoostingRegressor]


@parametrize_with_checks([GradientBoostingClassifier(), GradientBoostingRegressor()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", BOTH)
def test_every_parameter_is_documented_and_checked(kind):
    documented = kind.__doc__.split("Attributes\n")[0]
    for name in inspect.signature(kind.__init__).parameters:
        if name == "self":
            continue
        assert re.search(rf"^ +(\w+, )*{name}(, \w+)* : ", documented, re.MULTILINE), f"{name} is not documented"
        assert name == "loss" or name in kind._parameter_constraints, f"{name} is not checked"


@pytest.mark.parametrize("kind", BOTH)
def test_nothing_else_is_documented_as_a_parameter(kind):
    documented = re.search(r"Parameters\n +-+\n(.*?)Attributes\n", kind.__doc__, re.DOTALL).group(1)
    lines = re.findall(r"^    (\w[\w, ]*) : ", documented, re.MULTILINE)
    names = {name for line in lines for name in line.split(", ")}
    assert names == set(inspect.signature(kind.__init__).parameters) - {"self"}


@pytest.mark.parametrize("kind", BOTH)
def test_every_documented_attribute_exists_after_fit(kind):
    documented = re.search(r"Attributes\n +-+\n(.*?)Examples\n", kind.__doc__, re.DOTALL).group(1)
    lines = re.findall(r"^    (\w+_(?:, \w+_)*)(?: : |$)", documented, re.MULTILINE)
    names = [name for line in lines for name in line.split(", ")]
    model = kind(n_estimators=2)
    assert "fingerprint_" in names
    assert not any(hasattr(model, name) for name in names)
    model.fit([[0.0], [1.0]], [0, 1])
    assert [name for name in names if not hasattr(model, name)] == ["feature_names_in_"]  # X had no names


@pytest.mark.parametrize("kind", BOTH)
def test_parameters_survive_clone_and_set_params(kind):
    odd = {"n_estimators": 7, "learning_rate": 0.3, "growth": "level_wise", "monotonic_cst": [1], "n_jobs": 3}
    model = clone(kind(**odd))
    assert {name: model.get_params()[name] for name in odd} == odd
    assert kind().set_params(**odd).get_params() == model.get_params()
