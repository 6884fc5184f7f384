"""What the examples save is looked at while it is a figure: afterwards it is pixels."""

from pathlib import Path

import matplotlib.figure
import pytest

from tests.pictures import check_figure


@pytest.fixture
def pictures(monkeypatch):
    """Paths of the pictures that were saved, each of them checked."""
    saved, save = [], matplotlib.figure.Figure.savefig

    def checked(figure, path, **options):
        check_figure(figure, on_page=False)
        save(figure, path, **options)
        saved.append(Path(path))

    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", checked)
    return saved
