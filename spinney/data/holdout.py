"""Training rows and held-out rows.

    hold_out            a random part of the rows by their numbers, within classes if each has enough rows
    parts_by_content    a random part by the contents of rows: neither the order of rows nor the form of repetitions
                        (rows or weights) makes a difference
    parts_by_group      whole groups, such as patients or days
    parts_by_time       the last stretch in time, or growing windows

The last two do not depend on the order of rows either: groups are known by their labels, and rows of one time stay
together.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from spinney.data.on_gpu import here
from spinney.data.weights import Weights

_STRATA = 10  # parts of a numeric target that every part of the rows has equally many of


def hold_out(rows: np.ndarray, share: Any, seed: int, labels: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(rows to learn from, rows held out), both ascending. `labels`: the rows' class numbers, or None.

    `share` is a share of the rows or a number of them. Classes keep their shares, unless one has a single row.
    """
    counts = np.bincount(labels) if labels is not None else np.zeros(0, np.int64)
    strata = labels if labels is not None and counts[counts > 0].min() > 1 else None
    kept, held = train_test_split(rows, test_size=share, random_state=seed, stratify=strata)
    return np.sort(kept), np.sort(held)


class CountedRows(NamedTuple):
    """Some rows of a table, and how often each of them counts there; None: once."""

    rows: np.ndarray  # ascending
    counts: np.ndarray | None

    def weights(self, weights: Weights) -> Weights:
        """Those of these rows, from those of all."""
        return Weights(self.counts, weights.take(self.rows).importance)

    def counts_of_all(self, n_rows: int) -> np.ndarray | None:
        """How often each of all rows counts here; None: those that are here once."""
        if self.counts is None:
            return None
        counts = np.zeros(n_rows, np.int64)
        counts[self.rows] = self.counts
        return counts


class RowOrder(NamedTuple):
    """What is known of rows that are not independent: their groups or their times, one of the two."""

    groups: np.ndarray | None  # int64: numbers of groups, in the order of their labels
    times: np.ndarray | None  # int64 or float64
    gap: float = 0.0  # between training and held-out rows, in units of the times


def parts_by_order(
    order: RowOrder, weights: Weights, seed: int, n_folds: int, kept_share: float, held_share: float
) -> list[tuple[CountedRows, CountedRows]]:
    """(rows to learn from, held-out rows) of each fold; shares are of samples, as in `parts_by_content`."""
    if order.groups is not None:
        return parts_by_group(order.groups, weights, seed, n_folds, kept_share, held_share)
    assert order.times is not None
    return parts_by_time(order.times, order.gap, weights, n_folds, kept_share, held_share)


def parts_by_group(
    groups: np.ndarray, weights: Weights, seed: int, n_folds: int, kept_share: float, held_share: float
) -> list[tuple[CountedRows, CountedRows]]:
    """Whole groups are held out: of one fold, groups drawn at random; of more, folds of about as many samples."""
    samples = np.bincount(groups, weights=weights.counts)
    there = np.flatnonzero(samples)
    if len(there) < 2:
        raise ValueError("groups must have at least two groups, since whole groups are held out, but there is one.")
    drawn = there[np.random.RandomState(seed).permutation(len(there))]
    if n_folds == 1:
        before = np.cumsum(samples[drawn]) - samples[drawn]
        total = samples.sum()
        n_held = min(max(1, int((before < held_share * total).sum())), len(drawn) - 1)
        n_kept = max(1, int((before < (held_share + kept_share) * total).sum()) - n_held)
        held, kept = drawn[:n_held], drawn[n_held : n_held + n_kept]
        return [(_of_groups(kept, groups, weights), _of_groups(held, groups, weights))]
    n_folds = min(n_folds, len(there))
    fold, sizes = np.full(len(samples), -1), np.zeros(n_folds)
    for group in drawn[np.argsort(-samples[drawn], kind="stable")]:  # the largest first, into the smallest fold
        fold[group] = sizes.argmin()
        sizes[fold[group]] += samples[group]
    parts = [(np.flatnonzero((fold != k) & (fold >= 0)), np.flatnonzero(fold == k)) for k in range(n_folds)]
    return [(_of_groups(kept, groups, weights), _of_groups(held, groups, weights)) for kept, held in parts]


def _of_groups(chosen: np.ndarray, groups: np.ndarray, weights: Weights) -> CountedRows:
    return _whole_rows(np.isin(groups, chosen), weights)


