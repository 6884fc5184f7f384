"""Public names are loaded at first use, in any thread."""

import subprocess
import sys

import pytest

TOUCH = """
import threading, spinney
names = ["RandomForestClassifier", "KMeans", "evaluate", "prune", "StackingClassifier", "export_text"]
failed, go = [], threading.Barrier(len(names))

def touch(name):
    go.wait()
    try:
        getattr(spinney, name)
    except BaseException as error:
        failed.append((name, error))

threads = [threading.Thread(target=touch, args=(name,)) for name in names]
for one in threads:
    one.start()
for one in threads:
    one.join()
print(failed)
"""


@pytest.mark.slow
def test_names_first_touched_in_several_threads_at_once():
    """scikit-learn's modules cannot be imported so: they wait for each other, and one gives up."""
    found = subprocess.run([sys.executable, "-c", TOUCH], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


WITHOUT_EXTRAS = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[1:]))
import spinney

rooms = [getattr(spinney, name) for name in (*spinney.__all__, "io")]
rooms = [room for room in rooms if type(room) is type(spinney)]
for room in (spinney, *rooms):
    for name in room.__all__:
        getattr(room, name)
model = spinney.DecisionTreeClassifier(max_depth=1)
for call in (lambda: spinney.report(model, [[0], [1]], [0, 1]), lambda: spinney.to_onnx(model)):
    try:
        call()
    except ImportError as error:
        print(error)
"""
OPTIONAL = (
    *("pandas", "polars", "pyarrow", "fastexcel", "matplotlib", "jinja2", "markupsafe", "typer", "rich", "onnx"),
    *("onnxruntime", "dask", "distributed", "xgboost", "lightgbm", "catboost", "shap", "skops"),
)


def test_every_name_is_there_without_the_extras():
    """What needs an extra says so when it is called."""
    told = subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS, *OPTIONAL], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines() == [
        "report needs the package jinja2: pip install 'spinney-trees[report]'",
        "to_onnx needs the package onnx: pip install 'spinney-trees[onnx]'",
    ]
