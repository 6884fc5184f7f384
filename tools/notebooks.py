"""Run the notebooks of docs/notebooks and keep what their cells print: `python -m tools.notebooks [--check] [names]`.

A notebook runs without Jupyter: its cells, in order, in one namespace. What a cell prints and the text of its last
expression are kept; a picture is kept as a small PNG. `--check` changes nothing, and fails where the texts differ.
"""

from __future__ import annotations

import argparse
import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
MOST_BYTES = 100_000  # of a notebook
_DPI = 60


def main(arguments: list[str] | None = None) -> int:
    wanted = argparse.ArgumentParser(description="Run the notebooks.")
    wanted.add_argument("--check", action="store_true", help="only compare with what is kept")
    wanted.add_argument("names", nargs="*", help="of notebooks, without .ipynb (default: all)")
    given = wanted.parse_args(arguments)
    wrong = 0
    for path in sorted(FOLDER.glob("*.ipynb")):
        if given.names and path.stem not in given.names:
            continue
        notebook = json.loads(path.read_text())
        before = [texts_of(cell) for cell in notebook["cells"]]
        run(notebook)
        differ = [k for k, cell in enumerate(notebook["cells"]) if texts_of(cell) != before[k]]
        for k in differ if given.check else []:
            print(f"{path.name}, cell {k}: {before[k]!r} is kept, {texts_of(notebook['cells'][k])!r} is printed")
        wrong += len(differ)
        if not given.check:
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    return int(given.check and wrong > 0)


def run(notebook: dict[str, Any]) -> None:
    """Run all cells, and replace their outputs."""
    import matplotlib
    from matplotlib import pyplot

    matplotlib.use("Agg")
    pyplot.close("all")  # a picture that is left open would be taken for that of the first cell
    names: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = outputs_of("".join(cell["source"]), names, count)


def outputs_of(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and the value of its last line if that is an expression."""
    lines, printed = ast.parse(source), io.StringIO()
    last = ast.Expression(lines.body.pop().value) if isinstance(lines.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(lines, "<cell>", "exec"), names)
        value = None if last is None else eval(compile(last, "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": split(printed.getvalue())})
    picture = picture_of()
    if picture is not None:
        data = {"image/png": picture, "text/plain": ["<picture>"]}
        outputs.append({"output_type": "display_data", "metadata": {}, "data": data})
    elif value is not None:
        data = {"text/plain": split(repr(value))}
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return outputs


def picture_of() -> str | None:
    """The open figure as a PNG in base64, if there is one; it is closed."""
    from matplotlib import pyplot

    if not pyplot.get_fignums():
        return None
    file = io.BytesIO()
    pyplot.gcf().savefig(file, format="png", dpi=_DPI, bbox_inches="tight", metadata={"Software": None})
    pyplot.close("all")
    return base64.b64encode(file.getvalue()).decode()


def split(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def texts_of(cell: dict[str, Any]) -> list[str]:
    """What a cell is known to print."""
    outputs = cell.get("outputs", [])
    return ["".join(one["text"] if "text" in one else one["data"]["text/plain"]) for one in outputs]


if __name__ == "__main__":
    sys.exit(main())
