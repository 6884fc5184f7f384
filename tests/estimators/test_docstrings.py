"""Docstrings are completed from tables: what they say themselves stays, in the order of the signature."""

import inspect

import pytest

from spinney.estimators.docstrings import LOCAL, documented
from spinney.estimators.params import Parameter


class Model:
    @documented(LOCAL, {"y": Parameter("object", "Ignored.")})
    def fit(self, X, y=None, extra=1, **params):
        """Fit it.

        Parameters
        ----------
        extra : int, default=1
            One more,
            in two lines.
        **params : dict
            All others.

        Examples
        --------
        >>> 1
        """

    @documented(returns="float\n    A number.")
    def predict(self, X):
        """Predict.

        Notes
        -----
        None.

        Examples
        --------
        >>> 1
        """


def test_own_entries_stay_and_the_others_come_from_tables():
    assert inspect.getdoc(Model.fit) == (
        "Fit it.\n\nParameters\n----------\n"
        "X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)\n"
        "    Input data, with the columns of `fit`.\n"
        "y : object, default=None\n    Ignored.\n"
        "extra : int, default=1\n    One more,\n    in two lines.\n"
        "**params : dict\n    All others.\n\n"
        "Returns\n-------\nself : estimator\n    The fitted estimator.\n\n"
        "Examples\n--------\n>>> 1"
    )


def test_what_is_returned_comes_before_notes():
    text = inspect.getdoc(Model.predict)
    assert (
        text.index("Parameters\n---") < text.index("Returns\n-------\nfloat\n    A number.") < text.index("Notes\n--")
    )


def test_an_argument_that_nobody_describes_is_an_error():
    def fit(self, X, unheard_of):
        """Fit it.

        Examples
        --------
        >>> 1
        """

    with pytest.raises(KeyError, match="unheard_of"):
        documented()(fit)
