"""scikit-learn's metadata routing for models made of models: which arguments of a call go to which member.

In:  a model, its members, and the arguments that a method was called with.
Out: the arguments of each member; scikit-learn's own errors where a member has not said whether it wants one.

Routing is off by default (`sklearn.set_config(enable_metadata_routing=True)` switches it on): then `sample_weight` goes
to all members, and nothing else is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object, process_routing

from spinney.ensemble.cross_fitting import Member, check_weights_welcome, takes_weights


def is_routing() -> bool:
    """Whether scikit-learn's metadata routing is switched on."""
    return bool(get_config().get("enable_metadata_routing", False))


def router_of_members(owner: Any) -> MetadataRouter:
    """Arguments of `fit` go to the `fit` of the members that ask for them."""
    router = MetadataRouter(owner=owner)
    for name, model in owner.estimators:
        router.add(**{name: model}, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
    return router


def router_of_copies(owner: Any, template: Any) -> MetadataRouter:
    """Arguments go to the copies of one estimator: of `fit` to `fit`, of predictions to what gives them."""
    mapping = MethodMapping().add(caller="fit", callee="fit")
    mapping.add(caller="decision_function", callee="decision_function")
    asked = "predict_proba" if hasattr(template, "predict_proba") else "predict"
    logs = "predict_log_proba" if hasattr(template, "predict_log_proba") else asked
    for caller, callee in (("predict", asked), ("predict_proba", asked), ("predict_log_proba", logs)):
        mapping.add(caller=caller, callee=callee)
    return MetadataRouter(owner=owner).add(estimator=template, method_mapping=mapping)


def route_to_members(owner: Any, members: list[Member], given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """By the members' names: what their `fit` gets besides X and y."""
    known = {name: value for name, value in given.items() if value is not None}
    if is_routing():
        routed = process_routing(owner, "fit", **known)
        return {name: dict(routed[name]["fit"]) for name, _ in members}
    refuse_others(owner, "fit", given)
    check_weights_welcome(members, known.get("sample_weight"))
    return {name: dict(known) for name, _ in members}


def add_final(router: MetadataRouter, final: Any) -> MetadataRouter:
    """Arguments of `predict` go to the final estimator of a stack."""
    return router.add(final_estimator_=final, method_mapping=MethodMapping().add(caller="predict", callee="predict"))


def route_to_final(owner: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What the final estimator's `predict` gets besides X."""
    return dict(process_routing(owner, "predict", **given).final_estimator_["predict"]) if is_routing() else given


def route_to_copies(owner: Any, method: str, given: dict[str, Any]) -> dict[str, Any]:
    """What a method of the copies of one estimator gets besides X (and y and its rows' weights)."""
    if is_routing():
        routed = process_routing(owner, method, **given).estimator
        return {name: value for callee in routed.values() for name, value in callee.items()}
    refuse_others(owner, method, given)
    return {}


def refuse_others(owner: Any, method: str, given: Mapping[str, Any]) -> None:
    """Without routing, `fit` takes X, y and sample_weight, and predictions X."""
    taken = "X, y and sample_weight" if method == "fit" else "X"
    unknown = sorted(set(given) - {"sample_weight"} if method == "fit" else given)
    if unknown:
        raise TypeError(
            f"{type(owner).__name__}.{method} accepts {taken}, got {unknown}. To route others to members, call "
            "sklearn.set_config(enable_metadata_routing=True)."
        )


def wants_weights(model: Any) -> bool:
    """Whether a member may be given sample_weight: with routing it must have asked for it."""
    if is_routing():
        return bool(get_routing_for_object(model).consumes("fit", ("sample_weight",)))
    return takes_weights(model)
