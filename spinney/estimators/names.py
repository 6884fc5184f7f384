"""Names of other libraries: what an unknown parameter or argument is called in Spinney.

In:  a class or a method, and the keywords of a call that it does not know. Out: a TypeError that gives our names.
The tables are those of docs/from-*.md, and tests compare the two. A call with known keywords costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, NoReturn

from spinney.estimators.params import defaults_of, keywords_of

_ACTIONS = ("fit", "partial_fit", "fit_predict", "fit_transform")

# Parameters: other names -> (ours, or "" where there is none; a remark).
PARAMETERS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("iterations", "num_trees", "num_iterations", "num_boost_round", "nrounds", "n_iter", "ntree", "num_round"),
        ("n_estimators", ""),
    ),
    **dict.fromkeys(("n_trees", "ntrees"), ("n_estimators", "")),
    "eta": ("learning_rate", ""),
    "shrinkage": ("learning_rate", ""),
    **dict.fromkeys(("depth", "maxdepth"), ("max_depth", "")),
    **dict.fromkeys(("num_leaves", "max_leaves", "num_leaf"), ("max_leaf_nodes", "")),
    **dict.fromkeys(
        ("min_child_samples", "min_data_in_leaf", "min_data", "minbucket", "nodesize"), ("min_samples_leaf", "")
    ),
    "minsplit": ("min_samples_split", ""),
    "min_impurity_split": ("min_impurity_decrease", ""),
    "grow_policy": ("growth", "depthwise is 'level_wise', lossguide is 'best_first'"),
    **dict.fromkeys(("reg_lambda", "lambda_l2", "l2_leaf_reg"), ("l2_regularization", "")),
    **dict.fromkeys(("reg_alpha", "lambda_l1"), ("l1_regularization", "")),
    **dict.fromkeys(("gamma", "min_gain_to_split", "min_split_loss"), ("min_split_gain", "")),
    "min_sum_hessian_in_leaf": ("min_child_weight", ""),
    **dict.fromkeys(("bagging_fraction", "sample_rate"), ("subsample", "")),
    **dict.fromkeys(("colsample_bytree", "feature_fraction"), ("max_features_per_tree", "")),
    **dict.fromkeys(
        ("colsample_bynode", "rsm", "colsample_bylevel", "feature_fraction_bynode", "mtry"),
        ("max_features", "columns are sampled per split"),
    ),
    **dict.fromkeys(("max_bin", "border_count"), ("max_bins", "at most 255")),
    "tree_method": ("max_bins", "None is 'exact', a number of bins is 'hist'"),
    **dict.fromkeys(("objective", "loss_function"), ("loss", "")),
    **dict.fromkeys(("base_score", "boost_from_average"), ("init", "the best constant by default; 'zero' for none")),
    **dict.fromkeys(
        ("enable_categorical", "feature_types", "cat_features", "categorical_feature"),
        ("categorical_features", "columns of strings and category dtypes are categorical by default"),
    ),
    "cat_smooth": ("category_smoothing", ""),
    "cat_l2": ("category_l2", ""),
    "min_data_per_group": ("min_samples_category", ""),
    "monotone_constraints": ("monotonic_cst", ""),
    "interaction_constraints": ("interaction_cst", ""),
    "class_weights": ("class_weight", ""),
    "scale_pos_weight": ("class_weight", "a dict with a weight for each class, or 'balanced'"),
    **dict.fromkeys(("is_unbalance", "auto_class_weights"), ("class_weight", "'balanced'")),
    **dict.fromkeys(
        ("early_stopping_rounds", "early_stopping_round", "od_wait"),
        ("n_iter_no_change", "which turns early stopping on"),
    ),
    **dict.fromkeys(("random_seed", "seed"), ("random_state", "")),
    **dict.fromkeys(("nthread", "thread_count", "num_threads", "nthreads"), ("n_jobs", "")),
    **dict.fromkeys(("task_type", "devices", "device_type"), ("device", "")),
    **dict.fromkeys(("verbosity", "silent", "logging_level"), ("verbose", "")),
    "callback": ("callbacks", ""),
    "cp": ("ccp_alpha", ""),
    "base_estimator": ("estimator", ""),
    **dict.fromkeys(
        ("eval_metric", "custom_metric", "metric"), ("", "pass metrics to fit: fit(X, y, eval_metric=...)")
    ),
    "importance_type": ("", "get_feature_importances(kind) computes every kind of importance"),
    **dict.fromkeys(
        ("booster", "boosting_type", "boosting"),
        ("", "only plain gradient boosting is supported, not dart or goss"),
    ),
    "missing": ("", "NaN, None and NA are missing values"),
    "zero_as_missing": ("", "zeros are zeros, and NaN, None and NA are missing values"),
    "nan_mode": ("", "missing values go to the side that gains more"),
    "num_parallel_tree": ("", "use a forest, such as RandomForestClassifier"),
    "extra_trees": ("", "use ExtraTreesClassifier or ExtraTreesRegressor"),
    **dict.fromkeys(("deterministic", "force_row_wise"), ("", "the model is always deterministic")),
    "validate_parameters": ("", "parameters are always checked"),
    "use_best_model": ("", "early stopping always keeps the best round"),
    "subsample_freq": ("", "with subsample, rows are sampled in every round"),
    **dict.fromkeys(("sampling_method", "bootstrap_type", "bagging_temperature"), ("", "rows are sampled uniformly")),
    "max_delta_step": ("", "losses with a log link limit their steps themselves"),
    "subsample_for_bin": ("", "bins are computed from 200,000 rows of larger data"),
    **dict.fromkeys(
        ("max_cat_to_onehot", "max_cat_threshold", "one_hot_max_size", "max_ctr_complexity", "simple_ctr"),
        ("", "categories are ordered and split once, in every node"),
    ),
    "multi_strategy": ("", "there is one tree per class and round"),
    "leaf_estimation_iterations": ("", "leaf values take one step"),
    **dict.fromkeys(("train_dir", "allow_writing_files"), ("", "nothing is written to files")),
    "has_time": ("", "categories are not encoded by the rows before"),
    **dict.fromkeys(
        ("feature_weights", "random_strength", "path_smooth", "linear_tree", "text_features", "embedding_features"),
        ("", ""),
    ),
}
# Arguments of fit, if they are not parameters: other names -> (ours, or "" where there is none; a remark).
FIT: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("base_margin", "baseline"), ("init_score", "")),
    "base_margin_eval_set": ("eval_init_score", ""),
    "sample_weight_eval_set": ("eval_set", "each set may be (X, y, weight)"),
    "eval_sample_weight": ("eval_set", "each set may be (X, y, weight)"),
    "eval_names": ("eval_set", "a dict from name to (X, y)"),
    "eval_X": ("X_val", ""),
    "eval_y": ("y_val", ""),
    "validation_data": ("eval_set", ""),
    **dict.fromkeys(("xgb_model", "init_model"), ("", "set the parameter warm_start=True to continue a fit")),
    "feature_name": ("", "names are those of the columns of X"),
    "plot": ("", "use plot_staged_errors(model, X, y) after the fit"),
    "eval_class_weight": ("", ""),
}
# Arguments of predictions: other names -> (a method or property that a model has for it, what to do instead).
PREDICT: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        ("iteration_range", "num_iteration", "ntree_limit", "ntree_end", "start_iteration", "ntree_start"),
        ("n_trees_per_iteration_", "model[:k].predict(X) predicts with the first k rounds"),
    ),
    **dict.fromkeys(("output_margin", "raw_score"), ("decision_function", "decision_function(X) gives raw scores")),
    "prediction_type": (
        "decision_function",
        "decision_function(X) gives raw scores, predict_proba(X) probabilities",
    ),
    "pred_leaf": ("apply", "apply(X) gives leaves"),
    **dict.fromkeys(("pred_contrib", "pred_contribs"), ("shap_values", "shap_values(X) gives contributions")),
    "pred_interactions": ("shap_values", "shap_values(X, interactions=True) gives contributions of pairs"),
    "base_margin": ("n_trees_per_iteration_", "use init_score"),
    **dict.fromkeys(("validate_features", "predict_disable_shape_check"), ("predict", "columns are always checked")),
    **dict.fromkeys(("n_jobs", "thread_count", "nthread"), ("predict", "n_jobs is a parameter of the model")),
}


class UnknownParameterError(TypeError, ValueError):
    """What `set_params` raises: a TypeError like a wrong keyword, and a ValueError as in scikit-learn."""


@contextmanager
def names_of_ours(model: Any, params: Iterable[str]) -> Iterator[None]:
    """Parameters are set in here: the error about unknown ones gives our names."""
    try:
        yield
    except ValueError:
        known = model.get_params(deep=True)
        unknown = [name for name in params if "__" not in name and name not in known]
        if not unknown:
            raise
        advice = {name: _parameter(type(model), name) for name in unknown}
        _refuse(UnknownParameterError, type(model).__name__, "parameter", advice)


def refuse_parameters(kind: Any, given: Iterable[str]) -> NoReturn:
    """Raise: a constructor does not have all of these parameters."""
    _refuse(TypeError, kind.__name__, "parameter", {name: _parameter(kind, name) for name in given})


def refuse_unknown(model: Any, method: Callable[..., Any], given: Iterable[str]) -> None:
    """Raise if a call of a method failed because of keywords that it does not have."""
    known = keywords_of(method)
    if known is None or known.issuperset(given):
        return
    name = method.__name__
    find = _argument_of_fit if name in _ACTIONS else _argument_of_predict
    advice = {one: find(type(model), known, one) for one in given}
    _refuse(TypeError, f"{type(model).__name__}.{name}", "argument", advice)


def _parameter(kind: Any, name: str) -> str | None:
    """What to do instead of a parameter; None if the class has it."""
    own = defaults_of(kind)
    if name in own:
        return None
    ours, remark = PARAMETERS.get(name, ("", ""))
    if ours in own:
        return f"use {ours}" + (f" ({remark})" if remark else "")
    if name in PARAMETERS and not ours and remark:
        return remark
    if name in (keywords_of(kind.fit) or ()):
        return f"it is an argument of fit: fit(X, y, {name}=...)"
    if ours:
        return f"only other models have an equivalent, {ours}"
    near = get_close_matches(name, own, 1)
    if near:
        return f"did you mean {near[0]}?"
    return "there is no equivalent" if name in PARAMETERS else f"see help({kind.__name__}) for all parameters"


def _argument_of_fit(kind: Any, known: frozenset[str], name: str) -> str | None:
    if name in known:
        return None
    ours, remark = FIT.get(name, ("", ""))
    if ours in known:
        return f"use {ours}" + (f" ({remark})" if remark else "")
    if name in FIT and remark:
        return remark
    own = defaults_of(kind)
    parameter, remark = (name, "") if name in own else PARAMETERS.get(name, ("", ""))
    if parameter in own:
        told = f"use the parameter {parameter} of the model: {kind.__name__}({parameter}=...)"
        return told + (f" ({remark})" if remark else "")
    near = get_close_matches(name, known - {"self"}, 1)
    return f"did you mean {near[0]}?" if near else _takes(known)


def _argument_of_predict(kind: Any, known: frozenset[str], name: str) -> str | None:
    if name in known:
        return None
    needed, instead = PREDICT.get(name, ("", ""))
    if needed and hasattr(kind, needed):
        return instead
    near = get_close_matches(name, known - {"self"}, 1)
    return f"did you mean {near[0]}?" if near else _takes(known)


def _takes(known: frozenset[str]) -> str:
    return f"it accepts {', '.join(sorted(known - {'self'}))}"


def _refuse(error: type[Exception], owner: str, what: str, advice: dict[str, str | None]) -> NoReturn:
    """Raise with what to do instead of each unknown name."""
    unknown = {name: one for name, one in advice.items() if one is not None}
    names = ", ".join(map(repr, unknown))
    if len(unknown) == 1:
        (one,) = unknown.values()
        raise error(f"{owner} has no {what} {names}: {one}" + ("" if one.endswith("?") else ".")) from None
    each = "; ".join(f"{name}: {one}" for name, one in unknown.items())
    raise error(f"{owner} has no {what}s {names}. {each}.") from None
