"""Ctrl-C is never lost: another process sends it at drawn moments of short operations, and the call always raises."""

import os
import random
import signal
import subprocess
import sys
import time
import traceback

import numpy as np
import pytest

import spinney
from spinney._compile import PLAIN_PYTHON
from tests import families
from tests.compiled import QUICK, THOROUGH

TRIES = 120 if THOROUGH else 2 if QUICK else 8  # of each operation
MOST = 0.01  # seconds until an interrupt is sent
QUESTION = "__numba_array_subtype_dispatch__"  # what Numba asks arrays of subclasses for


def fitted(name):
    return families.FITS[name]()


def predictions(name, n_rows):
    model, X = fitted(name), families.categories() if name == "id3" else families.numbers()
    return lambda: model.predict(X[:n_rows])


def of_a_tree():
    tree, X, y = spinney.DecisionTreeClassifier(random_state=0), families.numbers(), families.classes()
    return lambda: tree.cost_complexity_pruning_path(X, y)


def of_boosting():
    model, X = fitted("boosting"), families.table()
    return lambda: spinney.explain.shap(model, X)


def search():
    """The default, which is many fits."""
    X, y = families.numbers(120), families.target(120)
    return lambda: spinney.GradientBoostingRegressor(random_state=0).fit(X, y)


OPERATIONS = {  # name -> what makes ready, and gives the operation
    **{f"fit {name}": (lambda name=name: families.FITS[name]) for name in families.FITS if "auto" not in name},
    **{f"predict {name}": (lambda name=name: predictions(name, 80)) for name in ("boosting", "tree", "random-forest")},
    **{f"one row {name}": (lambda name=name: predictions(name, 1)) for name in ("boosting", "tree", "random-forest")},
    "pruning path": of_a_tree,
    "SHAP": of_boosting,
    **({} if QUICK else {"boosting, a search": search}),
}


# --- in the other process --------------------------------------------------------------------------------------------


def serve():
    """Repeat each operation until an interrupt comes, as often as is wished; print those that were lost."""
    signal.signal(signal.SIGINT, strike)
    sys.unraisablehook = lambda report: None  # what is lost is told below
    for name, make in OPERATIONS.items():
        operation = make()
        operation()  # whatever is compiled or imported is so before
        for _ in range(TRIES):
            if place := one_try(operation):
                print(f"lost {name}: {place}", flush=True)
    print("end", flush=True)


places: list[str] = []  # where the interrupt of this try came
listens = False


def strike(number, frame):
    """The handler: notes where it fired."""
    stack = reversed(traceback.extract_stack(frame)[-6:])
    places.append(" < ".join(f"{os.path.basename(one.filename)}:{one.lineno}" for one in stack))
    if listens:
        raise KeyboardInterrupt


def repeat(operation):
    """A call of its own: an interrupt at the jump back of a loop is not caught in the loop's own function."""
    print("go", flush=True)
    while not places:
        operation()


def one_try(operation):
    """Where an interrupt was lost, or None."""
    global listens
    places.clear()
    listens = True
    try:
        repeat(operation)
    except KeyboardInterrupt:
        return None
    finally:
        listens = False
    return places[0]


# --- in this one -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
@pytest.mark.skipif(PLAIN_PYTHON, reason="nothing is between Python and Python")
def test_an_interrupt_from_another_process_always_ends_the_call():
    drawn = random.Random(0)
    with subprocess.Popen(
        [sys.executable, "-c", "from tests.test_ctrl_c import serve; serve()"], stdout=subprocess.PIPE, text=True
    ) as process:
        lines = []
        for line in process.stdout:
            if line == "go\n":
                time.sleep(drawn.uniform(0.0, MOST))
                process.send_signal(signal.SIGINT)
            else:
                lines.append(line.rstrip())
    assert lines == ["end"]
    assert process.returncode == 0


asked: list[str] = []


class Curious(np.ndarray):
    """An array that notes what it is asked for."""

    def __getattribute__(self, name):
        asked.append(name)
        return super().__getattribute__(name)


@pytest.mark.skipif(PLAIN_PYTHON, reason="there is no door")
@pytest.mark.parametrize("name", families.FITS)
def test_kernels_get_plain_arrays(name, monkeypatch):
    """Of a subclass Numba asks for an attribute, and an interrupt that comes while Python answers is lost."""
    ask = np.recarray.__getattribute__

    def answer(array, wanted):
        asked.append(wanted)
        return ask(array, wanted)

    monkeypatch.setattr(np.recarray, "__getattribute__", answer)
    for draw in (families.table, families.numbers, families.target, families.classes, families.categories):
        monkeypatch.setattr(families, draw.__name__, lambda n=80, draw=draw: draw(n).view(Curious))
    asked.clear()
    model = fitted(name)
    X = families.categories() if name == "id3" else families.numbers()
    for rows in (X, X[:1], X[:1].copy()):
        model.predict(rows)
    assert asked
    assert QUESTION not in asked
