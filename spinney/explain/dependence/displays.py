"""Plots of dependence: a panel for every column or pair.

In: results of `partial_dependence`, `ice` and `ale`. Out: displays like scikit-learn's: `from_estimator` computes and
draws, `plot` draws again; `axes_` and `figure_` are what was drawn on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from spinney._docstrings import completed
from spinney.explain.dependence.ale import ale
from spinney.explain.dependence.grids import Columns
from spinney.explain.dependence.partial_dependence import partial_dependence
from spinney.view.figures import class_colours, import_pyplot, name_places, plainly

_PANEL = 4.0, 3.2  # inches
_MOST_LINES = 300  # of individual rows in a panel
_LEVELS = 12


class _Panels:
    """Panels side by side."""

    _label = ""
    _what = "average"  # of a result

    def __init__(self, results: Any, *, target: int | None = None, classes: Any = None, deciles: Any = None) -> None:
        """Take results of one or several columns or pairs, which output to draw (None: all), and the classes' names."""
        self.results = [results] if isinstance(results, dict) else list(results)
        self.target, self.classes, self.deciles = target, classes, deciles or {}

    def plot(self, *, ax: Any = None, n_cols: int = 3) -> Any:
        """Draw all panels.

        Parameters
        ----------
        ax : matplotlib axes, or as many as there are panels, default=None
            Axes to draw on. None: a new figure.
        n_cols : int, default=3
            Number of columns of panels in a new figure.

        Returns
        -------
        self

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.explain import PartialDependenceDisplay, partial_dependence
        >>> X, y = load_penguins()
        >>> model = DecisionTreeClassifier(max_depth=3).fit(X, y)
        >>> display = PartialDependenceDisplay(partial_dependence(model, X, ["body_mass_g"]), target=0)
        >>> display.plot().axes_.shape
        (1,)
        """
        plt = import_pyplot(type(self).__name__)
        self.axes_ = self._make_axes(plt, ax, n_cols)
        self.figure_ = self.axes_[0].figure
        for one, panel in zip(self.results, self.axes_):
            if len(one["columns"]) == 2:
                self._draw_pair(panel, one)
            else:
                self._draw_line(panel, one)
                panel.set_ylabel(self._label + self._class_of(one), parse_math=False)
            panel.set_xlabel(one["names"][0], parse_math=False)
        self._share_heights()
        return self

    def _class_of(self, one: Any) -> str:
        """The class whose probability is drawn, if it is one."""
        n_outputs = len(one[self._what if self._what in one else "individual"])
        if self.classes is None or len(self.classes) != max(n_outputs, 2):
            return ""
        place = self.target if n_outputs > 1 else 1
        known = place is not None and np.ndim(self.classes[place]) == 0  # not those of one of several outputs
        return f", class {self.classes[place]}" if known else ""

    def _share_heights(self) -> None:
        """One scale for all lines: a column that does little looks so. The legend is in the first of them."""
        lines = [panel for one, panel in zip(self.results, self.axes_) if len(one["columns"]) == 1]
        if lines:
            ends = np.array([panel.get_ylim() for panel in lines])
            for panel in lines:
                panel.set_ylim(ends[:, 0].min(), ends[:, 1].max())
            handles, names = lines[0].get_legend_handles_labels()
            if names:
                plainly(lines[0].legend(handles, names, fontsize=8).get_texts())

    def _make_axes(self, plt: Any, ax: Any, n_cols: int) -> np.ndarray:
        n = len(self.results)
        if ax is not None:
            given = np.asarray(ax if isinstance(ax, Iterable) else [ax], dtype=object).ravel()
            if len(given) != n:
                raise ValueError(f"ax must be {n} axes, one for each panel, got {len(given)}.")
            return given
        wide = max(1, min(n, int(n_cols)))
        high = -(-n // wide)
        figure, axes = plt.subplots(
            high, wide, squeeze=False, figsize=(_PANEL[0] * wide, _PANEL[1] * high), layout="constrained"
        )
        for empty in axes.ravel()[n:]:
            empty.set_axis_off()
        return axes.ravel()[:n]

    def _outputs(self, values: np.ndarray) -> list[tuple[str | None, np.ndarray, str]]:
        """(name, values, colour) of each output that is drawn."""
        if self.target is not None:
            return [(None, values[self.target], class_colours(1)[0])]
        named = self.classes is not None and len(self.classes) == len(values)
        names = [str(one) for one in self.classes] if named else [f"output {k}" for k in range(len(values))]
        many = len(values) > 1
        return [
            (names[k] if many else None, one, colour)
            for k, (one, colour) in enumerate(zip(values, class_colours(len(values))))
        ]

    def _draw_line(self, ax: Any, one: Any) -> None:
        raise NotImplementedError

    def _along(self, ax: Any, one: Any, values: np.ndarray, name: str | None, colour: str) -> None:
        """A line along numbers, points of categories; what is missing stands apart."""
        grid = one["grid_values"][0]
        if one["is_category"][0]:
            places = np.arange(len(grid))
            ax.plot(places, values, "o-", color=colour, linewidth=1.0, markersize=7, label=name)
            labels = ["missing" if value is None else str(value) for value in grid.tolist()]
            name_places(ax, places, labels)
            ax.margins(x=0.12)
            return
        known = ~np.isnan(grid.astype(np.float64))
        ax.plot(grid[known], values[known], color=colour, linewidth=2.2, label=name, zorder=3)
        if not known.all():
            at = float(grid[known].max() + 0.08 * np.ptp(grid[known]))
            ax.plot([at], values[~known][:1], "D", color=colour, zorder=3)
            if not ax.texts:
                ax.annotate("missing", (at, 1.0), xycoords=("data", "axes fraction"), ha="center", va="top", fontsize=8)

    def _finish(self, ax: Any, one: Any) -> None:
        ticks = self.deciles.get(one["columns"][0])
        if ticks is not None and not one["is_category"][0]:
            ax.plot(
                ticks,
                np.zeros(len(ticks)),
                "|",
                color="#505050",
                markersize=9,
                transform=ax.get_xaxis_transform(),
                clip_on=False,
            )
        ax.spines[["top", "right"]].set_visible(False)

    def _pair_values(self, one: Any) -> np.ndarray:
        raise NotImplementedError

    def _draw_pair(self, ax: Any, one: Any) -> None:
        values = self._pair_values(one)
        if self.target is None and len(values) > 1:
            raise ValueError(
                f"target must name an output (a class, or its number from 0 to {len(values) - 1}) to draw a pair."
            )
        picture = values[self.target or 0]
        grids = one["grid_values"]
        if any(one["is_category"]) or any(len(grid) < 3 for grid in grids):
            drawn = ax.pcolormesh(
                np.arange(len(grids[0])), np.arange(len(grids[1])), picture.T, cmap="viridis", shading="nearest"
            )
            for k, axis in enumerate((ax.xaxis, ax.yaxis)):
                few = np.unique(np.linspace(0, len(grids[k]) - 1, min(len(grids[k]), 8)).astype(int))
                labels = [f"{v:.3g}" if isinstance(v, float) else str(v) for v in grids[k][few].tolist()]
                axis.set_ticks(few, labels)
        else:
            drawn = ax.contourf(
                grids[0].astype(float), grids[1].astype(float), picture.T, levels=_LEVELS, cmap="viridis"
            )
        scale = ax.figure.colorbar(drawn, ax=ax)
        scale.ax.set_ylabel(self._label + self._class_of(one), parse_math=False)
        ax.set_ylabel(one["names"][1], parse_math=False)


class PartialDependenceDisplay(_Panels):
    """Plot partial dependence and ICE curves.

    Parameters
    ----------
    results : Bunch or list of Bunch
        From `partial_dependence` or `ice`.
    target : int, default=None
        Output to draw. None: all outputs.
    classes : sequence, default=None
        Names of the outputs.
    centered : bool, default=False
        Start all curves at 0.
    deciles : dict, default=None
        Column -> its deciles, drawn as ticks.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import RandomForestClassifier
    >>> from spinney.explain import PartialDependenceDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> shown = PartialDependenceDisplay.from_estimator(model, X, ["petal width (cm)", "petal length (cm)"])
    >>> len(shown.axes_)
    2
    """

    _label = "partial dependence"

    def __init__(self, results: Any, *, centered: bool = False, **options: Any) -> None:
        super().__init__(results, **options)
        self.centered = centered

    @classmethod
    @completed(partial_dependence, _Panels.plot)
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        features: Any,
        *,
        kind: str = "average",
        target: Any = None,
        centered: bool = False,
        ax: Any = None,
        n_cols: int = 3,
        **options: Any,
    ) -> PartialDependenceDisplay:
        """Compute partial dependence and plot it.

        Parameters
        ----------
        features : int, str, tuple of two, or list of these
            As in `partial_dependence`: one panel per entry.
        kind : {"average", "individual", "both"}, default="average"
            The mean, the curves of up to 300 rows, or both.
        target : class label or int, default=None
            Class or output to draw. None: all of them.
        centered : bool, default=False
            Start all curves at 0.
        **options
            Other parameters of `partial_dependence`.

        Returns
        -------
        PartialDependenceDisplay
            The display, with its axes in `axes_`.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.explain import PartialDependenceDisplay
        >>> X, y = load_penguins()
        >>> model = DecisionTreeClassifier(max_depth=3).fit(X, y)
        >>> display = PartialDependenceDisplay.from_estimator(model, X, ["body_mass_g", "year"], target="Gentoo")
        >>> display.axes_.shape
        (2,)
        """
        found = partial_dependence(model, X, features, kind=kind, **options)
        return cls(found, centered=centered, **_told(model, X, found, "average", target)).plot(ax=ax, n_cols=n_cols)

    def _draw_line(self, ax: Any, one: Any) -> None:
        curves = one.get("individual")
        if curves is not None:
            step = -(-curves.shape[1] // _MOST_LINES)
            for _, some, colour in self._outputs(curves):
                lines = some[::step] - some[::step, :1] * self.centered
                grid = one["grid_values"][0]
                x = np.arange(len(grid)) if one["is_category"][0] else grid.astype(np.float64)
                ax.plot(x, lines.T, color=colour, alpha=0.25 if "average" in one else 0.5, linewidth=0.6, zorder=1)
        if "average" in one:
            for name, values, colour in self._outputs(one["average"]):
                dark = "#202020" if curves is not None and name is None else colour
                self._along(ax, one, values - values[0] * self.centered, name, dark)
        self._finish(ax, one)

    def _pair_values(self, one: Any) -> np.ndarray:
        if "average" not in one:
            raise ValueError("kind must be 'average' or 'both' for pairs of columns, which have no individual curves.")
        values: np.ndarray = one["average"]
        return values


@completed(PartialDependenceDisplay)
class ALEDisplay(_Panels):
    """Plot accumulated local effects.

    Parameters
    ----------
    results : Bunch or list of Bunch
        From `ale`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import RandomForestRegressor
    >>> from spinney.explain import ALEDisplay
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)
    >>> shown = ALEDisplay.from_estimator(model, X, ["bmi", ("bmi", "bp")])
    >>> len(shown.axes_)
    2
    """

    _label = "accumulated local effect"
    _what = "effect"

    @classmethod
    @completed(ale, PartialDependenceDisplay.from_estimator)
    def from_estimator(
        cls, model: Any, X: Any, features: Any, *, target: Any = None, ax: Any = None, n_cols: int = 3, **options: Any
    ) -> ALEDisplay:
        """Compute accumulated local effects and plot them.

        Parameters
        ----------
        features : int, str, tuple of two, or list of these
            As in `ale`: one panel per entry.
        **options
            Other parameters of `ale`.

        Returns
        -------
        ALEDisplay
            The display, with its axes in `axes_`.

        Examples
        --------
        >>> from spinney import DecisionTreeClassifier
        >>> from spinney.datasets import load_penguins
        >>> from spinney.explain import ALEDisplay
        >>> X, y = load_penguins()
        >>> model = DecisionTreeClassifier(max_depth=3).fit(X, y)
        >>> display = ALEDisplay.from_estimator(model, X, ["body_mass_g", "year"], target="Gentoo")
        >>> display.axes_.shape
        (2,)
        """
        found = ale(model, X, features, **options)
        return cls(found, **_told(model, X, found, "effect", target)).plot(ax=ax, n_cols=n_cols)

    def _draw_line(self, ax: Any, one: Any) -> None:
        ax.axhline(0.0, color="#b0b0b0", linewidth=0.8)
        for name, values, colour in self._outputs(one["effect"]):
            self._along(ax, one, values, name, colour)
        self._finish(ax, one)

    def _pair_values(self, one: Any) -> np.ndarray:
        values: np.ndarray = one["effect"]
        return values


def _told(model: Any, X: Any, found: Any, what: str, target: Any) -> dict[str, Any]:
    """Which output is drawn, the names of the classes, and the deciles of the columns."""
    results = [found] if isinstance(found, dict) else found
    classes = getattr(model, "classes_", None)
    n_outputs = len(results[0][what if what in results[0] else "individual"])
    if target is not None:
        names = (
            list(classes) if classes is not None and not isinstance(classes, list) and len(classes) == n_outputs else []
        )
        if target in names:
            target = names.index(target)
        elif isinstance(target, bool) or not isinstance(target, int | np.integer) or not 0 <= target < n_outputs:
            known = f"one of {[str(one) for one in names]}" if names else f"a number from 0 to {n_outputs - 1}"
            raise ValueError(f"target must be {known}, got {target!r}.")
    columns = Columns(X)
    deciles = {}
    for one in results:
        j = one["columns"][0]
        if not one["is_category"][0]:
            deciles[j] = np.nanquantile(columns.numbers(j), np.linspace(0.1, 0.9, 9))
    return {"target": target, "classes": classes, "deciles": deciles}