def parts_by_time(
    times: np.ndarray, gap: float, weights: Weights, n_folds: int, kept_share: float, held_share: float
) -> list[tuple[CountedRows, CountedRows]]:
    """The last stretch is held out: of one fold; of more, each fold's stretch follows the rows that it is learned from.

    Rows within `gap` before a stretch are left out. With several folds the rows are cut into one stretch more than
    there are folds, and the first is only learned from.
    """
    samples = np.ones(len(times)) if weights.counts is None else weights.counts.astype(np.float64)
    there, place = np.unique(times[samples > 0], return_inverse=True)
    if len(there) < 2:
        raise ValueError("times must have at least two different times, since the last ones are held out.")
    passed = np.cumsum(np.bincount(place, weights=samples[samples > 0]))  # samples up to each time
    shares = [1.0 - held_share] if n_folds == 1 else [k / (n_folds + 1) for k in range(1, n_folds + 1)]
    found = np.searchsorted(passed, np.multiply(shares, passed[-1]) + 0.5)
    starts = there[np.unique(np.clip(found, 1, len(there) - 1))]
    parts = []
    for start, end in zip(starts, [*starts[1:], None]):
        held = times >= start if end is None else (times >= start) & (times < end)
        kept = (times < start) & (times < start - gap if gap else True)
        if n_folds == 1 and kept_share + held_share < 1.0:  # of many rows the last ones
            kept &= times >= _begin_of_last(there, passed, start - gap, kept_share * passed[-1])
        if not (kept & (samples > 0)).any():
            raise ValueError(f"gap={gap:g} leaves no training rows before the held-out rows. Use a smaller gap.")
        parts.append((_whole_rows(kept, weights), _whole_rows(held, weights)))
    return parts


def _begin_of_last(there: np.ndarray, passed: np.ndarray, end: Any, wanted: float) -> Any:
    """The time from which on there are about so many samples before `end`."""
    last = max(0, int(np.searchsorted(there, end)) - 1)
    return there[min(int(np.searchsorted(passed, passed[last] - wanted, "right")), last)]


def _whole_rows(chosen: np.ndarray, weights: Weights) -> CountedRows:
    """Rows with all of their repetitions."""
    if weights.counts is None:
        return CountedRows(np.flatnonzero(chosen), None)
    rows = np.flatnonzero(chosen & (weights.counts > 0))
    return CountedRows(rows, weights.counts[rows])


def parts_by_content(
    hashes: np.ndarray,
    y: np.ndarray,
    weights: Weights,
    is_classes: bool,
    n_folds: int,
    kept_share: float,
    held_share: float,
) -> list[tuple[CountedRows, CountedRows]]:
    """(samples to learn from, samples held out) of each fold; classes, or tenths of numeric targets, keep their shares.

    `hashes` are those of rows, targets included; they say which samples are held out. Of rows that are alike, and of
    the repetitions of a row, some may be kept and some held out. With one fold the shares are those of samples kept
    and held out; with more, the folds are equal parts, and each is held out once.
    """
    counts, importance = weights
    strata = y.astype(np.int64) if is_classes else _tenths(y, counts)
    keys = [one for one in (counts, importance) if one is not None]  # trees count rows: which of equals is cut matters
    order = np.lexsort((*keys, hashes, strata))
    row = order if counts is None else np.repeat(order, counts[order])  # one entry per sample
    total = np.bincount(strata[row])
    begin = np.cumsum(total) - total
    place = (np.arange(len(row)) + 0.5 - begin[strata[row]]) / total[strata[row]]
    if n_folds == 1:
        if not (place < held_share).any():  # classes of very few rows each
            place = (np.arange(len(row)) + 0.5) / len(row)
        held = place < held_share
        return [(_part(row[~held & (place < held_share + kept_share)], counts), _part(row[held], counts))]
    fold = np.arange(len(row)) % n_folds
    return [(_part(row[fold != k], counts), _part(row[fold == k], counts)) for k in range(n_folds)]


def _part(samples: np.ndarray, counts: np.ndarray | None) -> CountedRows:
    if counts is None:
        return CountedRows(np.sort(samples), None)
    return CountedRows(*np.unique(samples, return_counts=True))


