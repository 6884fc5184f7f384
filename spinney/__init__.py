"""Spinney: decision trees and everything built on them.

    >>> from spinney import GradientBoostingClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = GradientBoostingClassifier(random_state=0).fit(X, y)

Importing spinney is light: Numba is loaded by the first fit or predict.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from spinney._interrupts import import_whole

if TYPE_CHECKING:
    from spinney import criteria, datasets, evaluate, explain, prune, view
    from spinney.criteria.candidates import candidate_splits
    from spinney.criteria.user_loss import Loss
    from spinney.data.files.open_table import open_table
    from spinney.ensemble.callbacks import Round
    from spinney.ensemble.voting import aggregate_ranks, aggregate_votes
    from spinney.estimators.adaboost import AdaBoostClassifier, AdaBoostRegressor
    from spinney.estimators.automatic.auto import AutoClassifier, AutoRegressor
    from spinney.estimators.bagging.bagging import BaggingClassifier, BaggingRegressor
    from spinney.estimators.boosting.gradient_boosting import (
        GradientBoostingClassifier,
        GradientBoostingRegressor,
    )
    from spinney.estimators.clusters.bisecting_kmeans import BisectingKMeans
    from spinney.estimators.clusters.kmeans import KMeans
    from spinney.estimators.clusters.minibatch_kmeans import MiniBatchKMeans
    from spinney.estimators.clusters.mixture import BayesianGaussianMixture, GaussianMixture
    from spinney.estimators.clusters.number_of_clusters import elbow, select_components
    from spinney.estimators.combine.bucket import BucketOfModels, BucketOfModelsClassifier, BucketOfModelsRegressor
    from spinney.estimators.combine.model_averaging import (
        BayesianModelAveraging,
        BayesianModelAveragingClassifier,
        BayesianModelAveragingRegressor,
    )
    from spinney.estimators.combine.stacking import StackingClassifier, StackingRegressor
    from spinney.estimators.combine.voting import RankVoting, VotingClassifier, VotingRegressor
    from spinney.estimators.forests.embedding import RandomTreesEmbedding
    from spinney.estimators.forests.isolation import IsolationForest
    from spinney.estimators.forests.merging import merge_forests
    from spinney.estimators.forests.random_forest import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from spinney.estimators.forests.random_structure import (
        RandomStructureForestClassifier,
        RandomStructureForestRegressor,
    )
    from spinney.estimators.imported import ImportedClassifier as ImportedClassifier  # without public constructors
    from spinney.estimators.imported import ImportedRegressor as ImportedRegressor
    from spinney.estimators.imported import from_lightgbm, from_sklearn, from_xgboost
    from spinney.estimators.trees.c50 import C50Classifier
    from spinney.estimators.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
    from spinney.estimators.trees.extra_tree import ExtraTreeClassifier, ExtraTreeRegressor
    from spinney.estimators.trees.id3_c45 import C45Classifier, ID3Classifier
    from spinney.estimators.trees.optimal_tree import OptimalTreeClassifier, OptimalTreeRegressor
    from spinney.evaluate.boosting_cv import boosting_cv
    from spinney.io.errors import ModelFormatError
    from spinney.io.model_file import load, save
    from spinney.io.to_c import to_c
    from spinney.io.to_json import to_json
    from spinney.io.to_onnx import to_onnx
    from spinney.io.to_python import to_python
    from spinney.io.to_sklearn import to_sklearn
    from spinney.reporting.making import report
    from spinney.view.clusters import plot_elbow, plot_kmeans_steps
    from spinney.view.curves import plot_impurity_curves
    from spinney.view.frame import trees_to_frame
    from spinney.view.gains import plot_amount_of_say, plot_split_gains
    from spinney.view.graphviz import export_graphviz
    from spinney.view.importances import plot_importances
    from spinney.view.judging import (
        plot_bias_variance,
        plot_confusion_matrix,
        plot_learning_curve,
        plot_validation_curve,
    )
    from spinney.view.mixtures import plot_em_steps
    from spinney.view.plot import plot_tree
    from spinney.view.predictions import plot_predictions, plot_side_by_side
    from spinney.view.regions import plot_regions
    from spinney.view.residuals import plot_residual_rounds
    from spinney.view.rounds import plot_adaboost_rounds
    from spinney.view.rules import export_rules
    from spinney.view.staged import plot_staged_errors
    from spinney.view.text import export_text

__version__ = "0.1.0"

# public name -> where it lives; loaded at first use
_HOMES = {
    "AdaBoostClassifier": "spinney.estimators.adaboost",
    "AdaBoostRegressor": "spinney.estimators.adaboost",
    "AutoClassifier": "spinney.estimators.automatic.auto",
    "AutoRegressor": "spinney.estimators.automatic.auto",
    "BaggingClassifier": "spinney.estimators.bagging.bagging",
    "BaggingRegressor": "spinney.estimators.bagging.bagging",
    "BayesianGaussianMixture": "spinney.estimators.clusters.mixture",
    "BayesianModelAveraging": "spinney.estimators.combine.model_averaging",
    "BayesianModelAveragingClassifier": "spinney.estimators.combine.model_averaging",
    "BayesianModelAveragingRegressor": "spinney.estimators.combine.model_averaging",
    "BisectingKMeans": "spinney.estimators.clusters.bisecting_kmeans",
    "BucketOfModels": "spinney.estimators.combine.bucket",
    "BucketOfModelsClassifier": "spinney.estimators.combine.bucket",
    "BucketOfModelsRegressor": "spinney.estimators.combine.bucket",
    "C45Classifier": "spinney.estimators.trees.id3_c45",
    "C50Classifier": "spinney.estimators.trees.c50",
    "DecisionTreeClassifier": "spinney.estimators.trees.decision_tree",
    "DecisionTreeRegressor": "spinney.estimators.trees.decision_tree",
    "ExtraTreeClassifier": "spinney.estimators.trees.extra_tree",
    "ExtraTreeRegressor": "spinney.estimators.trees.extra_tree",
    "ExtraTreesClassifier": "spinney.estimators.forests.random_forest",
    "ExtraTreesRegressor": "spinney.estimators.forests.random_forest",
    "GaussianMixture": "spinney.estimators.clusters.mixture",
    "GradientBoostingClassifier": "spinney.estimators.boosting.gradient_boosting",
    "GradientBoostingRegressor": "spinney.estimators.boosting.gradient_boosting",
    "ID3Classifier": "spinney.estimators.trees.id3_c45",
    "IsolationForest": "spinney.estimators.forests.isolation",
    "KMeans": "spinney.estimators.clusters.kmeans",
    "Loss": "spinney.criteria.user_loss",
    "MiniBatchKMeans": "spinney.estimators.clusters.minibatch_kmeans",
    "ModelFormatError": "spinney.io.errors",
    "OptimalTreeClassifier": "spinney.estimators.trees.optimal_tree",
    "OptimalTreeRegressor": "spinney.estimators.trees.optimal_tree",
    "RandomForestClassifier": "spinney.estimators.forests.random_forest",
    "RandomForestRegressor": "spinney.estimators.forests.random_forest",
    "RandomStructureForestClassifier": "spinney.estimators.forests.random_structure",
    "RandomStructureForestRegressor": "spinney.estimators.forests.random_structure",
    "RandomTreesEmbedding": "spinney.estimators.forests.embedding",
    "RankVoting": "spinney.estimators.combine.voting",
    "Round": "spinney.ensemble.callbacks",
    "StackingClassifier": "spinney.estimators.combine.stacking",
    "StackingRegressor": "spinney.estimators.combine.stacking",
    "VotingClassifier": "spinney.estimators.combine.voting",
    "VotingRegressor": "spinney.estimators.combine.voting",
    "aggregate_ranks": "spinney.ensemble.voting",
    "aggregate_votes": "spinney.ensemble.voting",
    "boosting_cv": "spinney.evaluate.boosting_cv",
    "candidate_splits": "spinney.criteria.candidates",
    "elbow": "spinney.estimators.clusters.number_of_clusters",
    "export_graphviz": "spinney.view.graphviz",
    "export_rules": "spinney.view.rules",
    "export_text": "spinney.view.text",
    "ImportedClassifier": "spinney.estimators.imported",
    "ImportedRegressor": "spinney.estimators.imported",
    "from_lightgbm": "spinney.estimators.imported",
    "from_sklearn": "spinney.estimators.imported",
    "from_xgboost": "spinney.estimators.imported",
    "load": "spinney.io.model_file",
    "merge_forests": "spinney.estimators.forests.merging",
    "open_table": "spinney.data.files.open_table",
    "plot_adaboost_rounds": "spinney.view.rounds",
    "plot_amount_of_say": "spinney.view.gains",
    "plot_bias_variance": "spinney.view.judging",
    "plot_confusion_matrix": "spinney.view.judging",
    "plot_elbow": "spinney.view.clusters",
    "plot_em_steps": "spinney.view.mixtures",
    "plot_importances": "spinney.view.importances",
    "plot_impurity_curves": "spinney.view.curves",
    "plot_kmeans_steps": "spinney.view.clusters",
    "plot_learning_curve": "spinney.view.judging",
    "plot_predictions": "spinney.view.predictions",
    "plot_regions": "spinney.view.regions",
    "plot_residual_rounds": "spinney.view.residuals",
    "plot_side_by_side": "spinney.view.predictions",
    "plot_split_gains": "spinney.view.gains",
    "plot_staged_errors": "spinney.view.staged",
    "plot_tree": "spinney.view.plot",
    "plot_validation_curve": "spinney.view.judging",
    "report": "spinney.reporting.making",
    "save": "spinney.io.model_file",
    "select_components": "spinney.estimators.clusters.number_of_clusters",
    "to_c": "spinney.io.to_c",
    "to_json": "spinney.io.to_json",
    "to_onnx": "spinney.io.to_onnx",
    "to_python": "spinney.io.to_python",
    "to_sklearn": "spinney.io.to_sklearn",
    "trees_to_frame": "spinney.view.frame",
}

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "AutoClassifier",
    "AutoRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BayesianGaussianMixture",
    "BayesianModelAveraging",
    "BayesianModelAveragingClassifier",
    "BayesianModelAveragingRegressor",
    "BisectingKMeans",
    "BucketOfModels",
    "BucketOfModelsClassifier",
    "BucketOfModelsRegressor",
    "C45Classifier",
    "C50Classifier",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GaussianMixture",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "ID3Classifier",
    "IsolationForest",
    "KMeans",
    "Loss",
    "MiniBatchKMeans",
    "ModelFormatError",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomStructureForestClassifier",
    "RandomStructureForestRegressor",
    "RandomTreesEmbedding",
    "RankVoting",
    "Round",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "aggregate_ranks",
    "aggregate_votes",
    "boosting_cv",
    "candidate_splits",
    "criteria",
    "datasets",
    "elbow",
    "evaluate",
    "explain",
    "export_graphviz",
    "export_rules",
    "export_text",
    "from_lightgbm",
    "from_sklearn",
    "from_xgboost",
    "load",
    "merge_forests",
    "open_table",
    "plot_adaboost_rounds",
    "plot_amount_of_say",
    "plot_bias_variance",
    "plot_confusion_matrix",
    "plot_elbow",
    "plot_em_steps",
    "plot_importances",
    "plot_impurity_curves",
    "plot_kmeans_steps",
    "plot_learning_curve",
    "plot_predictions",
    "plot_regions",
    "plot_residual_rounds",
    "plot_side_by_side",
    "plot_split_gains",
    "plot_staged_errors",
    "plot_tree",
    "plot_validation_curve",
    "prune",
    "report",
    "save",
    "select_components",
    "to_c",
    "to_json",
    "to_onnx",
    "to_python",
    "to_sklearn",
    "trees_to_frame",
    "view",
]

# `spinney.prune` without a second import; "io" is not in `__all__`, where it would hide Python's own
_ROOMS = ("criteria", "datasets", "evaluate", "explain", "io", "prune", "view")

# scikit-learn and SciPy cannot be imported in several threads at once: their modules wait for each other
_importing = threading.RLock()


def __getattr__(name: str) -> Any:
    if name not in _HOMES and name not in _ROOMS:
        raise AttributeError(f"module 'spinney' has no attribute {name!r}{_meant(name)}", name=name)
    with _importing:
        import_whole(_HOMES.get(name, f"spinney.{name}"))
    if name in _ROOMS:
        return sys.modules[f"spinney.{name}"]
    globals()[name] = value = getattr(sys.modules[_HOMES[name]], name)  # the next time it is simply there
    return value


def _meant(name: str) -> str:
    """What a name that does not exist may have been meant to be, as the end of a sentence."""
    from difflib import get_close_matches

    if name.startswith("_"):
        return ""  # Python's own questions, which nobody reads the answers to
    known = {one.lower(): one for one in __all__}
    longer = [one for small, one in known.items() if small.startswith(name.lower())]
    close = [known[one] for one in get_close_matches(name.lower(), known, n=2, cutoff=0.7)]
    found = [repr(one) for one in (longer[:3] or close)]
    return f". Did you mean {' or '.join(found)}?" if found else ""


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
