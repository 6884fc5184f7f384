"""Write the model files of this release that later releases are tested with: tests/io/files/VERSION.

    PYTHONPATH=. python tools/keep_model_files.py

Writes a small model of every family and its predictions, so that later releases can be compared with both.
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import spinney
from tests.io.models import answers, fitted, table, target

FOLDER = Path(__file__).parent.parent / "tests" / "io" / "files" / spinney.__version__
FAMILIES = (
    ["DecisionTreeClassifier", "ExtraTreeRegressor", "C45Classifier", "RandomForestClassifier", "RandomForestRegressor"]
    + ["ExtraTreesClassifier", "RandomTreesEmbedding", "IsolationForest", "GradientBoostingClassifier"]
    + ["GradientBoostingRegressor", "AdaBoostClassifier", "BaggingClassifier", "VotingClassifier", "StackingClassifier"]
    + ["BucketOfModels", "BayesianModelAveragingRegressor", "KMeans", "MiniBatchKMeans"]
    + ["BisectingKMeans", "GaussianMixture", "BayesianGaussianMixture"]
)


def purity(left, right):  # type: ignore[no-untyped-def]
    """A criterion of a user's."""
    return (left.max() + right.max()) / (left.sum() + right.sum())


def others() -> dict[str, Any]:
    """What the families do not show: sources, merged forests, members that are no trees."""
    X, y = table(), target("classes", table())
    forests = [spinney.RandomForestClassifier(1, max_depth=2, random_state=k).fit(X, y) for k in range(2)]
    template = spinney.C45Classifier(max_depth=2)
    return {
        "own-criterion": spinney.DecisionTreeClassifier(criterion=purity, max_depth=2).fit(X, y),
        "merged-forests": spinney.merge_forests(forests),
        "bagging-of-c45": spinney.BaggingClassifier(template, n_estimators=2, max_features=0.7, random_state=0).fit(
            X, y
        ),
    }


def main(folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    said = {}
    for name in FAMILIES:
        kind = getattr(spinney, name)
        known = inspect.signature(kind).parameters
        model, X = fitted(kind, **({"max_depth": 2} if "max_depth" in known else {}))
        path = folder / f"{name}.spinney"
        spinney.save(model, path)
        said[name] = {method: np.asarray(value).tolist() for method, value in answers(model, X.head(5)).items()}
        print(f"{path.stat().st_size:7,} {path.name}")
    for name, model in others().items():
        spinney.save(model, folder / f"{name}.spinney")
        said[name] = {method: np.asarray(value).tolist() for method, value in answers(model, table().head(5)).items()}
    (folder / "answers.json").write_text(json.dumps(said, indent=0, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
