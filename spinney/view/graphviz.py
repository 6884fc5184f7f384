"""A tree in the DOT language of Graphviz."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, TextIO

from spinney._docstrings import completed
from spinney._whole_file import write_whole
from spinney.view.figures import node_colours
from spinney.view.phrases import Box, TreePhrases, check_count, check_depth, choose_tree, words_of
from spinney.view.text import export_text

MORE = "..."  # stands for what lies below max_depth


@completed(export_text)
def export_graphviz(
    model: Any,
    out_file: str | PathLike[str] | TextIO | None = None,
    *,
    tree: Any = None,
    max_depth: int | None = None,
    feature_names: Any = None,
    class_names: Any = None,
    label: str = "all",
    filled: bool = False,
    leaves_parallel: bool = False,
    impurity: bool = True,
    node_ids: bool = False,
    proportion: bool = False,
    rotate: bool = False,
    rounded: bool = False,
    special_characters: bool = False,
    precision: int = 3,
    fontname: str = "helvetica",
) -> str | None:
    """Export a tree in the DOT language; `dot -Tpdf tree.dot -o tree.pdf` draws it.

    Parameters
    ----------
    out_file : path or open text file, default=None
        File to write. None: the text is returned.
    max_depth : int, default=None
        Deeper nodes are drawn as one box "...".
    feature_names : list of str, default=None
        Names of the columns. None: those of the data that the model was fitted on, else `x[0]`, `x[1]`, ...
    class_names : list of str or False, default=None
        Names of the classes, as in `export_text`. False leaves out the class.
    label : {"all", "root", "none"}, default="all"
        Boxes with labels such as "samples =".
    filled : bool, default=False
        Colour the boxes by class or value; purer nodes are stronger.
    leaves_parallel : bool, default=False
        Draw all leaves at the bottom.
    rotate : bool, default=False
        Draw from left to right.
    rounded : bool, default=False
        Round the corners of the boxes.
    impurity : bool, default=True
        Show the impurity; for boosted trees, the gain of the splits.
    node_ids : bool, default=False
        Show the numbers of the nodes.
    proportion : bool, default=False
        Show fractions instead of counts.
    special_characters : bool, default=False
        Write ≤ instead of <=.
    precision : int, default=3
        Number of decimals of impurities, thresholds and values.
    fontname : str, default="helvetica"
        Name of the font.

    Returns
    -------
    str or None
        The text; None if it was written to `out_file`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import DecisionTreeClassifier, export_graphviz
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DecisionTreeClassifier(max_depth=1).fit(X[:, 3:], y)
    >>> print(export_graphviz(model, feature_names=["petal width"], impurity=False, class_names=False))
    digraph Tree {
    node [shape=box, fontname="helvetica"] ;
    edge [fontname="helvetica"] ;
    0 [label="petal width <= 0.8\\nsamples = 150\\nvalue = [50, 50, 50]"] ;
    1 [label="samples = 50\\nvalue = [50, 0, 0]"] ;
    0 -> 1 [labeldistance=2.5, labelangle=45, headlabel="yes"] ;
    2 [label="samples = 100\\nvalue = [0, 50, 50]"] ;
    0 -> 2 [labeldistance=2.5, labelangle=-45, headlabel="no"] ;
    }
    """
    decimals, deepest = check_count("precision", precision), check_depth(max_depth)
    chosen = choose_tree(model, tree)
    words = words_of(chosen, feature_names, class_names, generic="x[{}]", decimals=decimals, trim=True, most=5)
    box = Box(label, impurity, node_ids, proportion, class_names is not False)
    write = _rich if special_characters else _plain
    shown = [node for node in words.nodes if words.tree.depth[node] <= deepest]
    fills = node_colours(words.tree) if filled else None
    lines = [
        *_head(fontname, filled, rounded, rotate, leaves_parallel),
        *_body(words, shown, lambda node: write(words.box(node, box)), fills, write),
        *(_ranks(words, shown) if leaves_parallel else []),
        "}",
    ]
    return _deliver("\n".join(lines), out_file)


def _head(fontname: str, filled: bool, rounded: bool, rotate: bool, leaves_parallel: bool) -> Iterator[str]:
    font = f"fontname={_plain([fontname])}"
    style = ", ".join(word for word, wanted in (("filled", filled), ("rounded", rounded)) if wanted)
    yield "digraph Tree {"
    yield f'node [shape=box, style="{style}", color="black", {font}] ;' if style else f"node [shape=box, {font}] ;"
    if leaves_parallel:
        yield "graph [ranksep=equally, splines=polyline] ;"
    yield f"edge [{font}] ;"
    if rotate:
        yield "rankdir=LR ;"


def _body(words: TreePhrases, shown: list[int], label: Any, fills: list[str] | None, write: Any) -> Iterator[str]:
    """A line for each node and one for the edge that leads to it."""
    tree, seen = words.tree, set(shown)
    for node in shown:
        fill = f', fillcolor="{fills[node]}"' if fills else ""
        yield f"{node} [label={label(node)}{fill}] ;"
        if node > 0:
            yield _edge(words, int(tree.parent[node]), node, write)
        children = tree.children_of(node).tolist()
        if children and children[0] not in seen:  # one box stands for all that follows
            fill = ', fillcolor="#ffffff"' if fills else ""
            yield f"{children[0]} [label={write([MORE])}{fill}] ;"
            yield f"{node} -> {children[0]} ;"


def _edge(words: TreePhrases, parent: int, child: int, write: Any) -> str:
    """yes and no are written at the root, or everywhere if some questions have other answers; these always are."""
    branch = int(words.tree.branch[child])
    if not words.needs_tag(parent):
        return f"{parent} -> {child} ;"
    tag = write([words.tag(parent, branch)])
    if len(words.tree.children_of(parent)) != 2:
        return f"{parent} -> {child} [label={tag}] ;"
    return f"{parent} -> {child} [labeldistance=2.5, labelangle={-45 if branch else 45}, headlabel={tag}] ;"


def _ranks(words: TreePhrases, shown: list[int]) -> Iterator[str]:
    """Nodes of one level side by side, and all leaves at the bottom."""
    tree = words.tree
    seen = set(shown)
    cut = [int(child) for node in shown for child in tree.children_of(node)[:1] if child not in seen]
    leaves = [node for node in shown if tree.is_leaf[node]] + cut
    for depth in range(int(tree.depth[shown].max()) + 1):
        level = [node for node in shown if tree.depth[node] == depth and not tree.is_leaf[node]]
        if level:
            yield f"{{rank=same ; {'; '.join(map(str, level))}}} ;"
    yield f"{{rank=same ; {'; '.join(map(str, leaves))}}} ;"


def _plain(lines: Iterable[str]) -> str:
    """A quoted string of dot: it knows backslashes, and entities as in HTML."""
    escaped = (
        line.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for line in lines
    )
    return '"' + "\\n".join(escaped) + '"'


def _rich(lines: Iterable[str]) -> str:
    """A string of dot in its subset of HTML."""
    escaped = (html.escape(line, quote=False).replace(" &lt;= ", " &le; ") for line in lines)
    return "<" + "<br/>".join(line.replace("\\", "\\\\").replace("\n", "<br/>") for line in escaped) + ">"


def _deliver(text: str, out_file: Any) -> str | None:
    if out_file is None:
        return text
    if hasattr(out_file, "write"):
        out_file.write(text)
    elif isinstance(out_file, str | PathLike):
        write_whole(out_file, [text.encode()])
    else:
        raise TypeError(f"out_file must be a path, an open text file or None, got {type(out_file).__name__}.")
    return None
