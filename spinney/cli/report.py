"""The output of a command: text and small tables, in colour on a terminal, or one JSON object; and its progress.

A command prints text as it goes and records the same as facts. With `--json`, only the facts are printed, at the end.
Operations of more than a second have a bar on standard error, if that is a terminal.
"""

from __future__ import annotations

import contextlib
import json
import math
import threading
from collections.abc import Mapping, Sequence
from shlex import quote
from types import TracebackType
from typing import Any

import numpy as np
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from spinney.cli.terminal import NOBODY_READS, can_write, forget_output, printable, printable_json
from spinney.evaluate.judging import HIGHER_IS_BETTER, Judged, NotJudged
from spinney.tables.files import Source
from spinney.tables.kinds import Column
from spinney.tables.reading import Survey
from spinney.tables.recipe import Recipe
from spinney.view.numbers import plural

_WIDE = 160  # characters per line if there is no terminal
_BAR = 24


class Report:
    """The output of a command."""

    def __init__(self, as_json: bool = False, quiet: bool = False, stderr: bool = False) -> None:
        self.as_json, self.quiet = as_json, quiet
        self.facts: dict[str, Any] = {}
        self._speaks = not (as_json or quiet)
        self._console = _console(stderr)

    def note(self, **facts: Any) -> None:
        """Record facts for --json."""
        self.facts |= facts

    def say(self, text: str = "", style: str | None = None) -> None:
        """Print a line."""
        if self._speaks:
            self._console.print(Text(printable(text), style=style or ""), soft_wrap=True)

    def title(self, text: str) -> None:
        """Print the heading of a section."""
        self.say()
        self.say(text, "bold")

    def warn(self, text: str) -> None:
        """Print a note, and record it as a warning for --json."""
        self.facts.setdefault("warnings", []).append(text)
        self.say(f"  note: {text}", "yellow")

    def table(self, head: Sequence[str], rows: Sequence[Sequence[Any]], right: str = "") -> None:
        """Print a table; `right` has an r for each right-aligned column."""
        if not self._speaks:
            return
        cells = [[printable(str(cell)) for cell in row] for row in ([head] if any(head) else []) + list(rows)]
        widths = [max(map(cell_len, column)) for column in zip(*cells)]
        for number, row in enumerate(cells):
            padded = [_pad(cell, width, right[k : k + 1] == "r") for k, (cell, width) in enumerate(zip(row, widths))]
            line = Text("  " + "  ".join(padded).rstrip(), style="dim" if number == 0 and any(head) else "")
            self._console.print(line, no_wrap=True, overflow="ellipsis", crop=True)

    def bars(self, values: Sequence[tuple[str, float]], most: int = 10) -> None:
        """Print fractions as bars, the largest first."""
        used = [one for one in values if one[1] > 0.0]
        unused, values = len(values) - len(used), used
        longest = max((value for _, value in values), default=0.0) or 1.0
        self.table(
            ["", "", ""],
            [(name, f"{value:.1%}", "█" * round(_BAR * value / longest)) for name, value in values[:most]],
            "lr",
        )
        if len(values) > most:
            rest = sum(value for _, value in values[most:])
            several = f"{len(values) - most} more columns with {rest:.1%} together"
            self.say("  and " + (f"1 more column with {rest:.1%}" if len(values) == most + 1 else several), "dim")
        if unused:
            self.say(f"  {plural(unused, 'column')} not used", "dim")

    def verbatim(self, text: str) -> None:
        """Print text with its line breaks."""
        if self._speaks:
            self._console.print(Text(printable(text.rstrip("\n"), lines=True)), soft_wrap=True)

    def end(self) -> None:
        """With --json, print the facts."""
        if self.as_json:
            text = json.dumps(plain(self.facts), indent=2, ensure_ascii=False)
            print(printable_json(text) if can_write(text) else json.dumps(plain(self.facts), indent=2))


def _pad(cell: str, width: int, right: bool) -> str:
    space = " " * (width - cell_len(cell))
    return space + cell if right else cell + space


def _console(stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, width=_WIDE, no_color=True)


def _nobody_reads(console: Console) -> None:
    """What rich does when the reader has closed the pipe: end, with the exit code of the command line."""
    console.quiet = True
    forget_output()
    raise SystemExit(NOBODY_READS)


Console.on_broken_pipe = _nobody_reads  # type: ignore[method-assign]  # also of the consoles that print the help


