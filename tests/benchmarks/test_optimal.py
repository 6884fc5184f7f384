"""The contest of optimal trees runs."""

import pytest

from benchmarks.versus.optimal import main


@pytest.mark.slow
def test_times(capsys):
    main(["--rows", "300", "--columns", "8", "--depth", "3"])
    text = capsys.readouterr().out
    assert "300 rows, 8 columns of zeros and ones, depth 3" in text
    assert "spinney" in text


@pytest.mark.slow
def test_accuracy(capsys):
    main(["--accuracy", "--rows", "200", "--depth", "1"])
    assert "optimal  training" in capsys.readouterr().out
