"""The guide docs/shipping.md and the examples in docstrings do what they say."""

import doctest
import io
import json
import re
from pathlib import Path

import spinney
from spinney.datasets import load_penguins
from spinney.io import checks, model_file

GUIDE = (Path(__file__).parent.parent.parent / "docs" / "shipping.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)


def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    saving, inspecting, mapping = BLOCKS[:3]
    for block in (saving.replace("random_state=0", "n_estimators=3, random_state=0"), inspecting, mapping):
        exec(block, names)
    assert names["found"]["class"] == "GradientBoostingClassifier"
    assert names["model"].fingerprint_ == names["again"].fingerprint_


def test_the_service(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = load_penguins()
    model = spinney.GradientBoostingClassifier(n_estimators=3, random_state=0).fit(X, y)
    spinney.save(model, "model.spinney")
    names = {}
    exec(next(block for block in BLOCKS if "service.py" in block), names)

    def ask(row):
        body, said = json.dumps(row).encode(), []
        environ = {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        (answer,) = names["app"](environ, lambda status, headers: said.append(status))
        return said[0], json.loads(answer)

    row = {name: None if value != value else value for name, value in X.iloc[0].items()}
    assert ask(json.loads(json.dumps(row, default=float))) == ("200 OK", {"prediction": model.predict(X.head(1))[0]})
    assert ask({"no": "column"})[0] == "400 Bad Request"


def test_examples():
    for module in (model_file, checks):
        found = doctest.testmod(module)
        assert found.attempted
        assert not found.failed
