"""Estimators in a model file: which classes there are, and what their fitted attributes may hold.

An estimator's record has its parameters, checked by the estimator itself, and its fitted attributes, checked by the
tables below and then as a whole (audit.py). Scikit-learn's estimators that ours make for themselves (the
default final estimators of stacking, the encoder of voting) are in the table too; all others are foreign.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import spinney
from spinney.data.schema import Schema
from spinney.io import audit as audits
from spinney.io.checks import (
    Check,
    Maybe,
    array,
    boolean,
    dict_of,
    fail,
    finite,
    finite_array,
    integer,
    is_a,
    kept_or_none,
    labels,
    list_of,
    names,
    number,
    one_of,
    text,
    tuple_of,
)
from spinney.io.records import COUNT, SEED, stored
from spinney.tree.forest import Forest

Fields = dict[str, Check | Maybe]


@dataclass(frozen=True)
class EstimatorRecord:
    """A class of estimators."""

    kind: type
    fitted: Fields
    audit: Any  # (model, At)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Names, and the values of those that are not given."""
        known = inspect.signature(self.kind).parameters.values()
        return {one.name: one.default for one in known}

    @cached_property
    def made(self) -> frozenset[str]:
        """Attributes that are computed from others when first asked for."""
        every = [item for one in self.kind.__mro__ for item in vars(one).items()]
        return frozenset(name for name, value in every if isinstance(value, cached_property)) - set(self.fitted)


def is_model(value: Any, place: str) -> None:
    """An estimator of the table below, fitted or not."""
    if type(value) not in by_type():
        fail("a model", value, place)


