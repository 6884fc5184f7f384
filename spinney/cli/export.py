"""`spinney export`: a model in a format that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import spinney
from spinney.cli import options
from spinney.cli.files import load_model, whole_file
from spinney.cli.report import Report
from spinney.cli.show import class_names, name_of_tree, the_trees, which_tree
from spinney.cli.terminal import write_data
from spinney.tables.errors import usage

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
    to: Annotated[str, options.option("--to", help=f"Format: one of {', '.join(FORMS)}.")],
    out: Annotated[
        Path | None, options.option("--out", "-o", help="Output file. By default standard output (onnx: MODEL.onnx).")
    ] = None,
    tree: Annotated[str | None, options.option("--tree", help="Number of the tree, for dot, text and rules.")] = None,
    interval: Annotated[
        float | None,
        options.option(
            "--interval",
            help="Also export an interval, or the set of classes, that holds the truth with this probability, such as "
            "0.9; for onnx, python and c.",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Export a model to a format that other programs read.

    onnx, json, python and c hold the whole model; dot, text and rules hold one tree.

    Examples:

        spinney export titanic.spinney --to onnx --out titanic.onnx

        spinney export prices.spinney --to c --interval 0.9 --out prices.c

        spinney export titanic.spinney --to dot --tree 0 | dot -Tsvg > tree.svg
    """
    if to not in FORMS:
        raise usage(f"--to must be one of {', '.join(FORMS)}, got {to!r}.")
    fitted, _ = load_model(model)
    if out is None and to == "onnx":
        out = Path(Path(model).stem + ".onnx")
    content = _content(fitted, to, tree, interval)
    if out is None:
        write_data(str(content).rstrip("\n") + "\n")
        return
    with whole_file(out) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    Report(quiet=quiet).say(f"{FORMS[to]}: {out}")


def _content(fitted: Any, to: str, tree: str | None, interval: float | None) -> str | bytes:
    if interval is not None and to not in ("onnx", "python", "c"):
        raise usage(f"--interval is supported only with --to onnx, python and c, got {to!r}.")
    if to in ("dot", "text", "rules"):
        return _one_tree(*the_trees(fitted), to, tree)
    if tree is not None:
        raise usage(f"--tree is supported only with --to dot, text and rules; {to} exports all trees.")
    more = {} if interval is None else {"interval": interval}
    found = getattr(spinney, f"to_{to}")(fitted, **more)
    return bytes(found.SerializeToString()) if to == "onnx" else str(found)


def _one_tree(fitted: Any, member: str, to: str, tree: str | None) -> str:
    place = which_tree(fitted, tree)
    name = ", ".join(filter(None, (name_of_tree(fitted, place), member)))
    if name:
        Report(stderr=True).warn(f"this is {name}" + ("" if tree else " (--tree selects another)"))
    names = class_names(fitted)
    if to == "dot":
        return str(spinney.export_graphviz(fitted, tree=place, class_names=names))
    if to == "rules":
        return str(spinney.export_rules(fitted, tree=place, class_names=names))
    return spinney.export_text(fitted, tree=place, class_names=names, max_depth=None)
