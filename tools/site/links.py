"""An extension of Sphinx: what is named in code becomes a link.

`docs/trees.md`            the page, by its title
`RandomForestClassifier`   the page of the reference; also `spinney.X`, `prune.X` and calls of them, `X(...)`
numbers_ in docstrings     stay as they are, where reStructuredText would look for a link's target
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from tools.site.contents import page_name, titles
from tools.site.reference import GROUPS, without_targets

_CALL = re.compile(r"^(?:spinney\.)?(?P<name>(?:[a-z_]+\.)?[A-Za-z]\w*)(?:\(.*\))?$", re.DOTALL)
_SHARED = {"view"}  # rooms whose names are spinney's, too


class Linked(SphinxTransform):
    """Literals that name a page or a public name become links to it."""

    default_priority = 410

    def apply(self, **options: Any) -> None:
        pages = titles()
        names = {name for _, _, group in GROUPS.values() for name in group}
        names |= {f"{room}.{name}" for room in _SHARED for name in names}
        for link in list(self.document.findall(pending_xref)):  # `docs/trees.md` in a docstring
            if link["reftype"] == "obj" and (path := link["reftarget"].removeprefix("docs/")) in pages:
                self._link(link, "std", "doc", f"/{page_name(path)}", nodes.inline("", pages[path]))
        for literal in list(self.document.findall(nodes.literal)):
            if _is_linked_already(literal):
                continue
            text = literal.astext()
            if (path := text.removeprefix("docs/")) in pages and (text != path or path.startswith("../")):
                self._link(literal, "std", "doc", f"/{page_name(path)}", nodes.inline("", pages[path]))
            elif (match := _CALL.match(text)) and match["name"] in names:
                target = f"spinney.{match['name'].removeprefix('view.')}"
                if not self.env.docname.endswith(f"/{target}"):
                    self._link(literal, "py", "obj", target, literal.deepcopy())

    def _link(self, literal: Any, domain: str, kind: str, target: str, shown: Any) -> None:
        link = pending_xref("", shown, refdomain=domain, reftype=kind, reftarget=target, refexplicit=True)
        link["refdoc"], link["refwarn"] = self.env.docname, True
        literal.replace_self(link)


def _is_linked_already(node: Any) -> bool:
    while (node := node.parent) is not None:
        if isinstance(node, nodes.reference | nodes.title | pending_xref):
            return True
    return False


def escape_underscores(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Words that end in an underscore, `classes_`, are no links."""
    lines[:] = [without_targets(line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx calls this."""
    app.add_transform(Linked)
    app.connect("autodoc-process-docstring", escape_underscores, priority=900)  # after numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}