_NUMBERS = array("f8", 1)
_INTEGERS = array("i4 i8", 1)
_CLASSES: Fields = {"classes_": one_of(list_of(labels), labels)}
_COUNTED: Fields = _CLASSES | {"n_classes_": one_of(list_of(integer(1)), array("i8", 1), integer(1))}
_COLUMNS: Fields = {"n_features_in_": integer(1, 1 << 24), "feature_names_in_": Maybe(names)}
_OUTPUT: Fields = {"_sklearn_output_config": Maybe(dict_of(kept_or_none(text)))}
_OUTPUT |= {"_calibration": Maybe(stored("ConformalScores"))}
_TABLE: Fields = _COLUMNS | _OUTPUT | {"_schema": is_a(Schema)}
_TREE: Fields = _TABLE | {"tree_": stored("DecisionTree"), "n_outputs_": COUNT, "max_features_": Maybe(COUNT)}
_TREE |= {"_answers_are": Maybe(text)}
_OPTIMAL: Fields = _TREE | {"objective_": number, "bound_": number}
_OOB: Fields = {
    "oob_decision_function_": Maybe(array("f8", 2, 3)),
    "oob_prediction_": Maybe(array("f8", 1, 2)),
    "oob_score_": Maybe(number),
}
_FOREST: Fields = _TABLE | _OOB
_FOREST |= {"estimator_": is_model, "forest_": is_a(Forest), "n_outputs_": COUNT, "max_features_": COUNT}
_FOREST |= {"_seed": SEED, "_n_rows": COUNT, "_leaf_targets": Maybe(stored("LeafTargets"))}
_FOREST |= {"_bags": kept_or_none(one_of(stored("PooledBags"), stored("Bags")))}
_BAGS: Fields = _TABLE | _OOB
_BAGS |= {"estimator_": is_model, "forest_": Maybe(is_a(Forest)), "estimators_": Maybe(list_of(is_model))}
_BAGS |= {"n_outputs_": COUNT, "_draws": list_of(stored("Draws")), "_seed": SEED, "_n_rows": COUNT}
_ISOLATION: Fields = _TABLE | {"estimator_": is_model, "forest_": is_a(Forest), "n_outputs_": COUNT, "_seed": SEED}
_ISOLATION |= {"_draws": list_of(stored("Draws")), "max_samples_": integer(1), "offset_": finite}
_BOOSTED: Fields = _TABLE | {
    "_init": kept_or_none(is_model),
    "learning_rate_": number,
    "max_leaf_nodes_": kept_or_none(COUNT),
    "min_samples_leaf_": COUNT,
    "n_iter_": COUNT,
    "best_iteration_": COUNT,
    "_booster": stored("Booster"),
    "_seed": SEED,
    "evals_result_": dict_of(dict_of(list_of(number))),
    "is_categorical_": kept_or_none(array("b1", 1)),
    "max_features_": COUNT,
    "train_score_": Maybe(_NUMBERS),
    "oob_scores_": Maybe(_NUMBERS),
    "oob_improvement_": Maybe(_NUMBERS),
    "oob_score_": Maybe(number),
    "do_early_stopping_": boolean,
    "scorer_": kept_or_none(boolean),  # whether there is one: it follows from `scoring`
    "validation_score_": _NUMBERS,
}
_ADABOOST: Fields = _TABLE | {
    "estimators_": list_of(is_model),
    "estimator_": is_model,
    "estimator_weights_": finite_array("f8", 1),
    "estimator_errors_": _NUMBERS,
    "_history": kept_or_none(array("f8", 2)),
}
_AUTO: Fields = _TABLE | {
    "score_": number,
    "names_": list_of(text),
    "estimators_": list_of(is_model),
    "weights_": finite_array("f8", 1),
    "best_": text,
    "_columns": dict_of(array("f8 O", 1)),
    "_title": text,
}
_MEMBERS: Fields = _OUTPUT | {
    "n_features_in_": Maybe(integer(1, 1 << 24)),
    "feature_names_in_": Maybe(names),
    "estimators_": list_of(is_model),
    "named_estimators_": stored("Bunch"),
}
_STACKING = _MEMBERS | {"stack_method_": list_of(text), "_widths": list_of(COUNT), "final_estimator_": is_model}
_STACKING |= {"holdout_indices_": Maybe(_INTEGERS)}
_BUCKET: Fields = _OUTPUT | {
    "n_features_in_": Maybe(integer(1, 1 << 24)),
    "feature_names_in_": Maybe(names),
    "classes_": Maybe(labels),
    "fold_scores_": dict_of(_NUMBERS),
    "scores_": dict_of(number),
    "best_name_": text,
    "best_estimator_": is_model,
}
_AVERAGE = _MEMBERS | {"log_likelihoods_": _NUMBERS, "weights_": finite_array("f8", 1), "variances_": Maybe(_NUMBERS)}
_AVERAGE |= {"classes_": Maybe(labels)}
_CENTRES: Fields = _TABLE | {
    "cluster_centers_": finite_array("f4 f8", 2),
    "labels_": Maybe(_INTEGERS),
    "inertia_": Maybe(number),
    "_origin": finite_array("f8", 1),
    "_history": kept_or_none(list_of(stored("KMeansStep"))),
    "_n_features_out": COUNT,
}
_MINIBATCH = _CENTRES | {"_running": stored("RunningMeans"), "counts_": finite_array("f8", 1), "n_steps_": COUNT}
_MINIBATCH |= {"n_iter_": Maybe(COUNT)}
_BISECTING = _CENTRES | {
    "children_": array("i8", 2),
    "node_centers_": finite_array("f4 f8", 2),
    "node_labels_": array("i4", 1),
    "split_nodes_": array("i8", 1),
}
_MIXTURE: Fields = _TABLE | {
    "weights_": finite_array("f8", 1),
    "means_": finite_array("f8", 2),
    "covariances_": finite_array("f8", 1, 2, 3),
    "precisions_": array("f8", 1, 2, 3),
    "precisions_cholesky_": array("f8", 1, 2, 3),
    "converged_": boolean,
    "n_iter_": COUNT,
    "lower_bound_": number,
    "lower_bounds_": list_of(number),
    "_history": kept_or_none(list_of(stored("MixtureStep"))),
}
_BAYESIAN = _MIXTURE | {
    "weight_concentration_prior_": number,
    "mean_precision_prior_": number,
    "degrees_of_freedom_prior_": number,
    "mean_prior_": finite_array("f8", 1),
    "covariance_prior_": one_of(finite_array("f8", 1, 2), number),
    "weight_concentration_": one_of(tuple_of(_NUMBERS), _NUMBERS),
    "mean_precision_": _NUMBERS,
    "degrees_of_freedom_": _NUMBERS,
}
_IMPORTED: Fields = _TABLE | {
    "forest_": is_a(Forest),
    "_answering": stored("Answering"),
    "_reading": stored("Reading"),
    "n_outputs_": integer(1, 1 << 24),
    "source_": text,
    "objective_": text,
    "criterion": text,
}
_LINEAR: Fields = {"coef_": finite_array("f8", 1, 2), "intercept_": one_of(finite_array("f8", 1), finite)}
_LINEAR |= {"n_features_in_": integer(1), "feature_names_in_": Maybe(names)}


