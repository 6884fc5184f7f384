"""scikit-learn's fitted trees as Spinney's: an oracle for pruning, whatever grew them."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from spinney.data.schema import learn_and_read
from spinney.estimators.trees.model import ClassTreeModel, TreeModel
from spinney.tree.decision import LEAF, NO_FEATURE, NUMBER, STOPS
from tests.tree.nodes import tree_of_nodes


class _Grown:
    """Grown by scikit-learn with the parameters that are set here."""

    def __init__(self, max_depth=None, min_samples_leaf=1, criterion="gini", random_state=0, ccp_alpha=0.0):
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.criterion = criterion
        self.random_state = random_state
        self.ccp_alpha = ccp_alpha

    def fit(self, X, y, sample_weight=None):
        theirs = self.their_class(**self.get_params()).fit(X, y, sample_weight=sample_weight)
        n_classes = None
        if hasattr(theirs, "classes_"):
            self.classes_, self.n_classes_ = theirs.classes_, theirs.n_classes_
            n_classes = tuple(int(n) for n in np.atleast_1d(theirs.n_classes_))
        schema, _ = learn_and_read(X, "from_dtype", type(self).__name__)
        self._keep(schema, convert_tree(theirs.tree_, n_classes))
        return self


class ClassTree(_Grown, ClassTreeModel):
    """A class tree that scikit-learn has grown. (It compares in float32: give it such tables.)"""

    their_class = DecisionTreeClassifier


class NumberTree(_Grown, RegressorMixin, TreeModel):
    """A regression tree that scikit-learn has grown."""

    their_class = DecisionTreeRegressor

    def __init__(self, max_depth=None, min_samples_leaf=1, criterion="squared_error", random_state=0, ccp_alpha=0.0):
        super().__init__(max_depth, min_samples_leaf, criterion, random_state, ccp_alpha)

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
    return tree_of_nodes(
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
