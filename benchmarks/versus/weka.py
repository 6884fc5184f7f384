"""Compare C4.5 with Weka's J48, its best known other implementation, on real tables.

    python -m benchmarks.versus.weka                      the tables below
    python -m benchmarks.versus.weka iris soybean         some of them

Both get the same random halves of a table (stratified; a few repetitions for small tables) and their defaults, which
are the same: confidence 0.25, at least two rows in two branches, subtree raising. Needs Java and Weka: on Debian
`apt-get install weka default-jre-headless`; on other systems put Java on the PATH and set WEKA_JAR to the archive. The
tables come from the folder in SPINNEY_DATA, see tables.py; iris and penguins come with the packages.

A category that is missing from the training half is a missing value for both in the test half.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from benchmarks.versus import tables
from spinney import C45Classifier
from spinney.datasets import load_penguins

TABLES = (
    *("iris", "penguins", "soybean", "titanic", "nursery", "spambase", "telco_churn", "letter"),
    *("shuttle", "bank_marketing", "adult", "connect4", "fars"),
)
MEMORY = "-Xmx6g"
FEW_ROWS = 20_000  # tables up to here are split several times
REPEATS = 5


class Result(NamedTuple):
    """One tree, grown on one half and tried on the other."""

    accuracy: float
    leaves: int
    seconds: float


class Halves(NamedTuple):
    """A split table."""

    X: pd.DataFrame
    y: NDArray[Any]
    X_test: pd.DataFrame
    y_test: NDArray[Any]


def main() -> None:
    """Compare on the tables named on the command line, or on all."""
    jar = find_weka()
    if shutil.which("java") is None or jar is None:
        sys.exit("Needs Java and Weka. Debian: apt-get install weka default-jre-headless. Else set WEKA_JAR.")
    print("| table | rows | columns | accuracy, Spinney | J48 | leaves, Spinney | J48 | seconds, Spinney | J48 |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    C45Classifier().fit([[0.0], [1.0]], [0, 1])  # compiles
    for name in sys.argv[1:] or TABLES:
        X, y = load(name)
        repeats = REPEATS if len(X) <= FEW_ROWS else 1
        splits = [split(X, y, seed) for seed in range(repeats)]
        ours, theirs = [run_spinney(one) for one in splits], [run_weka(one, jar) for one in splits]
        cells = [name, f"{len(X):,}", str(X.shape[1]), *compare(ours, theirs)]
        print("| " + " | ".join(cells) + " |", flush=True)


def compare(ours: list[Result], theirs: list[Result]) -> list[str]:
    """The means of both, in pairs of cells."""
    cells = []
    for field, form in (("accuracy", ".4f"), ("leaves", ",.0f"), ("seconds", ".2f")):
        cells += [format(np.mean([getattr(one, field) for one in side]), form) for side in (ours, theirs)]
    return cells


def find_weka() -> Path | None:
    """The archive named in WEKA_JAR, or where Debian puts it."""
    place = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))
    return place if place.exists() else None


def load(name: str) -> tuple[pd.DataFrame, NDArray[Any]]:
    """A table and class numbers."""
    if name == "iris":
        X, y = load_iris(return_X_y=True, as_frame=True)
    elif name == "penguins":
        X, y = load_penguins()
    else:
        table = tables.load(name)
        X, y = table.X, table.y
    return X, np.unique(y, return_inverse=True)[1]


def split(X: pd.DataFrame, y: NDArray[Any], seed: int) -> Halves:
    """Two halves; categories as strings, without those that only the second has."""
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed, stratify=y)
    first, second = X.iloc[train].copy(), X.iloc[test].copy()
    for column in X.columns:
        if not pd.api.types.is_numeric_dtype(X[column]):
            known = sorted(set(first[column].dropna().astype(str)))
            for half in (first, second):
                text = half[column].astype(str)
                half[column] = pd.Categorical(text.where(half[column].notna() & text.isin(known)), categories=known)
    return Halves(first, y[train], second, y[test])


def run_spinney(halves: Halves) -> Result:
    """Our tree."""
    begin = time.perf_counter()
    model = C45Classifier().fit(halves.X, halves.y)
    seconds = time.perf_counter() - begin
    return Result(float(model.score(halves.X_test, halves.y_test)), model.get_n_leaves(), seconds)


def run_weka(halves: Halves, jar: Path) -> Result:
    """Weka's tree, in a process of its own; it reports its own seconds for growing."""
    n_classes = int(max(halves.y.max(), halves.y_test.max())) + 1
    with tempfile.TemporaryDirectory() as folder:
        train, test = Path(folder, "train.arff"), Path(folder, "test.arff")
        write_arff(train, halves.X, halves.X, halves.y, n_classes)
        write_arff(test, halves.X, halves.X_test, halves.y_test, n_classes)
        command = ["java", MEMORY, "-cp", str(jar), "weka.classifiers.trees.J48", "-C", "0.25", "-M", "2"]
        done = subprocess.run([*command, "-t", train, "-T", test], capture_output=True, text=True, check=True)
    leaves = re.search(r"Number of Leaves\s*:\s*(\d+)", done.stdout)
    right = re.findall(r"Correctly Classified Instances\s+\d+\s+([\d.]+)\s+%", done.stdout)  # training, test
    took = re.search(r"Time taken to build model:\s*([\d.]+) seconds", done.stdout)
    if leaves is None or took is None or len(right) != 2:
        raise RuntimeError(f"Weka's answer was not understood: {done.stdout[:500]} {done.stderr[:500]}")
    return Result(float(right[1]) / 100, int(leaves[1]), float(took[1]))


def write_arff(path: Path, header: pd.DataFrame, X: pd.DataFrame, y: NDArray[Any], n_classes: int) -> None:
    """A table in Weka's format; `header` says which categories there are."""
    lines = ["@relation table"]
    columns = []
    for number, name in enumerate(X.columns):
        if isinstance(header[name].dtype, pd.CategoricalDtype):
            values = [f"v{code}" for code in range(len(header[name].cat.categories))]
            lines.append(f"@attribute a{number} {{{','.join(values)}}}")
            columns.append(np.array([*values, "?"])[X[name].cat.codes])
        else:
            lines.append(f"@attribute a{number} numeric")
            numbers = X[name].to_numpy(np.float64)
            columns.append(np.where(np.isnan(numbers), "?", [repr(value) for value in numbers.tolist()]))
    lines += [f"@attribute class {{{','.join(f'c{k}' for k in range(n_classes))}}}", "@data"]
    columns.append(np.array([f"c{k}" for k in y]))
    lines += [",".join(row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
