"""`spinney cluster`: groups of similar rows."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from spinney.cli import options
from spinney.cli.files import TableWriter, check_place, save_model, what_is_there
from spinney.cli.report import MOST_COLUMNS, Report, Working, means_of, number, quoted, tell_clusters
from spinney.tables.errors import TableError, usage
from spinney.tables.files import Source, open_source
from spinney.tables.kinds import Column
from spinney.tables.reading import Survey, check_names, free_name, parts_of, read_table, read_types, survey
from spinney.tables.recipe import Recipe, numbers_of
from spinney.view.numbers import plural

METHODS = ("kmeans", "mixture")
_FEWEST, _MOST_OF = 30, 0.95  # rows that stay when outliers are left out
_TRIED = 10  # numbers of clusters


def cluster(
    data: options.Data,
    k: Annotated[str, typer.Option("-k", "--clusters", help="Number of clusters, or auto.")] = "auto",
    method: Annotated[str, typer.Option("--method", help="kmeans, or mixture (Gaussian mixture).")] = "kmeans",
    out: Annotated[
        Path | None, options.option("--out", "-o", help="Write the table with a column of clusters to this file.")
    ] = None,
    save: Annotated[
        Path | None, options.option("--save", help="Save the clusters as a model file, for `predict`.")
    ] = None,
    scale: Annotated[bool, typer.Option(help="Standardise the columns, so that their units do not matter.")] = True,
    types: options.Types = None,
    drop: options.Drop = None,
    missing: options.Missing = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Cluster the rows of a table by its numeric columns.

    Text columns are left out. Gaussian mixtures handle missing values; for k-means, the median of the column replaces
    them. With -k auto, the number of clusters is at the elbow of the inertia curve (kmeans) or has the lowest BIC
    (mixture).

    Examples:

        spinney cluster customers.csv -k 4 --out with-clusters.csv

        spinney cluster penguins.csv --method mixture

        spinney cluster customers.csv -k 4 --save groups.spinney; spinney predict groups.spinney new.csv
    """
    if method not in METHODS:
        raise usage(f"--method must be kmeans or mixture, got {method!r}.")
    if k != "auto" and not (k.isdigit() and int(k) > 0):
        raise usage(f"-k must be a positive number or auto, got {k!r}.")
    if save is not None:
        check_place(save, "--save")
        what_is_there(save, "--save")
    report = Report(as_json, quiet)
    source = open_source(data, options.dialect(separator, encoding, no_header, sheet))
    given, dropped, words = read_types(types or []), options.names(drop), options.words(missing)
    check_names(source, {"--types": list(given), "--drop": dropped})
    with Working(not quiet) as work:
        work.say("reading the table")
        found = survey(source, words, given, dropped)
        columns = _numbers(source, found)
        table = read_table(source, columns, words, doubtful=[one for one in columns if one.name in given])
        values = numbers_of(table)
        work.pause()
        _tell_table(report, source, found, columns, values, method)
        scaling = _scaling(values, method, scale)
        recipe = Recipe("clustering", tuple(columns), missing=words, model=method, scaling=scaling)
        points = recipe.rows(table)
        work.say("clustering")
        model, tried, outliers = _cluster(points, k, method, seed, threads)
        labels = model.predict(points)
    if len(outliers):
        rows = (outliers + 1).tolist()
        report.note(outliers=rows)
        shown = ", ".join(map(str, rows[:MOST_COLUMNS])) + (" ..." if len(rows) > MOST_COLUMNS else "")
        report.warn(
            f"{plural(len(rows), 'outlying row')} ({shown}) left out of the clustering; each is assigned to the "
            "nearest cluster"
        )
    _tell_clusters(report, table.columns, values, labels, np.array(scaling["spread"]), model, tried, method)
    if out is not None:
        _write(source, labels, out, report)
    if save is not None:
        if replaced := what_is_there(save, "--save"):
            report.say(f"  replaces {save}: {replaced}", "yellow")
        save_model(model, save, recipe)
        report.note(model=str(save))
        report.say(f"model saved to {save}; for other rows: spinney predict {quote(str(save))} TABLE")
    report.end()


def _numbers(source: Source, found: Survey) -> list[Column]:
    columns = [
        one for one in found.columns if one.kind in ("number", "boolean") and not one.out and one.missing < found.n_rows
    ]
    if not columns:
        raise TableError(f"{source.name} has no numeric column to cluster by.")
    return columns


