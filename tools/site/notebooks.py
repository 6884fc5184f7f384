"""Notebooks as pages: what is kept in docs/notebooks in, Markdown and pictures out. Nothing is run."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from tools.notebooks import FOLDER


def write(folder: Path) -> None:
    """A page for each notebook."""
    folder.mkdir()
    for path in sorted(FOLDER.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        parts = [part for k, cell in enumerate(cells) for part in _parts_of(cell, folder, f"{path.stem}_{k}")]
        text = "\n\n".join(["---\norphan: true\n---", *parts])  # only the index links to it
        (folder / f"{path.stem}.md").write_text(text + "\n", encoding="utf-8")


def _parts_of(cell: dict[str, Any], folder: Path, name: str) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    parts = [f"```python\n{source}\n```"]
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "image/png" in data:
            (folder / f"{name}.png").write_bytes(base64.b64decode(data["image/png"]))
            parts.append(f"![What the cell above draws]({name}.png)")
        else:
            text = "".join(output["text"] if "text" in output else data["text/plain"]).rstrip("\n")
            parts.append(f"```text\n{text}\n```")
    return parts
