"""Print the walk of a call: the files and functions that it enters, in the order of the first visits.

    python -m tools.walks                 # files and changes of room of every walk
    python -m tools.walks boosting.fit    # one of them, function by function
    python -m tools.walks --json          # the same as numbers, for tests/test_walks.py

Kernels run as plain Python, so that a walk goes through them too. Imports and caches are no part of a walk: each model
is fitted once before. A change of room is a first visit to a function of another subpackage than the visit before it;
lambdas and comprehensions do not count, since not every version of Python has them as functions.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

os.environ["NUMBA_DISABLE_JIT"] = "1"

import numpy as np
import pandas as pd

import spinney
from spinney.ensemble.boosting import fit, round_search

ROOT = str(Path(spinney.__file__).parent) + os.sep
N_ROWS = 100  # the fewest with which boosting searches for its number of rounds


class Visit(NamedTuple):
    file: str  # below spinney/
    function: str

    @property
    def room(self) -> str:
        return self.file.split("/")[0] if "/" in self.file else "(top)"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.walks", description="Print the files and functions that a call enters."
    )
    parser.add_argument("name", nargs="?", help="boosting.fit, for example; default: the numbers of all walks")
    parser.add_argument("--json", action="store_true", help="print [files, changes of room, names of files] by name")
    chosen = parser.parse_args(arguments)
    if chosen.json:
        print(json.dumps({name: [len(files(w)), changes(w), files(w)] for name, w in walks()}))
        return
    for name, visits in walks():
        if chosen.name in (None, name):
            print(f"{name}: {len(files(visits))} files, {len(visits)} functions, {changes(visits)} changes of room")
        if chosen.name == name:
            print("\n".join(f"    {one.file}  {one.function}" for one in visits))


def walks() -> Iterator[tuple[str, list[Visit]]]:
    """Name and visits of every walk."""
    X, y = make_table()
    numbers = X[["b", "a"]].fillna(0.0)
    few: dict[str, Any] = {"n_estimators": 2}
    for name, model, warm, data, method in [
        ("boosting", spinney.GradientBoostingClassifier, few, (X, y), "predict_proba"),
        ("forest", spinney.RandomForestClassifier, few, (X, y), "predict_proba"),
        ("tree", spinney.DecisionTreeClassifier, {}, (X, y), "predict_proba"),
        ("kmeans", spinney.KMeans, {}, (numbers,), "predict"),
    ]:
        fitted = model(**warm).fit(*data)
        getattr(fitted, method)(data[0])
        if name == "boosting":  # by default, which means with the search for the number of rounds
            with impatient_search():
                model().fit(*data)
                yield "boosting.fit", walk(lambda m=model, d=data: m().fit(*d))
        else:
            yield f"{name}.fit", walk(lambda m=model, d=data, w=warm: m(**w).fit(*d))
        yield f"{name}.{method}", walk(lambda f=fitted, d=data, m=method: getattr(f, m)(d[0]))
    with tempfile.TemporaryDirectory() as folder:
        yield "command.fit", walk_of_command(X.assign(label=y), Path(folder))


def walk_of_command(table: pd.DataFrame, folder: Path) -> list[Visit]:
    """`spinney fit table.csv --target label --report page.html`, with two rounds of boosting."""
    from spinney.cli.app import app

    table.to_csv(folder / "table.csv", index=False)
    arguments = ["fit", str(folder / "table.csv"), "--target", "label", "--param", "n_estimators=2", "--quiet"]
    arguments += ["--out", str(folder / "model.spinney"), "--report", str(folder / "page.html")]

    def fit() -> None:
        app(arguments, prog_name="spinney", standalone_mode=False)

    fit()
    return walk(fit)


def make_table() -> tuple[pd.DataFrame, np.ndarray]:
    """A frame of numbers, some missing, and strings; labels by chance, so that searches end early."""
    draw = np.random.RandomState(0)
    X = pd.DataFrame({"a": draw.randn(N_ROWS), "b": draw.randn(N_ROWS), "c": draw.choice(list("xyz"), N_ROWS)})
    X.loc[3, "a"] = np.nan
    return X, np.where(draw.randn(N_ROWS) > 0, "yes", "no")


@contextlib.contextmanager
def impatient_search() -> Iterator[None]:
    """Searches for the number of rounds end soon and print nothing; they go through the same functions."""
    wanted = {"PATIENCE": 1, "_LONG": float("inf")}
    kept = [
        (module, name, vars(module)[name]) for module in (fit, round_search) for name in wanted if hasattr(module, name)
    ]
    for module, name, _ in kept:
        vars(module)[name] = wanted[name]
    try:
        yield
    finally:
        for module, name, value in kept:
            vars(module)[name] = value


def walk(call: Callable[[], Any]) -> list[Visit]:
    """The first visits of a call."""
    visits: list[Visit] = []
    seen: set[CodeType] = set()
    known: set[Visit] = set()

    def look(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or code in seen:
            return
        seen.add(code)
        if code.co_filename.startswith(ROOT) and not code.co_name.startswith("<"):
            visit = Visit(code.co_filename[len(ROOT) :].replace(os.sep, "/"), code.co_qualname)
            if visit not in known:
                known.add(visit)
                visits.append(visit)

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return visits


def files(visits: list[Visit]) -> list[str]:
    return list(dict.fromkeys(visit.file for visit in visits))


def changes(visits: list[Visit]) -> int:
    return sum(before.room != after.room for before, after in itertools.pairwise(visits))


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)  # compiled integers wrap too
    main()
