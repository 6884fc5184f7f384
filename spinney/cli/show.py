"""`spinney show`: a model in the terminal: its tree, its rules, or what it looks at."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from spinney.cli import options
from spinney.cli.columns_report import importances_of, tell_importances
from spinney.cli.errors import CommandError, usage
from spinney.cli.model_files import load_model
from spinney.cli.recipe import Recipe
from spinney.cli.report import Report, number, plural


def show(
    model: options.ModelFile,
    tree: Annotated[
        str | None,
        typer.Option(
            "--tree",
            help="Which tree to draw: 0, 1, ...; ROUND,CLASS for boosting of several classes.",
            show_default=False,
        ),
    ] = None,
    rules: Annotated[bool, typer.Option("--rules", help="The rules of a tree, one for each leaf.")] = False,
    importances: Annotated[bool, typer.Option("--importances", help="The importance of all columns.")] = False,
    max_depth: Annotated[int, typer.Option("--max-depth", min=0, help="Questions deeper than this are left out.")] = 4,
    most: Annotated[int, typer.Option("--most", min=1, help="At most so many rules or columns.")] = 20,
    as_json: options.Json = False,
) -> None:
    """Show what a model has learnt.

    By default a single tree is drawn, and of a model of many trees the importances of the columns are shown.

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
        _tell_rules(report, fitted, tree, most)
    elif tree is not None or (is_tree and not importances):
        _tell_tree(report, fitted, tree, max_depth)
    if importances or not (rules or tree is not None):
        if not importances_of(fitted, recipe.features) and importances:
            raise CommandError(f"a {type(fitted).__name__} has no importances.")
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
    words = ", ".join(f"{name} {value}" if name == "depth" else f"{value:,} {name}" for name, value in facts.items())
    of = f" of {target!r}" if target else ""
    report.say(
        f"{type(fitted).__name__}: {recipe.task}{of} by {plural(len(recipe.columns), 'column')}"
        + (f" ({words})" if words else ""),
        "bold",
    )
    if recipe.score:
        scores = ", ".join(f"{name} {number(value)}" for name, value in recipe.score["scores"].items())
        report.say(f"  {recipe.score['how']}: {scores}")
    if hasattr(fitted, "leaderboard"):
        report.verbatim("\n" + fitted.leaderboard())


def size_of(fitted: Any) -> dict[str, Any]:
    """How large a model is: trees, leaves."""
    from spinney.tree.models import trees_of

    if hasattr(fitted, "get_n_leaves"):
        return {"leaves": int(fitted.get_n_leaves()), "depth": int(fitted.get_depth())}
    try:
        return {"trees": len(trees_of(fitted))}
    except TypeError:
        return {}


def the_trees(fitted: Any) -> Any:
    """The model whose trees are shown: of a combination, the first that counts most."""
    if hasattr(fitted, "weights_") and hasattr(fitted, "estimators_"):
        return fitted.estimators_[int(fitted.weights_.argmax())]
    return fitted


def which_tree(fitted: Any, given: str | None) -> Any:
    """`--tree 3`, `--tree 3,0`; by default the first of many, the only one of one."""
    from spinney.tree.models import trees_of

    shape = trees_of(fitted).shape
    if given is None:
        return None if not shape else (0,) * len(shape) if len(shape) > 1 else 0
    try:
        place = tuple(int(one) for one in given.split(","))
    except ValueError:
        raise usage(f"--tree must be a number, or ROUND,CLASS, got {given!r}.") from None
    return place if len(place) > 1 else place[0]


def _tell_tree(report: Report, fitted: Any, tree: str | None, max_depth: int) -> None:
    from spinney.view.text import export_text

    fitted = the_trees(fitted)
    place = which_tree(fitted, tree)
    text = export_text(fitted, tree=place, max_depth=max_depth)
    report.note(tree=text)
    report.title(
        "The tree"
        if place is None
        else f"Tree {place}"
        if isinstance(place, int)
        else f"Round {place[0]}, class {place[1]}"
    )
    report.verbatim(text)
    if "truncated branch" in text:
        report.say(f"  deeper questions are left out: --max-depth {max_depth + 4}", "dim")


def _tell_rules(report: Report, fitted: Any, tree: str | None, most: int) -> None:
    from spinney.view.rules import export_rules

    fitted = the_trees(fitted)
    found = export_rules(fitted, tree=which_tree(fitted, tree), sort="samples")
    report.note(rules=[rule.text for rule in found])
    report.title(f"{plural(len(found), 'rule')}, those of most rows first")
    for rule in list(found)[:most]:
        report.verbatim(f"  {rule.text}")
    if len(found) > most:
        report.say(f"  and {len(found) - most} more (--most {len(found)} shows all)", "dim")
