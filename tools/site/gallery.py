"""The gallery: docs/gallery/*.py in, pictures and a page for each out.

A script draws with matplotlib and can be run by itself; its docstring is a title and a few sentences. Their order is
that of docs/gallery/index.md, which lists them like the index of the site lists its pages. docs/images has the
pictures that guides and the README show: NAME.png is drawn by docs/gallery/NAME.py (`python -m tools.site --images`).
"""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from spinney.view.figures import class_colours
from tools.site.contents import DOCS

SCRIPTS = DOCS / "gallery"
IMAGES = DOCS / "images"
_ITEM = re.compile(r"^- \[(?P<title>[^]]+)\]\((?P<name>\w+)\.py\)", re.MULTILINE)
THUMBNAIL = (480, 320)
STYLE = {
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": f"cycler(color={class_colours(8)})",
}


class Entry(NamedTuple):
    """A script of the gallery."""

    name: str
    section: str
    title: str
    text: str
    code: str


def entries() -> list[Entry]:
    """All scripts, in the order of the index."""
    _, *parts = re.split(r"^## ", (SCRIPTS / "index.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [entry(one["name"], part.partition("\n")[0].strip()) for part in parts for one in _ITEM.finditer(part)]


def entry(name: str, section: str = "") -> Entry:
    """A script, read but not run."""
    source = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8")
    title, _, text = (ast.get_docstring(ast.parse(source)) or "").partition("\n")
    code = re.sub(r'\A""".*?"""\n+', "", source, flags=re.DOTALL)
    return Entry(name, section, title.rstrip("."), text.strip(), code)


def draw(name: str) -> list[Any]:
    """Run a script; the figures that it has drawn, still open."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    plt.close("all")
    path = SCRIPTS / f"{name}.py"
    with plt.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*non-interactive.*")  # plt.show() has no window here
        exec(compile(path.read_text(encoding="utf-8"), path, "exec"), {"__name__": "__main__"})
    return [plt.figure(number) for number in plt.get_fignums()]


def _thumbnail(picture: Path, path: Path) -> None:
    """A small copy, in the middle of a white sheet of three by two."""
    from PIL import Image

    small = Image.open(picture).convert("RGB")
    small.thumbnail(THUMBNAIL, Image.Resampling.LANCZOS)
    sheet = Image.new("RGB", THUMBNAIL, "white")
    sheet.paste(small, ((THUMBNAIL[0] - small.width) // 2, (THUMBNAIL[1] - small.height) // 2))
    sheet.save(path)


def draw_images() -> list[Path]:
    """Draw the pictures of docs/images anew, in few bytes: at most 800 pixels wide, of 64 colours."""
    import io

    import matplotlib.pyplot as plt
    from PIL import Image

    paths = [path for path in sorted(IMAGES.glob("*.png")) if (SCRIPTS / f"{path.stem}.py").exists()]  # not the lab's
    for path in paths:
        memory = io.BytesIO()
        draw(path.stem)[0].savefig(memory, dpi=110)
        plt.close("all")
        picture = Image.open(memory).convert("RGB")
        picture.thumbnail((800, 2000), Image.Resampling.LANCZOS)
        picture.quantize(64).save(path, optimize=True)
    return paths


def write(folder: Path) -> None:
    """All pages and pictures of the gallery, into a folder."""
    import matplotlib.pyplot as plt

    listed = entries()
    for name in ("pictures", "thumbnails"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for one in listed:
        figures = draw(one.name)
        for number, figure in enumerate(figures):
            figure.savefig(folder / "pictures" / f"{one.name}-{number}.png", dpi=110)
        _thumbnail(folder / "pictures" / f"{one.name}-0.png", folder / "thumbnails" / f"{one.name}.png")
        plt.close("all")
        (folder / f"{one.name}.md").write_text(_page(one, len(figures)), encoding="utf-8")
    (folder / "index.md").write_text(_index(listed), encoding="utf-8")


def _page(one: Entry, n_pictures: int) -> str:
    pictures = [f"![{one.title}](pictures/{one.name}-{number}.png)" for number in range(n_pictures)]
    names = sorted({f"`{name}`" for name in re.findall(r"\bplot_\w+", one.code)})
    see = f"The names in it: {', '.join(names)}." if names else ""
    return "\n\n".join([f"# {one.title}", one.text, *pictures, f"```python\n{one.code}```", see]) + "\n"


def _index(listed: list[Entry]) -> str:
    head = (SCRIPTS / "index.md").read_text(encoding="utf-8").split("\n## ")[0]
    parts = [head.strip()]
    for section in dict.fromkeys(one.section for one in listed):
        parts.append(f"## {section}")
        cards = [_card(one) for one in listed if one.section == section]
        parts.append("\n".join(["::::{grid} 1 2 3 3", ":gutter: 3", "", *cards, "::::"]))
    tree = "\n".join(["```{toctree}", ":hidden:", "", *[one.name for one in listed], "```"])
    return "\n\n".join([*parts, tree]) + "\n"


def _card(one: Entry) -> str:
    lines = [f":::{{grid-item-card}} {one.title}", f":link: {one.name}", ":link-type: doc"]
    return "\n".join([*lines, f":img-top: thumbnails/{one.name}.png", f":img-alt: {one.title}", ":::", ""])
