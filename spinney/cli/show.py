"""`spinney show`: the tree, the rules or the importances of a model, in the terminal."""

from __future__ import annotations

import re
from typing import Annotated, Any

import numpy as np
import typer

from spinney.cli import options
from spinney.cli.files import load_model
from spinney.cli.report import (
    Report,
    importances_of,
    label,
    number,
    quoted,
    tell_clusters,
    tell_importances,
    tell_leaderboard,
)
from spinney.tables.errors import TableError, usage
from spinney.tables.recipe import Recipe
from spinney.view.numbers import plural


def show(
    model: options.ModelFile,
    tree: Annotated[
        str | None,
        options.option(
            "--tree", help="Number of the tree: 0, 1, ...; for boosting with several classes ROUND,CLASS, such as 0,1."
        ),
    ] = None,
    rules: Annotated[bool, typer.Option("--rules", help="Print the rules of a tree, one per leaf.")] = False,
    importances: Annotated[bool, typer.Option("--importances", help="Print the importance of all columns.")] = False,
    max_depth: Annotated[int, typer.Option("--max-depth", min=0, help="Largest depth of splits to print.")] = 4,
    most: Annotated[int, typer.Option("--most", min=1, help="Largest number of rules or columns to print.")] = 20,
    as_json: options.Json = False,
) -> None:
    """Show a fitted model.

    By default, a single tree is printed as text, with the importances of its columns; of an ensemble, the importances.

    Examples:

        spinney show titanic.spinney

        spinney show titanic.spinney --tree 0 --max-depth 3

        spinney show titanic.spinney --rules
    """
    fitted, recipe = load_model(model)
    report = Report(as_json)
    _tell_model(report, fitted, recipe)
    is_tree = hasattr(fitted, "tree_") or hasattr(fitted, "get_n_leaves")
    if rules:
        _tell_rules(report, fitted, recipe, tree, most)
    elif tree is not None or (is_tree and not importances):
        _tell_tree(report, fitted, recipe, tree, max_depth)
    if recipe.scaling is not None and not (rules or importances or tree is not None):
        _tell_centres(report, fitted, recipe)
    if importances or not (rules or tree is not None):
        if not importances_of(fitted, recipe.features) and importances:
            raise TableError(f"{type(fitted).__name__} has no feature importances.")
        tell_importances(report, fitted, recipe, most=most)
    report.end()


def _tell_model(report: Report, fitted: Any, recipe: Recipe) -> None:
    facts = size_of(fitted)
    target = recipe.target.name if recipe.target is not None else ""
    report.note(
        estimator=type(fitted).__name__,
        task=recipe.task,
        target=target,
        columns=recipe.features,
        **facts,
        score=recipe.score or None,
    )
    words = _size_in_words(facts)
    of = f" of {target!r}" if target else ""
    report.say(
        f"{type(fitted).__name__}: {recipe.task}{of} by {plural(len(recipe.columns), 'column')}"
        + (f" ({words})" if words else ""),
        "bold",
    )
    if recipe.score:
        scores = ", ".join(f"{name} {number(value)}" for name, value in recipe.score["scores"].items())
        report.say(f"  {recipe.score['how']}: {scores}")
    tell_leaderboard(report, fitted)
    _tell_members(report, fitted)


def _tell_centres(report: Report, fitted: Any, recipe: Recipe) -> None:
    """Print the clusters in the units of the table."""
    scaling = recipe.scaling or {}
    spread = np.array(scaling["spread"])
    if hasattr(fitted, "weights_"):
        means, sizes, header = fitted.means_, [f"{weight:.1%}" for weight in fitted.weights_], "weight"
    else:
        means, header = fitted.cluster_centers_, "rows"
        sizes = [f"{size:,}" for size in np.bincount(fitted.labels_, minlength=len(means))]
    means = means * spread + scaling["centre"]
    tell_clusters(report, recipe.features, sizes, means, spread, header)
    report.note(clusters=[{"means": dict(zip(recipe.features, row))} for row in means.tolist()])


