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
    "ModelFormatError": "spinney.io.checks",
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
    "plot_amount_of_say": "spinney.view.criteria",
    "plot_bias_variance": "spinney.view.judging",
    "plot_confusion_matrix": "spinney.view.judging",
    "plot_elbow": "spinney.view.clusters",
    "plot_em_steps": "spinney.view.clusters",
    "plot_importances": "spinney.view.importances",
    "plot_impurity_curves": "spinney.view.criteria",
    "plot_kmeans_steps": "spinney.view.clusters",
    "plot_learning_curve": "spinney.view.judging",
    "plot_predictions": "spinney.view.predictions",
    "plot_regions": "spinney.view.predictions",
    "plot_residual_rounds": "spinney.view.rounds",
    "plot_side_by_side": "spinney.view.predictions",
    "plot_split_gains": "spinney.view.criteria",
    "plot_staged_errors": "spinney.view.rounds",
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

# `spinney.prune` without a second import
_ROOMS = ("criteria", "datasets", "evaluate", "explain", "io", "prune", "view")

# without what has no public constructor, and "io", which would hide Python's own
_PUBLIC = sorted({*_HOMES, *_ROOMS} - {"ImportedClassifier", "ImportedRegressor", "io"})

if TYPE_CHECKING:  # `as` makes a name public for type checkers, which cannot read `_HOMES`
    from spinney import criteria as criteria
    from spinney import datasets as datasets
    from spinney import evaluate as evaluate
    from spinney import explain as explain
    from spinney import prune as prune
    from spinney import view as view
    from spinney.criteria.candidates import candidate_splits as candidate_splits
    from spinney.criteria.user_loss import Loss as Loss
    from spinney.data.files.open_table import open_table as open_table
    from spinney.ensemble.callbacks import Round as Round
    from spinney.ensemble.voting import aggregate_ranks as aggregate_ranks
    from spinney.ensemble.voting import aggregate_votes as aggregate_votes
    from spinney.estimators.adaboost import AdaBoostClassifier as AdaBoostClassifier
    from spinney.estimators.adaboost import AdaBoostRegressor as AdaBoostRegressor
    from spinney.estimators.automatic.auto import AutoClassifier as AutoClassifier
    from spinney.estimators.automatic.auto import AutoRegressor as AutoRegressor
    from spinney.estimators.bagging.bagging import BaggingClassifier as BaggingClassifier
    from spinney.estimators.bagging.bagging import BaggingRegressor as BaggingRegressor
    from spinney.estimators.boosting.gradient_boosting import GradientBoostingClassifier as GradientBoostingClassifier
    from spinney.estimators.boosting.gradient_boosting import GradientBoostingRegressor as GradientBoostingRegressor
    from spinney.estimators.clusters.bisecting_kmeans import BisectingKMeans as BisectingKMeans
    from spinney.estimators.clusters.kmeans import KMeans as KMeans
    from spinney.estimators.clusters.minibatch_kmeans import MiniBatchKMeans as MiniBatchKMeans
    from spinney.estimators.clusters.mixture import BayesianGaussianMixture as BayesianGaussianMixture
    from spinney.estimators.clusters.mixture import GaussianMixture as GaussianMixture
    from spinney.estimators.clusters.number_of_clusters import elbow as elbow
    from spinney.estimators.clusters.number_of_clusters import select_components as select_components
    from spinney.estimators.combine.bucket import BucketOfModels as BucketOfModels
    from spinney.estimators.combine.bucket import BucketOfModelsClassifier as BucketOfModelsClassifier
    from spinney.estimators.combine.bucket import BucketOfModelsRegressor as BucketOfModelsRegressor
    from spinney.estimators.combine.model_averaging import BayesianModelAveraging as BayesianModelAveraging
    from spinney.estimators.combine.model_averaging import (
        BayesianModelAveragingClassifier as BayesianModelAveragingClassifier,
    )
    from spinney.estimators.combine.model_averaging import (
        BayesianModelAveragingRegressor as BayesianModelAveragingRegressor,
    )
    from spinney.estimators.combine.stacking import StackingClassifier as StackingClassifier
    from spinney.estimators.combine.stacking import StackingRegressor as StackingRegressor
    from spinney.estimators.combine.voting import RankVoting as RankVoting
    from spinney.estimators.combine.voting import VotingClassifier as VotingClassifier
    from spinney.estimators.combine.voting import VotingRegressor as VotingRegressor
    from spinney.estimators.forests.embedding import RandomTreesEmbedding as RandomTreesEmbedding
    from spinney.estimators.forests.isolation import IsolationForest as IsolationForest
    from spinney.estimators.forests.merging import merge_forests as merge_forests
    from spinney.estimators.forests.random_forest import ExtraTreesClassifier as ExtraTreesClassifier
    from spinney.estimators.forests.random_forest import ExtraTreesRegressor as ExtraTreesRegressor
    from spinney.estimators.forests.random_forest import RandomForestClassifier as RandomForestClassifier
    from spinney.estimators.forests.random_forest import RandomForestRegressor as RandomForestRegressor
    from spinney.estimators.forests.random_structure import (
        RandomStructureForestClassifier as RandomStructureForestClassifier,
    )
    from spinney.estimators.forests.random_structure import (
        RandomStructureForestRegressor as RandomStructureForestRegressor,
    )
    from spinney.estimators.imported import ImportedClassifier as ImportedClassifier
    from spinney.estimators.imported import ImportedRegressor as ImportedRegressor
    from spinney.estimators.imported import from_lightgbm as from_lightgbm
    from spinney.estimators.imported import from_sklearn as from_sklearn
    from spinney.estimators.imported import from_xgboost as from_xgboost
    from spinney.estimators.trees.c50 import C50Classifier as C50Classifier
    from spinney.estimators.trees.decision_tree import DecisionTreeClassifier as DecisionTreeClassifier
    from spinney.estimators.trees.decision_tree import DecisionTreeRegressor as DecisionTreeRegressor
    from spinney.estimators.trees.extra_tree import ExtraTreeClassifier as ExtraTreeClassifier
    from spinney.estimators.trees.extra_tree import ExtraTreeRegressor as ExtraTreeRegressor
    from spinney.estimators.trees.id3_c45 import C45Classifier as C45Classifier
    from spinney.estimators.trees.id3_c45 import ID3Classifier as ID3Classifier
    from spinney.estimators.trees.optimal_tree import OptimalTreeClassifier as OptimalTreeClassifier
    from spinney.estimators.trees.optimal_tree import OptimalTreeRegressor as OptimalTreeRegressor
    from spinney.evaluate.boosting_cv import boosting_cv as boosting_cv
    from spinney.io.checks import ModelFormatError as ModelFormatError
    from spinney.io.model_file import load as load
    from spinney.io.model_file import save as save
    from spinney.io.to_c import to_c as to_c
    from spinney.io.to_json import to_json as to_json
    from spinney.io.to_onnx import to_onnx as to_onnx
    from spinney.io.to_python import to_python as to_python
    from spinney.io.to_sklearn import to_sklearn as to_sklearn
    from spinney.reporting.making import report as report
    from spinney.view.clusters import plot_elbow as plot_elbow
    from spinney.view.clusters import plot_em_steps as plot_em_steps
    from spinney.view.clusters import plot_kmeans_steps as plot_kmeans_steps
    from spinney.view.criteria import plot_amount_of_say as plot_amount_of_say
    from spinney.view.criteria import plot_impurity_curves as plot_impurity_curves
    from spinney.view.criteria import plot_split_gains as plot_split_gains
    from spinney.view.frame import trees_to_frame as trees_to_frame
    from spinney.view.graphviz import export_graphviz as export_graphviz
    from spinney.view.importances import plot_importances as plot_importances
    from spinney.view.judging import plot_bias_variance as plot_bias_variance
    from spinney.view.judging import plot_confusion_matrix as plot_confusion_matrix
    from spinney.view.judging import plot_learning_curve as plot_learning_curve
    from spinney.view.judging import plot_validation_curve as plot_validation_curve
    from spinney.view.plot import plot_tree as plot_tree
    from spinney.view.predictions import plot_predictions as plot_predictions
    from spinney.view.predictions import plot_regions as plot_regions
    from spinney.view.predictions import plot_side_by_side as plot_side_by_side
    from spinney.view.rounds import plot_adaboost_rounds as plot_adaboost_rounds
    from spinney.view.rounds import plot_residual_rounds as plot_residual_rounds
    from spinney.view.rounds import plot_staged_errors as plot_staged_errors
    from spinney.view.rules import export_rules as export_rules
    from spinney.view.text import export_text as export_text
else:
    __all__ = _PUBLIC

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
    known = {one.lower(): one for one in _PUBLIC}
    longer = [one for small, one in known.items() if small.startswith(name.lower())]
    close = [known[one] for one in get_close_matches(name.lower(), known, n=2, cutoff=0.7)]
    found = [repr(one) for one in (longer[:3] or close)]
    return f". Did you mean {' or '.join(found)}?" if found else ""


def __dir__() -> list[str]:
    return sorted([*_PUBLIC, "__version__"])