def plain(value: Any) -> Any:
    """Convert a value to JSON types: NumPy numbers to Python numbers, and numbers that are not finite to null."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(one) for one in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def number(value: float) -> str:
    """A score: three digits after the point, or four digits that count."""
    if not math.isfinite(value):
        return "-"
    if abs(value) >= 10_000:
        return f"{value:.0f}"
    return f"{value:.3f}" if 0.1 <= abs(value) < 10 else f"{value:.4g}" if abs(value) >= 10 else f"{value:.2g}"


def shares(counts: Sequence[float]) -> list[str]:
    """Counts as percents of one decimal; those of two add up to 100."""
    total = sum(counts)
    found = [round(100 * one / total, 1) for one in counts]
    if len(found) == 2:
        found[1] = 100.0 - found[0]
    return [f"{one:.1f}%" for one in found]


def label(value: Any) -> str:
    """A class as it stands in files: true, not True."""
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def answered(value: Any) -> str:
    """A prediction: a number, or a class."""
    return number(float(value)) if isinstance(value, float | np.floating) else label(value)


def quoted(names: Sequence[str], most: int = 6) -> str:
    """Names in quotes, not too many."""
    return ", ".join(map(repr, names[:most])) + (f" and {len(names) - most} more" if len(names) > most else "")


# --- progress ---------------------------------------------------------------------------------------------------------


_PATIENCE = 1.0  # seconds without a bar


class Working:
    """A bar that appears after a second, and is removed at the end.

    with Working() as work:
        work.say("reading")
        work.step(3, 5)
        work.pause()          # before anything else is written
    """

    def __init__(self, wanted: bool = True) -> None:
        console = Console(stderr=True)
        self._wanted = wanted and console.is_terminal
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("", total=None)
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Working:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pause()

    def say(self, text: str) -> None:
        """Show what is being done."""
        self._bar.update(self._task, description=escape(printable(text)), total=None, completed=0)
        if self._wanted and self._timer is None:
            self._timer = threading.Timer(_PATIENCE, self._bar.start)
            self._timer.daemon = True
            self._timer.start()

    def pause(self) -> None:
        """Remove the bar."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._bar.stop()
            self._timer = None

    def step(self, done: int, of: int | None) -> None:
        """Show how far it is."""
        self._bar.update(self._task, completed=done, total=of)

    def rounds(self, title: str) -> Any:
        """A callback for the rounds of boosting."""

        def tell(info: Any) -> bool:
            words = f"{title}, round {info.number}"
            self._bar.update(self._task, description=words, completed=info.number, total=info.n_rounds)
            return False

        return tell


# ----------------------------------------------------------------------------------------------------------------------
# What fit and evaluate print about columns, scores and importances.


EXACT = 2_000  # up to about this many distinct numbers are counted exactly
_MOST = 40  # columns that are shown
MOST_COLUMNS = 12  # of clusters
_DIGITS = 10  # of an example
_ALL_BY_ITSELF = 0.9  # the importance from which a column may leak the target


def tell_columns(
    report: Report, source: Source, found: Survey, columns: Sequence[Column], target: Column, wishes: Any, n_used: int
) -> None:
    """Print what was read: the detected types, and the columns that are left out."""
    by_name = {column.name: column for column in (*columns, target)}
    roles = {wishes.target: "target", wishes.weights: "weights", wishes.groups: "groups", wishes.times: "time"}
    everything = [by_name.get(column.name, column) for column in found.columns]
    report.note(
        table={
            "file": source.name,
            "format": source.format,
            "rows": found.n_rows,
            "columns": [_facts(column, roles, wishes) for column in everything],
            "dropped": list(wishes.drop),
        }
    )
    report.say(
        f"{source.name}: {plural(found.n_rows, 'row')}, {plural(len(source.columns), 'column')} ({source.described})",
        "bold",
    )
    few = everything[:_MOST] + [column for column in everything[_MOST:] if column.name in roles]
    report.table(
        ["column", "type", "missing", "distinct", "example", ""],
        [_row(column, roles, wishes) for column in few],
        "llrr",
    )
    if len(everything) > len(few):
        report.say(f"  and {plural(len(everything) - len(few), 'more column')} (--json lists all)", "dim")
    for text in source.notes:
        report.warn(text)
    left = [column.name for column in found.columns if column.out and column.name not in roles]
    if left:
        kept = next((column for column in found.columns if column.name in left and column.kind != "nested"), None)
        how = f"; --types {quote(f'{kept.name}={kept.kind}')} keeps a column" if kept else ""
        report.warn(f"left out: {quoted(left)}{how}")
    if wishes.drop:
        report.say(f"  dropped with --drop: {quoted(wishes.drop)}")
    if n_used < found.n_rows:
        report.warn(f"{plural(found.n_rows - n_used, 'row')} without {target.name!r} left out")


def _facts(column: Column, roles: dict[Any, str], wishes: Any) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.kind,
        "guessed": column.name not in wishes.types,
        "missing": column.missing,
        "distinct": column.distinct,
        "distinct_is_estimated": column.approximate,
        "example": column.example,
        "role": roles.get(column.name, "left out" if column.out else "feature"),
        "note": column.out or column.note,
    }


