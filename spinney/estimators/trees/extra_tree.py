"""Single extremely randomised trees, for classification and regression, with scikit-learn's interface.

With the same `random_state`, `ExtraTreeClassifier` grows the tree of `ExtraTreesClassifier(n_estimators=1)`, from the
same codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spinney.estimators.base import make_team
from spinney.estimators.docstrings import CLASSES_OF_OUTPUTS
from spinney.estimators.params import TREE, described, n_categories, other_defaults, tree_settings
from spinney.estimators.trees.decision_tree import (
    CLASS_CRITERION,
    FITTED,
    NUMBER_CRITERION,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
)

if TYPE_CHECKING:
    from spinney.data.target import Training
    from spinney.tree.decision import DecisionTree


class _ExtraTree:
    """Grows from bin codes if the settings allow it."""

    max_bins: int | None
    n_jobs: int | None
    n_iter_no_change: int | None

    def _grow(self, data: Training, eval_set: Any) -> DecisionTree:
        from spinney._team import Team
        from spinney.ensemble.forests.fit import Plan, grow_trees, open_table
        from spinney.grow.binned.fit import grows_from_codes

        schema, table, target = data
        settings = tree_settings(self, schema, target)
        from_codes = self.max_bins is not None and self.n_iter_no_change is None and eval_set is None
        if not from_codes or not grows_from_codes(settings, target, schema.n_columns):
            tree: DecisionTree = super()._grow(data, eval_set)  # type: ignore[misc]
            return tree
        plan = Plan(
            settings=settings,
            bootstrap=False,
            n_draws=0,
            replace=False,
            weights=target.weights,
            class_weight=None,
            seed=settings.seed,
        )
        with make_team("tree", table.n_rows * table.n_columns, self.n_jobs) as team:
            opened = open_table(table, n_categories(schema), target, plan, self.max_bins, team)
        return grow_trees(opened, target, plan, range(1), Team(1, inline=True)).tree(0)


_TABLE = {
    **TREE,
    "max_bins": TREE["max_bins"]._replace(
        text="Maximum number of bins per column, up to 255. Thresholds are random bin edges, as in extra-trees. None "
        "samples thresholds anywhere between the values, which takes longer."
    ),
    "random_state": TREE["random_state"]._replace(text="Seed for the columns and thresholds, which are random."),
}
_ABOUT = """
    Every split samples `max_features` columns and one random threshold for each, between the smallest and the largest
    value in the node, and takes the best of these. A single such tree is weak: use it as the base estimator of an
    ensemble, or use `{ensemble}`.

    Missing values go to the side with the larger gain, or to the side with more weight if a node has none in training.
    Unknown categories are treated as missing.
"""


@described(
    _TABLE,
    {"criterion": CLASS_CRITERION},
    fitted=CLASSES_OF_OUTPUTS + FITTED,
    about=_ABOUT.format(ensemble="ExtraTreesClassifier"),
)
@other_defaults(splitter="random", max_features="sqrt", max_bins=255)
class ExtraTreeClassifier(_ExtraTree, DecisionTreeClassifier):
    """An extremely randomised tree for classification.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import BaggingClassifier, ExtraTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreeClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    >>> BaggingClassifier(ExtraTreeClassifier(), 50, oob_score=True, random_state=0).fit(X, y).oob_score_ > 0.85
    True
    """


@described(_TABLE, {"criterion": NUMBER_CRITERION}, fitted=FITTED, about=_ABOUT.format(ensemble="ExtraTreesRegressor"))
@other_defaults(splitter="random", max_features=1.0, max_bins=255)
class ExtraTreeRegressor(_ExtraTree, DecisionTreeRegressor):
    """An extremely randomised tree for regression.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import ExtraTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ExtraTreeRegressor(max_leaf_nodes=20, random_state=0).fit(X, y)
    >>> model.get_n_leaves()
    20
    """