def _tell_members(report: Report, fitted: Any) -> None:
    """Print the members of a stacking or voting model, with their weights."""
    if hasattr(fitted, "best_name_"):
        name = type(fitted.best_estimator_).__name__
        report.note(best=fitted.best_name_)
        report.say(f"  the best of {plural(len(fitted.scores_), 'model')}: {fitted.best_name_}, {name}")
    if not hasattr(fitted, "named_estimators_"):
        return
    members = dict(fitted.named_estimators_)
    weights, title = _weights_of(fitted, len(members))
    facts = [
        {"name": name, "estimator": type(one).__name__, **size_of(one)}
        | ({} if weights is None else {"weight": weights[k]})
        for k, (name, one) in enumerate(members.items())
    ]
    report.note(members=facts)
    report.title(f"{plural(len(members), 'member')}, {title}")
    sizes = [_size_in_words(size_of(one)) for one in members.values()]
    rows = [
        (name, type(one).__name__, sizes[k], "" if weights is None else f"{weights[k]:.1%}")
        for k, (name, one) in enumerate(members.items())
    ]
    report.table(["", "", "", "weight" if weights is not None else ""], rows, "lllr")


def _weights_of(fitted: Any, n_members: int) -> tuple[list[float] | None, str]:
    """Return the weights of the members, if known, and how the members are combined."""
    if hasattr(fitted, "weights_"):
        return fitted.weights_.tolist(), "with weights from their likelihoods"
    final = getattr(fitted, "final_estimator_", None)
    if final is None:
        given = getattr(fitted, "weights", None)
        shares = np.ones(n_members) if given is None else np.asarray(given, np.float64)
        return (shares / shares.sum()).tolist(), "combined by voting"
    title = f"combined by {type(final).__name__}"
    found = np.abs(np.atleast_2d(getattr(final, "coef_", np.empty((0, 0)))))
    if not found.size or found.shape[1] % n_members or getattr(fitted, "passthrough", False) or not found.any():
        return None, title
    shares = found.sum(axis=0).reshape(n_members, -1).sum(axis=1)
    return (shares / shares.sum()).tolist(), f"{title}, with weights from its coefficients"


