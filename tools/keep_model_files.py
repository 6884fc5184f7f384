"""Keep model files of this release for the tests of all later ones: tests/io/files/VERSION.

    PYTHONPATH=. python tools/keep_model_files.py

Writes a small model of every family, and what each says of a table, so that later releases can be held to both.
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

import spinney
from tests.io.models import answers, fitted

FAMILIES = (
    ["DecisionTreeClassifier", "ExtraTreeRegressor", "C45Classifier", "RandomForestClassifier", "RandomForestRegressor"]
    + ["ExtraTreesClassifier", "RandomTreesEmbedding", "IsolationForest", "GradientBoostingClassifier"]
    + ["GradientBoostingRegressor", "AdaBoostClassifier", "BaggingClassifier", "VotingClassifier", "StackingClassifier"]
    + ["BucketOfModels", "BayesianModelAveragingRegressor", "KMeans", "MiniBatchKMeans"]
    + ["BisectingKMeans", "GaussianMixture", "BayesianGaussianMixture"]
)


def main() -> None:
    folder = Path(__file__).parent.parent / "tests" / "io" / "files" / spinney.__version__
    folder.mkdir(parents=True, exist_ok=True)
    said = {}
    for name in FAMILIES:
        kind = getattr(spinney, name)
        known = inspect.signature(kind).parameters
        model, X = fitted(kind, **({"max_depth": 3} if "max_depth" in known else {}))
        path = folder / f"{name}.spinney"
        spinney.save(model, path)
        said[name] = {method: np.asarray(value).tolist() for method, value in answers(model, X.head(5)).items()}
        print(f"{path.stat().st_size:7,} {path.name}")
    (folder / "answers.json").write_text(json.dumps(said, indent=0, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
