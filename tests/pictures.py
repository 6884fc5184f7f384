"""What a picture must have to be one: something drawn in every panel, axes that say what they are, labels large enough
to be read on a page."""

import re

from matplotlib.text import Text

PAGE = 600  # pixels that a page has for a picture
SMALLEST = 8  # pixels of a label there


def check_figure(figure, on_page=True):
    """A figure of matplotlib, before it is closed; `on_page`: it is shown on a page, where it is made smaller."""
    width = PAGE / figure.get_size_inches()[0]  # pixels of an inch on the page
    panels = [ax for ax in figure.axes if ax.get_visible()]
    assert panels
    for ax in panels:
        drawn = [*ax.lines, *ax.collections, *ax.images, *ax.patches]
        assert [one for one in drawn if one.get_visible()] or ax.texts, "a panel is empty"
    assert len(panels) == len(figure.axes) or not on_page, "a place for a panel is empty"
    written = [text for text in figure.findobj(Text) if text.get_text().strip()]
    assert written, "nothing is written"
    for text in written if on_page else ():
        assert not re.fullmatch(r"x\[\d+\]", text.get_text()), "a column without a name"
        assert text.get_fontsize() / 72 * width >= SMALLEST, (text.get_text(), text.get_fontsize())
    for kind in "xy":
        axes = [(ax, getattr(ax, f"{kind}axis")) for ax in panels if ax.axison]  # a tree has none
        measured = [(ax, axis) for ax, axis in axes if len(axis.get_ticklocs())]
        named = [ax for ax, axis in measured if getattr(ax, f"get_{kind}label")() or names_of(axis)]
        assert named or not measured, f"no {kind} axis has a name"


def names_of(axis):
    """The ticks of an axis that are words."""
    return [text for text in axis.get_ticklabels() if re.search("[A-Za-z]", text.get_text())]
