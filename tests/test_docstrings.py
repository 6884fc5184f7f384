"""Docstrings are completed in the order of the signature; what a function says itself stays."""

import inspect

from spinney._docstrings import Parameter, completed


def fit(X, y=None, *, cv=5, **more):
    """Fit.

    Parameters
    ----------
    X : array
        Rows,
        of numbers.
    y : array, default=None
        Targets.

        Two paragraphs.
    cv : int, default=5
        Folds.
    **more
        Others.
    """


def test_entries_are_taken_in_the_order_of_the_signature():
    @completed({"cv": Parameter("str", "First.")}, fit, returns="int\n    The number.")
    def search(cv, X, how, y=None, **more):
        """Search.

        Parameters
        ----------
        how : str
            Its own.
        y : list
            Its own, too.

        Examples
        --------
        >>> 1
        1
        """

    assert inspect.getdoc(search).split("\n") == [
        "Search.", "", "Parameters", "----------", "cv : str", "    First.", "X : array", "    Rows,",
        "    of numbers.", "how : str", "    Its own.", "y : list", "    Its own, too.", "**more", "    Others.", "",
        "Returns", "-------", "int", "    The number.", "", "Examples", "--------", ">>> 1", "1",
    ]  # fmt: skip


def test_a_docstring_without_parameters_gets_them():
    @completed(fit, returns="int\n    The number.")
    def count(y):
        """Count.

        Returns
        -------
        float
            Its own.
        """

    text = inspect.getdoc(count)
    assert "y : array, default=None\n    Targets.\n\n    Two paragraphs.\n" in text
    assert "The number" not in text
    assert text.index("Parameters") < text.index("Returns")


def test_without_a_docstring_there_is_nothing_to_complete():
    assert completed(fit)(lambda X: X).__doc__ is None