def _row(column: Column, roles: dict[Any, str], wishes: Any) -> tuple[str, ...]:
    out = f"left out: {column.out}" if column.out else ""
    note = "; ".join(one for one in (roles.get(column.name, out), column.note) if one)
    kind = "-" if column.kind == "nested" else column.kind + ("" if column.name not in wishes.types else " (given)")
    example = _short(column)
    about = "~" if column.approximate else ""
    return (
        column.name,
        kind,
        f"{column.missing:,}" if column.missing else "",
        f"{about}{column.distinct:,}",
        example,
        note,
    )


def _short(column: Column) -> str:
    """An example that fits into a table: numbers with many digits are rounded."""
    text = column.example
    if column.kind == "number" and len(text) > _DIGITS:
        with contextlib.suppress(ValueError):  # not a plain number, such as $1,234.50: shown as in the file
            return f"{float(text):.6g}"
    return text if len(text) <= 24 else text[:23] + "…"


def tell_scores(report: Report, judged: Judged | NotJudged) -> None:
    """Print the scores and those of the baseline."""
    if isinstance(judged, NotJudged):
        report.note(score=None, not_judged=judged.why)
        report.title(f"Not evaluated: {judged.why}.")
        return
    report.note(score=judged.to_dict())
    report.title(f"Scores: {judged.how}")
    rows = []
    for name, value in judged.scores.items():
        spread = f"± {number(judged.spread[name])}" if name in judged.spread else ""
        better = "higher is better" if HIGHER_IS_BETTER[name] else "lower is better"
        rows.append((name, number(value), spread, number(judged.baseline.get(name, np.nan)), better))
    report.table(["", "model", "", "baseline", ""], rows, "lrlr")
    first = "log loss" if "log loss" in judged.scores else "RMSE" if "RMSE" in judged.scores else "accuracy"
    ours, base = judged.scores[first], judged.baseline.get(first, np.nan)
    is_better = ours > base if HIGHER_IS_BETTER[first] else ours < base
    classes_are = all(
        judged.scores.get(name, 0.0) > judged.baseline.get(name, 0.0) for name in ("accuracy", "balanced accuracy")
    )
    if not is_better and classes_are:
        report.warn(
            "the predicted classes are better than the baseline, but the probabilities are not (log loss): the model "
            "is overconfident for some rows"
        )
    elif not is_better:
        report.warn(
            "the model is no better than the baseline, which predicts the same for every row: the columns may not be "
            "informative about the target"
        )


def tell_leaderboard(report: Report, model: Any) -> None:
    """Print the leaderboard of an automatic model."""
    if hasattr(model, "leaderboard"):
        columns = {name: plain(list(values)) for name, values in dict(model.leaderboard_).items()}
        report.note(leaderboard=[dict(zip(columns, row)) for row in zip(*columns.values())])
        report.verbatim("\n" + model.leaderboard())


def importances_of(model: Any, names: Sequence[str]) -> list[tuple[str, float]]:
    """(column, importance), the largest first; empty for models that have none."""
    found = getattr(model, "feature_importances_", None)
    if found is None or len(found) != len(names):
        return []
    return [(names[k], float(found[k])) for k in np.argsort(-np.asarray(found), kind="stable")]


def tell_clusters(
    report: Report, names: list[str], sizes: list[str], means: np.ndarray, spread: np.ndarray, header: str = "rows"
) -> None:
    """Print the sizes and means of clusters, by the columns that differ most in units of their spread."""
    apart = means_of((means / spread - means_of(means / spread)) ** 2)
    telling = np.argsort(-np.nan_to_num(apart), kind="stable")[:MOST_COLUMNS]
    report.title(
        f"{plural(len(means), 'cluster')}, with the means of "
        + ("their columns" if len(names) <= MOST_COLUMNS else f"the {MOST_COLUMNS} columns that differ most")
    )
    report.table(
        ["cluster", header, *(names[c] for c in telling)],
        [(k, size, *(number(means[k, c]) for c in telling)) for k, size in enumerate(sizes)],
        "r" * (2 + len(telling)),
    )


def means_of(values: np.ndarray) -> np.ndarray:
    """Return the means of the columns, ignoring missing values; NaN for a column without values."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)


def tell_importances(
    report: Report, model: Any, recipe: Recipe, judged: Judged | NotJudged | None = None, most: int = 10
) -> None:
    """Print the most important columns, and a note on one that may leak the target."""
    shares = importances_of(model, recipe.features)
    if not shares:
        return
    report.note(importances=dict(shares))
    report.title("Feature importances")
    report.bars(shares, most)
    if isinstance(judged, Judged) and shares[0][1] >= _ALL_BY_ITSELF and _is_perfect(judged):
        report.warn(
            f"{shares[0][0]!r} alone predicts the target almost perfectly; if its value is not known at prediction "
            "time, leave it out with --drop"
        )


def _is_perfect(judged: Judged) -> bool:
    return judged.scores.get("accuracy", 0.0) > 0.995 or judged.scores.get("R2", 0.0) > 0.999
