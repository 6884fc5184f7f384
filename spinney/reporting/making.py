"""`report`: a fitted model and a table become one page.

In: a model, X and y. Out: `Report`, whose `html` has everything: styles, script and data. Sections are made by
sample.py (data), quality.py and explanations.py; page.py puts them together.
"""

from __future__ import annotations

from datetime import date
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from spinney._distribution import install_command
from spinney._whole_file import write_whole


class Report:
    """A report: one HTML page that needs nothing else.

    Attributes
    ----------
    html : str
        The page.
    title : str
        Title of the page.
    """

    def __init__(self, html: str, title: str) -> None:
        self.html, self.title = html, title

    def save(self, path: Any) -> Path:
        """Write the page to a file.

        The file is replaced only when the whole page is written.

        Parameters
        ----------
        path : str or path
            File to write.

        Returns
        -------
        pathlib.Path
            Path of the file.

        Examples
        --------
        >>> import os
        >>> import tempfile
        >>> import spinney
        >>> from spinney.datasets import load_penguins
        >>> X, y = load_penguins()
        >>> page = spinney.report(spinney.DecisionTreeClassifier(max_depth=3).fit(X, y), X, y, cv=3)
        >>> page.save(os.path.join(tempfile.mkdtemp(), "penguins.html")).name
        'penguins.html'
        """
        write_whole(path, [self.html.encode()])
        return Path(path)

    def _repr_html_(self) -> str:
        """In notebooks: the page in a frame."""
        return (
            f'<iframe title="{escape(self.title)}" style="width:100%;height:80vh;border:1px solid #8884" '
            f'sandbox="allow-scripts" srcdoc="{escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Report: {self.title}, {len(self.html) / 1e6:.1f} MB; save(path) writes it>"


def report(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    times: Any = None,
    cv: int = 5,
    title: str | None = None,
    target: str | None = None,
    source: str | None = None,
    row_names: Any = None,
    made_on: date | None = None,
    judged: Any = None,
    random_state: int = 0,
) -> Report:
    """Create one HTML page about a fitted model: scores, data, feature importances, dependence and trees.

    The page is one file that loads nothing else. It has cross-validated scores compared with a baseline, learning
    curves, the confusion matrix with a slider for the threshold, ROC, precision-recall and calibration curves or
    residuals, feature importances, SHAP values, partial dependence, the first trees, and the contributions to the
    predictions of single rows.

    Parameters
    ----------
    model : fitted classifier or regressor
        A model of Spinney, or of another library that follows scikit-learn's conventions; those have no trees to show.
    X : array-like, DataFrame or out-of-core table
        Data, preferably that the model was fitted on, since clones of the model are cross-validated on it. 100,000 rows
        are sampled from a table opened with `open_table`, which supplies y and weights if they are not given.
    y : array-like of shape (n_samples,), default=None
        Targets.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows, used in fits, scores and curves.
    groups : array-like of shape (n_samples,) or str, default=None
        Groups of the rows, or the name of a column of X. The rows of a group stay in one fold.
    times : array-like of shape (n_samples,) or str, default=None
        Times of the rows, or the name of a column of X: later rows are predicted by models fitted on earlier ones.
    cv : int, default=5
        Number of folds. 0 scores the model itself on the rows given, which is honest only if it has not seen them.
    title : str, default=None
        Title of the page. None: the target, the number of columns and the source; without the name of the target,
        the class of the model.
    target : str, default=None
        Name of the target. None: the name of `y`, if it is a Series.
    source : str, default=None
        Name of the data, such as a file name.
    row_names : array-like of shape (n_samples,), default=None
        Names of the rows in the explanations of single rows. None: the index of a pandas DataFrame, unless it is a
        RangeIndex; else numbers from 1.
    made_on : datetime.date, default=None
        Date on the page. None: today.
    judged : object, default=None
        Scores and predictions of held-out rows that you already have. The page shows them; nothing is fitted, and there
        are no learning curves. Attributes: `how` (a phrase), `scores`, `spread`, `baseline` (dicts from the name of a
        score to a number), `truth`, `predictions` (probabilities of shape (rows, classes), else predictions) and
        `weights` (or None) of the held-out rows.
    random_state : int, default=0
        Seed of the folds, and of the samples of large data.

    Returns
    -------
    Report
        `save(path)` writes the page; notebooks display it.

    Examples
    --------
    >>> import spinney
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> tree = spinney.DecisionTreeClassifier(max_depth=3).fit(X, y)
    >>> spinney.report(tree, X, y, cv=3, title="Penguins").title
    'Penguins'
    """
    if find_spec("jinja2") is None:
        raise ImportError(f"report needs the package jinja2: {install_command('report')}")
    from spinney.reporting.page import make_page  # here, since these need jinja2
    from spinney.reporting.sample import read_sample

    check_is_fitted(model)
    if isinstance(cv, bool) or not isinstance(cv, int) or cv < 0 or cv == 1:
        raise ValueError(f"cv must be 0 or a number of folds of at least 2, got {cv!r}.")
    sample = read_sample(model, X, y, sample_weight, groups, times, random_state, target, source, row_names)
    return Report(*make_page(model, sample, cv, title, random_state, made_on or date.today(), judged))
