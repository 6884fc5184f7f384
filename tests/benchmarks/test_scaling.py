"""The scaling of fits is printed, on tiny tables: what it measures is for a quiet machine of many cores."""

import pytest

from benchmarks.scaling import CASES, OUTSIDE, main
from spinney._team import Team


@pytest.mark.slow
def test_all_cases_are_printed_with_their_phases(capsys):
    run = Team.run
    main(["--threads", "1,2", "--rows", "0.001", "--repeats", "1"])
    printed = capsys.readouterr().out
    assert all(f"\n{name}: " in printed for name in CASES)
    assert printed.count("one model") == printed.count(OUTSIDE) == len(CASES)
    assert "grow_tree (100)" in printed
    assert Team.run is run