@cache
def estimator_records() -> dict[str, EstimatorRecord]:
    """All estimators that a file can hold, by name."""
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.preprocessing import LabelEncoder

    every: dict[tuple[str, ...], tuple[Fields, Any]] = {
        ("DecisionTreeClassifier", "ExtraTreeClassifier"): (_TREE | _COUNTED, audits.tree),
        ("DecisionTreeRegressor", "ExtraTreeRegressor"): (_TREE, audits.tree),
        ("OptimalTreeClassifier",): (_OPTIMAL | _COUNTED, audits.tree),
        ("OptimalTreeRegressor",): (_OPTIMAL, audits.tree),
        ("ID3Classifier", "C45Classifier"): (_TREE | _COUNTED, audits.tree),
        ("RandomForestClassifier", "ExtraTreesClassifier"): (_FOREST | _COUNTED, audits.forest),
        ("RandomForestRegressor", "ExtraTreesRegressor", "RandomTreesEmbedding"): (_FOREST, audits.forest),
        ("RandomStructureForestClassifier",): (_FOREST | _COUNTED, audits.forest),
        ("RandomStructureForestRegressor",): (_FOREST, audits.forest),
        ("BaggingClassifier",): (_BAGS | _COUNTED, audits.bagging),
        ("BaggingRegressor",): (_BAGS, audits.bagging),
        ("IsolationForest",): (_ISOLATION, audits.isolation),
        ("GradientBoostingClassifier",): (_BOOSTED | _COUNTED, audits.boosting),
        ("GradientBoostingRegressor",): (_BOOSTED, audits.boosting),
        ("AdaBoostClassifier",): (_ADABOOST | _COUNTED, audits.adaboost),
        ("C50Classifier",): (_ADABOOST | _COUNTED, audits.c50),
        ("AdaBoostRegressor",): (_ADABOOST, audits.adaboost),
        ("AutoClassifier",): (_AUTO | _CLASSES, audits.auto),
        ("AutoRegressor",): (_AUTO, audits.auto),
        ("VotingClassifier",): (_MEMBERS | _CLASSES | {"le_": is_model}, audits.voting),
        ("VotingRegressor", "RankVoting"): (_MEMBERS, audits.voting),
        ("StackingClassifier",): (_STACKING | _CLASSES, audits.stacking),
        ("StackingRegressor",): (_STACKING, audits.stacking),
        ("BucketOfModels", "BucketOfModelsClassifier", "BucketOfModelsRegressor"): (_BUCKET, audits.bucket),
        ("BayesianModelAveraging", "BayesianModelAveragingClassifier"): (_AVERAGE, audits.averaging),
        ("BayesianModelAveragingRegressor",): (_AVERAGE, audits.averaging),
        ("ImportedClassifier",): (_IMPORTED | _CLASSES, audits.imported),
        ("ImportedRegressor",): (_IMPORTED, audits.imported),
        ("KMeans",): (_CENTRES | {"n_iter_": COUNT}, audits.centres),
        ("MiniBatchKMeans",): (_MINIBATCH, audits.minibatch),
        ("BisectingKMeans",): (_BISECTING, audits.bisecting),
        ("GaussianMixture",): (_MIXTURE, audits.mixture),
        ("BayesianGaussianMixture",): (_BAYESIAN, audits.bayesian_mixture),
    }
    found = {
        name: EstimatorRecord(getattr(spinney, name), fields, audit)
        for names_of, (fields, audit) in every.items()
        for name in names_of
    }
    logistic: Fields = _LINEAR | {"classes_": labels, "n_iter_": array("i4 i8", 1)}
    ridge: Fields = _LINEAR | {"alpha_": one_of(finite, finite_array("f8", 1)), "best_score_": one_of(number, _NUMBERS)}
    found["LogisticRegression"] = EstimatorRecord(LogisticRegression, logistic, audits.linear)
    found["RidgeCV"] = EstimatorRecord(RidgeCV, ridge, audits.linear)
    found["LabelEncoder"] = EstimatorRecord(LabelEncoder, {"classes_": labels}, lambda model, check: None)
    return found


@cache
def by_type() -> dict[type, str]:
    """The name of each class of estimators."""
    return {record.kind: name for name, record in estimator_records().items()}
