"""Will the flight leave late? A first look at Spinney, run by `make demo`.

Fits gradient boosting to New York departures of 2013 with its default settings, and judges it on days it has
never seen. The table goes in as it is: categories, numbers and missing values.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import GroupShuffleSplit

from spinney import GradientBoostingClassifier
from spinney.datasets import load_flights

BAR_WIDTH = 30
TOP = 8


def main() -> None:
    X, y = load_flights()
    show_table(X, y)

    # flights of one day share weather and trouble, so whole days are held out
    days = X.index.date
    train, test = next(GroupShuffleSplit(n_splits=1, test_size=0.25, random_state=0).split(X, y, groups=days))
    print(f"Fitting {len(train):,} flights; {len(test):,} flights of other days are held out.")
    print("The first fit on a machine also compiles the kernels; the next ones find them cached.\n")

    model = GradientBoostingClassifier(verbose=1, random_state=0)
    start = time.perf_counter()
    model.fit(X.iloc[train], y.iloc[train])
    fit_seconds = time.perf_counter() - start

    start = time.perf_counter()
    late = model.predict_proba(X.iloc[test])[:, 1]
    predict_seconds = time.perf_counter() - start

    show_scores(y.iloc[train], y.iloc[test], late)
    show_importances(X.columns, model.feature_importances_)
    print(f"Fit in {fit_seconds:.2f} s (compiling included, if this was the first), ", end="")
    print(f"{len(test):,} predictions in {predict_seconds:.2f} s.\n")
    print(NEXT)


def show_table(X, y) -> None:
    kinds = X.dtypes.astype(str)
    print("Will the flight leave 15 or more minutes late? New York departures, 2013\n")
    print(f"  rows            {len(X):,}")
    print(f"  columns         {X.shape[1]} ({(kinds == 'category').sum()} categorical)")
    print(f"  missing values  {X.isna().sum().sum():,}")
    print(f"  late            {y.mean():.1%}\n")


def show_scores(y_train, y_test, late) -> None:
    """The model beside the best that can be done without looking at a flight."""
    base_rate = np.full(len(y_test), y_train.mean())
    rows = [
        ("AUC (higher is better)", roc_auc_score(y_test, late), roc_auc_score(y_test, base_rate)),
        ("log loss (lower is better)", log_loss(y_test, late), log_loss(y_test, base_rate)),
        ("accuracy (higher is better)", accuracy_score(y_test, late > 0.5), accuracy_score(y_test, base_rate > 0.5)),
    ]
    print(f"\n  {'held-out days':<28}{'Spinney':>9}{'base rate':>12}")
    for name, ours, baseline in rows:
        print(f"  {name:<28}{ours:>9.3f}{baseline:>12.3f}")
    print("\n  The base rate says the same of every flight: the share that is late.\n")


def show_importances(names, importances) -> None:
    print("What the trees look at:\n")
    longest = max(importances)
    for i in np.argsort(importances)[::-1][:TOP]:
        bar = "#" * round(BAR_WIDTH * importances[i] / longest)
        print(f"  {names[i]:<12} {importances[i]:>6.1%}  {bar}")
    print()


NEXT = """What to try next:

  make demo         again: the kernels are compiled now
  make test         run the tests
  make bench        time boosting and trees beside their peers
  examples/demo.py  change this model: learning_rate, max_depth, max_leaf_nodes ...
  README.md         a ten-line example of your own"""


if __name__ == "__main__":
    main()
