"""Build the documentation site.

    python -m tools.site             # into build/site
    python -m tools.site --images    # draw the pictures of docs/images anew, and stop

Pages go to build/docs first, with those that are made (reference, gallery), and Sphinx reads them there. A warning is
an error. Nothing is fetched, neither now nor by whoever reads the site.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

from tools.site import gallery, notebooks, reference
from tools.site.contents import DOCS, ROOT, page_name, titles, with_navigation

SOURCES, SITE = ROOT / "build" / "docs", ROOT / "build" / "site"


def main(arguments: list[str]) -> int:
    """Draw pictures, or build the site."""
    if "--images" in arguments:
        print("\n".join(str(path.relative_to(ROOT)) for path in gallery.draw_images()))
        return 0
    from sphinx.cmd.build import build_main

    os.environ.setdefault("SPINNEY_QUIET", "1")
    print("Drawing the gallery (the first time, kernels are compiled for it) ...", flush=True)
    arrange(SOURCES)
    print("Reading pages and docstrings, writing HTML ...", flush=True)
    strictly = ["-q", "-W", "--keep-going", "-j", "auto"]
    folders = ["-c", str(DOCS), "-d", str(ROOT / "build" / "doctrees"), str(SOURCES), str(SITE)]
    failed = build_main([*strictly, "-b", "html", *folders])
    if not failed:
        print(f"The site is in {SITE.relative_to(ROOT)}: open {SITE / 'index.html'}")
    return failed


def arrange(folder: Path) -> None:
    """All pages of the site, those of docs/ and those that are made, into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(gallery.IMAGES, folder / "images")
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        (folder / path.name).write_text(with_navigation(text) if path.name == "index.md" else text, encoding="utf-8")
    for path in titles():
        if path.startswith("../"):
            text = (DOCS / path).read_text(encoding="utf-8")
            (folder / f"{page_name(path)}.md").write_text(text, encoding="utf-8")
    for page in folder.glob("*.md"):
        page.write_text(_at_home(page.read_text(encoding="utf-8")), encoding="utf-8")
    reference.write(folder / "api")
    gallery.write(folder / "gallery")
    notebooks.write(folder / "notebooks")


def _at_home(text: str) -> str:
    """Links to files above docs/ that are pages of the site, and links from there to docs/, lead to these pages."""
    text = re.sub(r"\]\(\.\./(\w+\.md)", lambda match: f"]({page_name('../' + match[1])}.md", text)
    text = re.sub(r"\]\(docs/", "](", text)
    text = re.sub(r"\]\((notebooks/\w+)\.ipynb\)", r"](\1.md)", text)
    return re.sub(
        r"(^```python\n.*?)\n+^```$", r"\1\n```", text, flags=re.DOTALL | re.MULTILINE
    )  # doctest's empty line


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