def _tenths(y: np.ndarray, counts: np.ndarray | None) -> np.ndarray:
    """Which tenth of all targets, in their order, a row's target begins in; equal targets share one."""
    values, group = np.unique(y, return_inverse=True)
    samples = np.bincount(group, weights=counts, minlength=len(values))
    before = np.cumsum(samples) - samples
    return (before * _STRATA // samples.sum()).astype(np.int64)[group]


# --- groups and times as they are given ------------------------------------------------------------------------------


def read_order(groups: Any, times: Any, gap: Any, X: Any, n_rows: int) -> RowOrder | None:
    """`groups`, `times` and `gap` of a fit: values of one per row, or the name of a column of X."""
    if groups is None and times is None:
        if gap is not None:
            raise ValueError("gap needs times: pass times=, one value per row or the name of a column.")
        return None
    if groups is not None and times is not None:
        raise ValueError("groups and times cannot be used together. Pass the one that tells new rows from known ones.")
    if groups is not None:
        if gap is not None:
            raise ValueError("gap is not supported with groups. Leave it out, or pass times.")
        return RowOrder(_numbered(row_values(groups, "groups", X, n_rows)), None)
    if isinstance(times, str) and times == "order":
        return RowOrder(None, np.arange(n_rows), _read_gap(gap, False))
    values = row_values(times, "times", X, n_rows)
    return RowOrder(None, _time_keys(values), _read_gap(gap, values.dtype.kind not in "iufb"))


def time_keys(times: Any, X: Any, n_rows: int) -> np.ndarray:
    """Numbers in the order of `times` as they are given to a fit."""
    order = read_order(None, times, None, X, n_rows)
    assert order is not None
    assert order.times is not None
    return order.times


def row_values(given: Any, name: str, X: Any, n_rows: int) -> np.ndarray:
    """One value per row: an array, or the column of X of this name."""
    from spinney.data.reading import as_frame
    from spinney.data.tables import is_streamed

    if isinstance(given, str) and is_streamed(X):
        parts = [row_values(given, name, batch, len(batch)) for batch in X.batches() if len(batch)]
        given = np.concatenate(parts)[slice(None) if X.rows is None else X.rows]
    elif isinstance(given, str):
        frame = as_frame(X)
        if frame is None:
            raise ValueError(
                f"{name}={given!r} names a column, but X is not a DataFrame. Pass {name} as an array of one value per "
                "row."
            )
        if given not in frame.columns:
            raise ValueError(f"{name}={given!r} is not a column of X; its columns are {list(frame.columns)[:20]}.")
        given = frame[given].to_numpy()
    values = np.asarray(here(given))
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (n_rows,):
        raise ValueError(f"{name} must have one value per row, shape ({n_rows},), got {values.shape}.")
    return values


def _numbered(values: np.ndarray) -> np.ndarray:
    """Groups by the order of their labels; missing labels are a group."""
    if values.dtype == object:
        values = np.array([("", "") if one is None or one != one else (type(one).__name__, str(one)) for one in values])
        return np.unique(values, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _time_keys(values: np.ndarray) -> np.ndarray:
    """Numbers whose order is that of the times: int64 nanoseconds of dates, other numbers as they are."""
    if values.dtype.kind in "OUST":
        try:
            values = np.asarray([_date(one) for one in values.tolist()], "datetime64[ns]")
        except (TypeError, ValueError):
            raise ValueError(
                f"times must be numbers or dates, got {str(values[0])!r:.40}. Convert them first, for example by "
                "pandas.to_datetime."
            ) from None
    if values.dtype.kind in "Mm":
        if np.isnat(values).any():
            raise ValueError(f"times must not be missing, but row {int(np.isnat(values).argmax())} has no time.")
        return values.astype(f"{values.dtype.kind}8[ns]").view(np.int64)
    if values.dtype.kind not in "iufb":
        raise ValueError(f"times must be numbers or dates, got {values.dtype}.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"times must be finite, but row {int((~np.isfinite(values)).argmax())} is not.")
    return values.astype(np.float64 if values.dtype.kind == "f" else np.int64)


def _date(value: Any) -> np.datetime64:
    """A date or its text; with a time zone, in UTC."""
    moment = value
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:  # such as "2020-05", which has no zone
            return np.datetime64(value)
    if getattr(moment, "tzinfo", None) is None:
        return np.datetime64(value)
    return np.datetime64(moment.astimezone(UTC).replace(tzinfo=None))


def _read_gap(gap: Any, is_dates: bool) -> float:
    """In units of the time keys: nanoseconds for dates."""
    if gap is None:
        return 0.0
    if isinstance(gap, Real) and not isinstance(gap, bool | np.timedelta64):
        value = float(gap)
        if is_dates:
            raise ValueError(f"gap must be a time span for times that are dates, such as '7D', got {gap!r}.")
    else:
        value = _nanoseconds(gap)
        if not is_dates:
            raise ValueError(f"gap must be a number for times that are numbers, got {gap!r}.")
    if not 0.0 <= value < math.inf:
        raise ValueError(f"gap must be at least 0, got {gap!r}.")
    return value


_SECONDS = {"W": 604_800, "D": 86_400, "d": 86_400, "h": 3_600, "H": 3_600, "min": 60, "m": 60, "s": 1}


def _nanoseconds(gap: Any) -> float:
    """Of a timedelta, or of a text such as "7D", "12h" or "30min"."""
    match = re.fullmatch(r"\s*(\d+)\s*([A-Za-z]+)\s*", gap) if isinstance(gap, str) else None
    if match and match[2] in _SECONDS:
        return 1e9 * _SECONDS[match[2]] * int(match[1])
    if isinstance(gap, np.timedelta64):
        return float(gap / np.timedelta64(1, "ns"))
    if isinstance(gap, timedelta):  # those of pandas, too
        return 1e9 * gap.total_seconds()
    raise ValueError(f"gap must be a number, a timedelta or a text such as '7D', '12h' or '30min', got {gap!r}.")
