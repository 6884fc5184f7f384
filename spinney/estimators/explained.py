"""`shap_values`, for all models of trees. No algorithm in here: see explain/shap_values.py."""

from __future__ import annotations

from typing import Any

import numpy as np


class Explained:
    """A model whose answers can be shared out among the columns."""

    def shap_values(self, X: Any, background: Any = None, *, interactions: bool = False) -> np.ndarray:
        """Exact SHAP values of every row: the contribution of each column to the prediction.

        They are the `values` of `spinney.explain.shap(model, X, background)`, which also has base values and names.

        Parameters
        ----------
        X : table
            Rows to explain.
        background : table, default=None
            Rows to compare with; without it, the training rows, as each tree remembers them.
        interactions : bool, default=False
            Divide the contributions among pairs of columns.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or (n_samples, n_features, n_features) with interactions; one more
        dimension for several outputs, such as classes

        Examples
        --------
        >>> from spinney import DecisionTreeRegressor
        >>> DecisionTreeRegressor().fit([[0], [1]], [2.0, 4.0]).shap_values([[1]])
        array([[1.]])
        """
        from spinney.explain.shap_values import shap

        return shap(self, X, background, interactions=interactions).values
