"""Spinney: decision trees and everything built on them.

    >>> from spinney import GradientBoostingClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = GradientBoostingClassifier(random_state=0).fit(X, y)

Importing spinney is light: Numba is loaded by the first fit or predict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._lazy_names import lazy_names

__version__ = "0.1.0"

if TYPE_CHECKING:
    from spinney import criteria as criteria
    from spinney import datasets as datasets
    from spinney import evaluate as evaluate
    from spinney import explain as explain
    from spinney import io as io
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

# what has no public constructor is not listed, nor "io", which would hide Python's own
_UNLISTED = "ImportedClassifier", "ImportedRegressor", "io"
__getattr__, __dir__, __all__ = lazy_names(__name__, __file__, _UNLISTED)