def _scaling(values: np.ndarray, method: str, scale: bool) -> dict[str, list[float]]:
    """Medians that replace missing values (k-means), and the means and standard deviations of the columns."""
    fill = [] if method == "mixture" else np.nanmedian(values, axis=0).tolist()
    if not scale:
        return {"fill": fill, "centre": [0.0] * values.shape[1], "spread": [1.0] * values.shape[1]}
    filled = np.where(np.isnan(values), fill, values) if fill else values
    spread = np.nanstd(filled, axis=0)
    spread[spread == 0] = 1.0
    return {"fill": fill, "centre": np.nanmean(filled, axis=0).tolist(), "spread": spread.tolist()}


def _cluster(
    points: np.ndarray, k: str, method: str, seed: int, threads: int | None
) -> tuple[Any, list[tuple[Any, ...]], np.ndarray]:
    """Return the fitted model, the numbers of clusters that were tried with their scores, and the outlying rows."""
    from spinney import GaussianMixture, KMeans, elbow, select_components

    most = min(_TRIED, len(np.unique(points, axis=0)) if len(points) <= 1000 else _TRIED)
    none = np.array([], np.int64)
    if k != "auto" and int(k) > len(points):
        raise TableError(f"-k {k}: there {'is' if len(points) == 1 else 'are'} only {plural(len(points), 'row')}.")
    if method == "mixture":
        if k == "auto":
            choice = select_components(points, range(1, most + 1), random_state=seed, n_jobs=threads)
            return choice.model, [(n, bic) for n, bic in zip(choice.ks.tolist(), choice.bic.tolist())], none
        return GaussianMixture(int(k), random_state=seed, n_jobs=threads).fit(points), [], none
    if k != "auto":
        return KMeans(int(k), random_state=seed, n_jobs=threads).fit(points), [], none
    is_kept = np.ones(len(points), bool)
    while True:
        rows = np.flatnonzero(is_kept)
        curve = elbow(points[rows], range(1, most + 1), random_state=seed, n_jobs=threads)
        model = KMeans(curve.suggested_k, random_state=seed, n_jobs=threads).fit(points[rows])
        alone = rows[np.bincount(model.labels_)[model.labels_] == 1]  # a cluster of one row is an outlier
        if not len(alone) or len(rows) - len(alone) < max(_FEWEST, _MOST_OF * len(points)):
            tried = [(n, sums) for n, sums in zip(curve.ks.tolist(), curve.inertia.tolist())]
            return model, tried, np.flatnonzero(~is_kept)
        is_kept[alone] = False


def _tell_table(
    report: Report, source: Source, found: Survey, columns: list[Column], values: np.ndarray, method: str
) -> None:
    names = {column.name for column in columns}
    left = [column.name for column in found.columns if column.name not in names]
    report.say(
        f"{source.name}: {plural(found.n_rows, 'row')}, clustered by {plural(len(columns), 'column')}: "
        f"{quoted([one.name for one in columns], 12)}",
        "bold",
    )
    report.note(file=source.name, rows=found.n_rows, columns=[one.name for one in columns], left_out=left)
    if left:
        report.warn(f"columns not used for clustering: {quoted(left)}")
    holes = int(np.isnan(values).sum())
    if holes and method == "kmeans":
        report.warn(f"{plural(holes, 'missing value')} replaced by the median of the column")


def _tell_clusters(
    report: Report,
    names: list[str],
    values: np.ndarray,
    labels: np.ndarray,
    spread: np.ndarray,
    model: Any,
    tried: Any,
    method: str,
) -> None:
    if tried:
        what = "BIC" if method == "mixture" else "inertia"
        chosen = getattr(model, "n_clusters", None) or model.n_components
        report.title(
            f"Number of clusters: {chosen}, "
            + ("where the BIC is lowest" if method == "mixture" else "at the elbow of the curve")
        )
        report.note(tried=[{"k": n, what: value} for n, value in tried])
        report.table(
            ["clusters", what], [(f"{n}" + (" <" if n == chosen else ""), number(value)) for n, value in tried], "rr"
        )
    found = np.arange(int(labels.max()) + 1)
    sizes = np.bincount(labels, minlength=len(found))
    means = np.array([means_of(values[labels == one]) for one in found])
    tell_clusters(report, names, [f"{size:,}" for size in sizes], means, spread)
    report.note(clusters=[{"cluster": one, "rows": sizes[one], "means": dict(zip(names, means[one]))} for one in found])


def _write(source: Source, labels: np.ndarray, out: Path, report: Report) -> None:
    """Write the table with an added column of clusters, batch by batch."""
    name, done = free_name("cluster", source.columns), 0
    with TableWriter(out) as writer:
        for batch in (part.collect(engine="streaming") for part in parts_of(source)):
            writer.write(batch.with_columns(pl.Series(name, labels[done : done + len(batch)])))
            done += len(batch)
    report.note(out=str(out))
    report.say()
    report.say(f"{plural(done, 'row')} with {name!r} in {out}")
