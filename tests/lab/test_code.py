"""Exported code: it runs as it stands, and its numbers are those that the page showed."""

import json
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from spinney.lab.methods import METHODS
from tests.lab.test_steps import SMALL

OTHERS = [  # (method, request): what SMALL does not reach
    ("tree", {"table": "tennis"}),
    ("tree", {"table": "penguins", "params": {"criterion": "entropy", "max_depth": 2}}),
    ("c45", {"table": "penguins", "params": {"max_depth": 2}}),
    ("c45", {"table": "iris"}),
    ("pruning", {"params": {"way": "error"}}),
    ("pruning", {"params": {"way": "root"}}),
    ("adaboost", {"table": "iris", "params": {"n_estimators": 3}}),
    ("boosting", {"table": "moons", "params": {"task": "classes", "n_estimators": 2}, "points": [[1.0, 1.0, 1]]}),
    ("adaboost", {"table": "ten_points", "params": {"n_estimators": 3}}),
    ("adaboost", {"table": "heart", "params": {"n_estimators": 1}}),
    ("adaboost", {"table": "eighty", "params": {"n_estimators": 1}}),
    ("em", {"table": "gaussians", "params": {"n_components": 2, "init_params": "given"}}),
    ("voting", {"table": "circles", "params": {"voting": "hard"}}),
]


def check(lab, request, at, monkeypatch, draws=False):
    """Run the code of a step; `draws`: with its picture, as where matplotlib is installed."""
    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", plt if draws else None)
    shown = json.loads(lab.series(request))["steps"][at]["numbers"]
    code = lab.code(request, at)
    names = {"print": lambda *said: None}
    exec(compile(code, f"{request['method']}, step {at}", "exec"), names)
    found = names["step"]
    assert list(found) == list(shown)
    for name, value in shown.items():
        if isinstance(value, dict):
            assert list(found[name]) == list(value)
            assert [found[name][one] for one in value] == [pytest.approx(one) for one in value.values()]
        elif value is None or isinstance(value, str):
            assert found[name] == value
        else:
            np.testing.assert_allclose(np.asarray(found[name], float), np.asarray(value, float), rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", METHODS)
def test_code_of_every_method(method, lab, monkeypatch):
    request = {"method": method, **SMALL[method]}
    n = len(json.loads(lab.series(request))["steps"])
    for at in {"voting": [0, 3, 4], "stacking": [0, 3, 4, 5]}.get(method, sorted({0, 1, n - 1})):
        check(lab, request, at, monkeypatch, draws=at == (1 if method == "pruning" else n - 1))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("method", "more"), OTHERS, ids=[f"{m}-{i}" for i, (m, _) in enumerate(OTHERS)])
def test_code_of_other_tables_and_parameters(method, more, lab, monkeypatch):
    request = {"method": method, **more}
    n = len(json.loads(lab.series(request))["steps"])
    for at in sorted({min(1, n - 1), n - 1}):
        check(lab, request, at, monkeypatch)


@pytest.mark.filterwarnings("ignore")
def test_code_of_ones_own_table(lab, monkeypatch):
    random = np.random.RandomState(0)
    rows = [
        f'{a:.3f};{b:.3f};"it\'s, {"x" if a > 0 else "y"}";{"u" if b + a * a > 0.5 else "v"}'
        for a, b in random.randn(60, 2)
    ]
    own = lab.own.add("\n".join(["a;b;who?;word", *rows, ";1;z;u"]))
    assert own["numbers"] == ["a", "b"]
    for method, target in (("tree", "who?"), ("c45", "word"), ("adaboost", "word")):
        request = {"method": method, "table": "own", "own": own["id"], "target": target}
        n = len(json.loads(lab.series(request))["steps"])
        for at in (1, n - 1):
            check(lab, request, at, monkeypatch)


def test_code_is_tidy(lab):
    code = lab.code({"method": "forest", **SMALL["forest"]}, 3)
    assert code.startswith("# Random forest, moons: step 4")
    assert code.endswith("\n")
    assert max(map(len, code.splitlines())) <= 140
