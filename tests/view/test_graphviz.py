"""Trees in dot."""

import html
import io
import re
import shutil
import subprocess

import pytest

from spinney import export_graphviz
from tests.view.trees import ALL, flowers, islands, leaf, make_model, number, prices, tennis, two_outputs

ODD = ['a "quoted" \\n \\N name', "<b>&lt;bold</b> & \\"]
QUOTED = r'"(?:[^"\\]|\\.)*"'
RICH = r"<(?:[^<>]|<br/>)*>"
VALUE = rf"(?:{QUOTED}|{RICH}|[\w.-]+)"
ATTRIBUTES = rf"\[\w+={VALUE}(?:, \w+={VALUE})*\]"
STATEMENT = re.compile(
    rf"(?:(?:node|edge|graph|\d+|\d+ -> \d+)(?: {ATTRIBUTES})?|\w+=\w+|{{rank=same(?: ; |; |\d+)+}}) ;"
)

STYLES = [
    {},
    {"filled": True, "rounded": True, "node_ids": True, "label": "root"},
    {"special_characters": True, "leaves_parallel": True, "rotate": True, "proportion": True, "label": "none"},
    {"max_depth": 0, "leaves_parallel": True, "filled": True, "impurity": False, "class_names": False},
]


def boxes(dot):
    return re.findall(rf"^\d+ \[label=({VALUE})", dot, re.MULTILINE)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("make", ALL)
def test_syntax(make, style):
    first, *statements, last = export_graphviz(make(), **style).splitlines()
    assert (first, last) == ("digraph Tree {", "}")
    for statement in statements:
        assert STATEMENT.fullmatch(statement), statement


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("special", [False, True])
def test_dot_draws_the_names_as_they_are(special):
    classes = ['x"', "\\l", "&amp;"]
    dot = export_graphviz(flowers(), feature_names=ODD, class_names=classes, special_characters=special)
    drawn = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, check=True)
    assert not drawn.stderr
    texts = [html.unescape(text) for text in re.findall(r"<text[^>]*>(.*?)</text>", drawn.stdout)]
    at_most = "≤" if special else "<="
    assert {f"{ODD[1]} {at_most} 0.8", f"{ODD[0]} {at_most} 4.95"} <= set(texts)
    assert {f"class = {name}" for name in classes} <= set(texts)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("style", STYLES)
def test_dot_accepts_it(style):
    for make in ALL:
        drawn = subprocess.run(
            ["dot", "-Tplain"], input=export_graphviz(make(), **style), capture_output=True, text=True
        )
        assert (drawn.returncode, drawn.stderr) == (0, ""), make.__name__


def test_escapes():
    dot = export_graphviz(flowers(), feature_names=ODD, class_names=["x", "y", "z"])
    assert boxes(dot)[3].startswith(r'"a \"quoted\" \\n \\N name <= 4.95\n')
    assert boxes(dot)[0].startswith(r'"<b>&amp;lt;bold</b> &amp; \\ <= 0.8\n')
    rich = export_graphviz(flowers(), feature_names=ODD, special_characters=True)
    assert boxes(rich)[0].startswith(r"<&lt;b&gt;&amp;lt;bold&lt;/b&gt; &amp; \\ &le; 0.8<br/>")


def test_what_boxes_say():
    assert boxes(export_graphviz(flowers()))[2] == (
        r'"petal width <= 1.75\ngini = 0.5\nsamples = 100\nvalue = [0, 50, 50]\nclass = versicolor"'
    )
    bare = {"impurity": False, "class_names": False}
    assert boxes(export_graphviz(flowers(), **bare))[1] == r'"samples = 50\nvalue = [50, 0, 0]"'
    assert boxes(export_graphviz(flowers(), proportion=True, **bare))[6] == (
        r'"samples = 30.7%\nvalue = [0.0, 0.022, 0.978]"'
    )
    rooted = boxes(export_graphviz(flowers(), label="root", node_ids=True))
    assert rooted[0].startswith(r'"node #0\npetal width <= 0.8\ngini = 0.667')
    assert rooted[1] == r'"#1\n0.0\n50\n[50, 0, 0]\nsetosa"'
    assert boxes(export_graphviz(prices()))[0] == r'"x[0] <= 2.0\nsquared_error = 0.25\nsamples = 30\nvalue = 2.917"'
    assert r"value = [[5, 1, 0], [6, 0]]\nclass = [a, no]" in boxes(export_graphviz(two_outputs()))[1]


def test_many_classes_are_cut_to_the_most_common():
    weights = [0, 3, 9, 1, 1, 1, 1, 1, 1, 1]
    model = make_model(leaf(weights), {"x": None}, [f"c{i}" for i in range(10)])
    assert r"\nvalue = c2: 9, c1: 3, ...\n" in boxes(export_graphviz(model))[0]


def test_branches_are_named():
    dot = export_graphviz(tennis())
    assert '0 -> 2 [label="Rainy"] ;' in dot
    assert 'headlabel="false"' in dot
    yes_no = re.findall(r'headlabel="(\w+)"', export_graphviz(islands()))
    assert yes_no == ["yes", "no"]  # at the root only


def test_depth():
    dot = export_graphviz(flowers(), max_depth=1)
    assert boxes(dot)[-1] == '"..."'
    assert len(boxes(dot)) == 4
    assert "2 -> 3 ;" in dot


def test_colours():
    fills = re.findall(r'fillcolor="(#\w{6})"', export_graphviz(flowers(), filled=True))
    assert len(fills) == 7
    assert fills[0] == "#ffffff"  # three classes alike
    assert "fillcolor" not in export_graphviz(flowers())


def test_where_it_is_written(tmp_path):
    text = export_graphviz(flowers())
    assert export_graphviz(flowers(), tmp_path / "a.dot") is None
    assert export_graphviz(flowers(), str(tmp_path / "b.dot")) is None
    memory = io.StringIO()
    assert export_graphviz(flowers(), memory) is None
    assert {(tmp_path / "a.dot").read_text(), (tmp_path / "b.dot").read_text(), memory.getvalue()} == {text}


def test_thresholds_that_are_close():
    spec = number(0, 0.0001, leaf([1, 0]), number(0, 0.0002, leaf([0, 1]), leaf([1, 0])))
    dot = export_graphviz(make_model(spec, {"x": None}, ["n", "p"]), precision=2)
    assert "x <= 0.0001" in dot
    assert "x <= 0.0002" in dot


def test_parameters():
    with pytest.raises(TypeError, match="out_file must be a path, an open text file or None, got int"):
        export_graphviz(flowers(), 3)
    with pytest.raises(ValueError, match="label must be 'all', 'root' or 'none', got 'some'"):
        export_graphviz(flowers(), label="some")
    with pytest.raises(ValueError, match="precision must be an integer of at least 0, got -1"):
        export_graphviz(flowers(), precision=-1)
