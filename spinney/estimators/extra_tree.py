"""Single extremely randomised trees, for classification and regression, with scikit-learn's interface.

They are the trees of extra-trees: `ExtraTreesClassifier(n_estimators=1)` grows the tree that `ExtraTreeClassifier` with
the same `random_state` grows, from the same codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spinney.data.weights import Weights
from spinney.estimators.params import TREE, described, other_defaults
from spinney.estimators.settings import n_categories, tree_settings
from spinney.estimators.targets import Answers
from spinney.estimators.tree import (
    CLASS_CRITERION,
    FITTED,
    NUMBER_CRITERION,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
)

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.schema import Schema
    from spinney.data.tables import Table
    from spinney.tree.decision import DecisionTree


class _ExtraTree:
    """Grows from codes where these will do."""

    max_bins: int | None
    n_iter_no_change: int | None

    def _grow(
        self, schema: Schema, table: Table, answers: Answers, weights: Weights, team: Team, eval_set: Any
    ) -> DecisionTree:
        from spinney._team import Team
        from spinney.ensemble.forests import Plan, grow_trees, open_table
        from spinney.grow.codes.fit import grows_from_codes

        settings, target = tree_settings(self, schema, answers, weights), answers.target(weights)
        from_codes = self.max_bins is not None and self.n_iter_no_change is None and eval_set is None
        if not from_codes or not grows_from_codes(settings, target, schema.n_columns):
            tree: DecisionTree = super()._grow(schema, table, answers, weights, team, eval_set)  # type: ignore[misc]
            return tree
        plan = Plan(
            settings=settings,
            bootstrap=False,
            n_draws=0,
            replace=False,
            weights=weights,
            class_weight=None,
            seed=settings.seed,
        )
        opened = open_table(table, n_categories(schema), target, plan, self.max_bins, team)
        return grow_trees(opened, target, plan, range(1), Team(1, inline=True)).tree(0)


_TABLE = {
    **TREE,
    "max_bins": TREE["max_bins"]._replace(
        text="Cut each column into at most this many bins first, up to 255, and draw thresholds between these, as "
        "extra-trees do; None draws them between the values themselves, and takes longer."
    ),
    "random_state": TREE["random_state"]._replace(text="For the columns and thresholds drawn."),
}
_ABOUT = """
    Every split draws `max_features` columns and one random threshold for each, between the least and the greatest value
    in the node, and takes the best of these. One such tree is weak: it is made to be a member of an ensemble, of
    `{ensemble}` or of bagging. Missing values go to the side that is better for them; where a node had none,
    to the one with more weight, as do categories it has not seen.
"""


@described(_TABLE, {"criterion": CLASS_CRITERION}, fitted=FITTED, about=_ABOUT.format(ensemble="ExtraTreesClassifier"))
@other_defaults(splitter="random", max_features="sqrt", max_bins=255)
class ExtraTreeClassifier(_ExtraTree, DecisionTreeClassifier):
    """An extremely randomised tree for classification.

    {about}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray for several outputs
    n_classes_ : int or list of int
    {fitted}

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

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import ExtraTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ExtraTreeRegressor(max_leaf_nodes=20, random_state=0).fit(X, y)
    >>> model.get_n_leaves()
    20
    """
