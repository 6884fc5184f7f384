"""`spinney export`: a model in a form that others read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import spinney
from spinney.cli import options
from spinney.cli.errors import CommandError, usage
from spinney.cli.model_files import load_model
from spinney.cli.report import Report
from spinney.cli.show import the_trees, which_tree

FORMS = {
    "onnx": "the whole model for ONNX runtimes",
    "json": "the whole model as a documented JSON object",
    "python": "the whole model as a Python module that needs nothing else",
    "c": "the whole model as a C function",
    "dot": "one tree for Graphviz",
    "text": "one tree as text",
    "rules": "one tree as rules",
}


def export(
    model: options.ModelFile,
    to: Annotated[str, typer.Option("--to", help=f"One of {', '.join(FORMS)}.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Where to; by default standard output (onnx: MODEL.onnx).", show_default=False
        ),
    ] = None,
    tree: Annotated[
        str | None, typer.Option("--tree", help="Which tree, for dot, text and rules.", show_default=False)
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Write a model in a form that other programs read.

    Examples:

        spinney export titanic.spinney --to onnx --out titanic.onnx

        spinney export titanic.spinney --to dot --tree 0 | dot -Tsvg > tree.svg
    """
    if to not in FORMS:
        raise usage(f"--to must be one of {', '.join(FORMS)}, got {to!r}.")
    fitted, _ = load_model(model)
    if out is None and to == "onnx":
        out = Path(Path(model).stem + ".onnx")
    content = _content(fitted, to, tree)
    if out is None:
        print(content.rstrip("\n") if isinstance(content, str) else content)
        return
    if not out.absolute().parent.is_dir():
        raise usage(f"--out: the folder {out.parent} does not exist.")
    if isinstance(content, str):
        out.write_text(content, encoding="utf-8")
    else:
        out.write_bytes(content)
    Report(quiet=quiet).say(f"{FORMS[to]}: {out}")


def _content(fitted: Any, to: str, tree: str | None) -> str | bytes:
    if to in ("dot", "text", "rules"):
        return _one_tree(the_trees(fitted), to, tree)
    if tree is not None:
        raise usage(f"--tree is for dot, text and rules: {to} has all trees.")
    found = _exporter(f"to_{to}")(fitted)
    if isinstance(found, dict | list):
        import json

        return json.dumps(found, indent=1)
    if hasattr(found, "SerializeToString"):
        return bytes(found.SerializeToString())
    return found if isinstance(found, str | bytes) else str(found)


def _exporter(name: str) -> Callable[..., Any]:
    if name not in spinney.__all__:
        raise CommandError(
            f"this version of spinney has no {name}: export to {', '.join(('dot', 'text', 'rules'))} instead."
        )
    return getattr(spinney, name)


def _one_tree(fitted: Any, to: str, tree: str | None) -> str:
    place = which_tree(fitted, tree)
    if to == "dot":
        return str(spinney.export_graphviz(fitted, tree=place))
    if to == "rules":
        return str(spinney.export_rules(fitted, tree=place))
    return spinney.export_text(fitted, tree=place, max_depth=None)