def _size_in_words(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" if name == "depth" else f"{value:,} {name}" for name, value in facts.items())


def size_of(fitted: Any) -> dict[str, Any]:
    """Return the size of a model: trees, or leaves and depth."""
    from spinney.tree.models import trees_of

    if hasattr(fitted, "get_n_leaves"):
        return {"leaves": int(fitted.get_n_leaves()), "depth": int(fitted.get_depth())}
    try:
        return {"trees": len(trees_of(fitted))}
    except TypeError:
        return {}


def the_trees(fitted: Any) -> tuple[Any, str]:
    """Return the model whose trees are shown, and which one it is: of a combination, the member with the largest
    weight, or the best one; of other models, the model itself and no text."""
    if hasattr(fitted, "best_name_"):
        return fitted.best_estimator_, f"of the model {fitted.best_name_}, the best one"
    if not hasattr(fitted, "weights_") or not hasattr(fitted, "estimators_"):
        return fitted, ""
    k = int(fitted.weights_.argmax())
    names = fitted.names_ if hasattr(fitted, "names_") else list(fitted.named_estimators_)
    return fitted.estimators_[k], f"of the model {names[k]}, which has a weight of {fitted.weights_[k]:.1%}"


def which_tree(fitted: Any, given: str | None) -> Any:
    """Parse `--tree 3` or `--tree 3,0`. By default the first tree. A round alone means its first class."""
    from spinney.tree.models import trees_of

    shape = trees_of(fitted).shape
    if given is None:
        given = ",".join("0" * len(shape))
    try:
        place = [int(one) for one in given.split(",")] if given else []
    except ValueError:
        raise usage(f"--tree must be a number, or ROUND,CLASS, got {given!r}.") from None
    if not shape:
        if place not in ([], [0]):
            raise usage(f"--tree {given}: a {type(fitted).__name__} has only one tree.")
        return None
    place += [0] * (len(shape) - len(place))
    if len(place) != len(shape) or not all(0 <= one < n for one, n in zip(place, shape)):
        wanted = "a number" if len(shape) == 1 else "ROUND,CLASS"
        last = ",".join(str(n - 1) for n in shape)
        raise usage(f"--tree must be {wanted} from {','.join('0' * len(shape))} to {last}, got {given}.")
    return tuple(place) if len(place) > 1 else place[0]


def name_of_tree(fitted: Any, place: Any) -> str:
    """Name one of the trees of a model; empty for a single tree."""
    from spinney.tree.models import trees_of

    shape = trees_of(fitted).shape
    if place is None:
        return ""
    if isinstance(place, int):
        return f"tree {place} of {shape[0]:,}, counted from 0"
    class_ = label(fitted.classes_[place[1]])
    return f"round {place[0]} of {shape[0]:,}, class {place[1]} ({class_}); classes and rounds are counted from 0"


def class_names(fitted: Any) -> list[str] | None:
    """Return class names for booleans: true, not True."""
    classes = getattr(fitted, "classes_", None)
    if not isinstance(classes, np.ndarray) or classes.dtype.kind != "b" or _is_boosting(fitted):
        return None
    return [label(one) for one in classes]


def _is_boosting(fitted: Any) -> bool:
    from spinney import GradientBoostingClassifier, GradientBoostingRegressor

    return isinstance(fitted, GradientBoostingClassifier | GradientBoostingRegressor)


def _tell_member(report: Report, member: str) -> None:
    if member:
        report.say(f"  {member}", "dim")


def _tell_steps(report: Report, fitted: Any) -> None:
    """Explain the leaf values of boosted trees."""
    if _is_boosting(fitted):
        n, classes = size_of(fitted)["trees"], list(getattr(fitted, "classes_", []))
        what = f" (log odds of {label(classes[1])})" if len(classes) == 2 else ""
        report.say(f"  the raw score of a row{what} is the sum of the leaf values of all {n:,} trees", "dim")


def _tell_dates(report: Report, recipe: Recipe, text: str) -> None:
    """Explain the thresholds of dates."""
    dates = [
        one.name for one in recipe.columns if one.kind == "date" and re.search(f"{re.escape(one.name)} [<>]", text)
    ]
    if dates:
        report.say(f"  {quoted(dates)}: days since 1970-01-01; 20000 is 2024-10-04", "dim")


def _tell_tree(report: Report, fitted: Any, recipe: Recipe, tree: str | None, max_depth: int) -> None:
    from spinney.view.text import export_text

    fitted, member = the_trees(fitted)
    place = which_tree(fitted, tree)
    is_one = place is None and hasattr(fitted, "classes_")
    text = export_text(fitted, tree=place, max_depth=max_depth, show_weights=is_one, class_names=class_names(fitted))
    report.note(tree=text)
    name = name_of_tree(fitted, place) or "the tree"
    report.title(name[0].upper() + name[1:])
    _tell_member(report, member)
    _tell_steps(report, fitted)
    if is_one:
        classes = ", ".join(map(label, fitted.classes_))
        report.say(f"  weights: training rows per class ({classes})", "dim")
    _tell_dates(report, recipe, text)
    report.verbatim(text)
    if "truncated branch" in text:
        report.say(f"  deeper splits are not shown; --max-depth {max_depth + 4} shows more", "dim")


def _tell_rules(report: Report, fitted: Any, recipe: Recipe, tree: str | None, most: int) -> None:
    from spinney.view.rules import export_rules

    fitted, member = the_trees(fitted)
    place = which_tree(fitted, tree)
    found = export_rules(fitted, tree=place, sort="samples", class_names=class_names(fitted))
    name = name_of_tree(fitted, place)
    report.note(rules=[rule.text for rule in found], rules_of=name or "the tree")
    report.title(f"{plural(len(found), 'rule')}{f' of {name}' if name else ''}, sorted by number of rows")
    _tell_member(report, member)
    _tell_steps(report, fitted)
    _tell_dates(report, recipe, str(found))
    for rule in list(found)[:most]:
        report.verbatim(f"  {rule.text}")
    if len(found) > most:
        report.say(f"  and {len(found) - most} more (--most {len(found)} shows all)", "dim")
