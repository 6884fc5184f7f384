"""Forests, bagging and AdaBoost are pruned tree by tree: each as if it stood alone."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    prune,
)
from spinney.tree.models import trees_of

X, Y = load_wine(return_X_y=True)
LABELS = np.array(["red", "rose", "white"])[Y]
MODELS = {
    "forest": RandomForestClassifier(n_estimators=4, random_state=0),
    "extra": ExtraTreesClassifier(n_estimators=4, random_state=0),
    "bagging": BaggingClassifier(n_estimators=4, random_state=0),
    "adaboost": AdaBoostClassifier(DecisionTreeClassifier(max_depth=4), n_estimators=4, random_state=0),
}
WAYS = {
    "cost_complexity": lambda model: prune.cost_complexity(model, 0.03),
    "pessimistic": lambda model: prune.pessimistic(model, 0.1),
    "significance": lambda model: prune.significance(model, 1e-6),
    "reduced_error": lambda model: prune.reduced_error(model, X[::3], LABELS[::3]),
}


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    return MODELS[request.param].fit(X, LABELS)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_each_tree_is_pruned_as_if_alone(fitted, way):
    if isinstance(fitted, AdaBoostClassifier) and way in (WAYS["pessimistic"], WAYS["significance"]):
        with pytest.raises(TypeError, match="needs counts of rows, but AdaBoost's trees"):
            way(fitted)
        return
    before = fitted.fingerprint_
    pruned = way(fitted)
    assert fitted.fingerprint_ == before
    sizes = []
    for one, whole in zip(trees_of(pruned), trees_of(fitted), strict=True):
        alone = DecisionTreeClassifier()
        alone._keep(fitted._schema, whole.tree_)
        alone.classes_, alone.n_classes_ = fitted.classes_, fitted.n_classes_
        assert one.tree_.fingerprint == way(alone).tree_.fingerprint
        sizes.append((one.tree_.n_nodes, whole.tree_.n_nodes))
    assert sum(a for a, _ in sizes) <= sum(b for _, b in sizes)
    assert pruned.score(X, LABELS) > 0.85


def test_what_was_known_of_the_whole_trees_is_forgotten():
    model = RandomForestRegressor(n_estimators=3, keep_targets=True, random_state=0).fit(X, X[:, 0] * X[:, 1])
    assert len(model.estimators_) == 3
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    pruned = prune.cost_complexity(model, 0.05)
    assert pruned.estimators_[0].tree_.n_nodes < model.estimators_[0].tree_.n_nodes
    assert pruned.feature_importances_.tolist() != model.feature_importances_.tolist()
    model.predict_quantiles(X)
    with pytest.raises(ValueError, match="fit with keep_targets=True"):
        pruned.predict_quantiles(X)
