"""scikit-learn's fitted trees as Spinney's: an oracle for pruning, whatever grew them."""

import numpy as np

from spinney.data.schema import learn_and_read
from spinney.estimators.tree_model import ClassTreeModel, TreeModel
from spinney.tree.decision import LEAF, NO_FEATURE, NUMBER, STOPS, DecisionTree


class SomeClassTree(ClassTreeModel):
    """A class tree that was grown elsewhere."""


class SomeNumberTree(TreeModel):
    """A regression tree that was grown elsewhere."""

    def predict(self, X):
        answers = self.tree_.answers[self.apply(X), :, 0]
        return answers[:, 0] if self.n_outputs_ == 1 else answers


def preorder(theirs):
    """Their nodes in preorder (trees grown best first are not)."""
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if theirs.children_left[node] >= 0:
            waiting += [theirs.children_right[node], theirs.children_left[node]]
    return np.array(order)


def convert_tree(theirs, n_classes=None):
    """A DecisionTree from scikit-learn's `tree_`; `n_classes` is a tuple, or None for regression."""
    order = preorder(theirs)
    number = np.argsort(order)
    left, right = theirs.children_left[order], theirs.children_right[order]
    inner = left >= 0
    weight = theirs.weighted_n_node_samples[order]
    answers = theirs.value[order]
    return DecisionTree(
        n_classes=n_classes,
        kind=np.where(inner, NUMBER, LEAF).astype(np.uint8),
        child_start=np.concatenate([[0], np.cumsum(2 * inner)]).astype(np.int64),
        children=np.stack([number[left[inner]], number[right[inner]]], axis=1).ravel().astype(np.int32),
        feature=np.where(inner, theirs.feature[order], NO_FEATURE).astype(np.int32),
        threshold=np.where(inner, theirs.threshold[order], np.nan),
        missing=np.where(inner, 1 - theirs.missing_go_to_left[order].astype(np.int32), STOPS).astype(np.int32),
        set_start=np.zeros(len(order) + 1, np.int64),
        sets=np.zeros(0, np.uint64),
        answers=answers if n_classes is None else answers * weight[:, None, None],
        impurity=theirs.impurity[order],
        n_samples=theirs.n_node_samples[order].astype(np.int64),
        weight=weight,
    )


def convert(model, X):
    """Their fitted model as one of ours."""
    is_class = hasattr(model, "classes_")
    ours = SomeClassTree() if is_class else SomeNumberTree()
    n_classes = tuple(np.atleast_1d(model.n_classes_)) if is_class else None
    schema, _ = learn_and_read(X, "from_dtype", "a test")
    ours._keep(schema, convert_tree(model.tree_, n_classes))
    if is_class:
        ours.classes_, ours.n_classes_ = model.classes_, model.n_classes_
    return ours
