"""benchmarks/results.toml: every entry can be printed, ratios are to the best of the others, and runs are recorded."""

import datetime
from decimal import Decimal

import pytest

from benchmarks import results
from benchmarks.versus import boosting
from benchmarks.versus.boosting_cases import CASES
from benchmarks.versus.measure import Result
from benchmarks.versus.report import figures

ENTRIES = {name: entry for name, (entry, *_) in results.load().items() if "." in name}
FILE = """# Figures

[boosting]
command = "python -m benchmarks.versus.boosting --case all"
date = 2026-11-15
machine = "a"

[boosting.predict]
what = "predict"
spinney = 37
unit = "ms"
ratio = 1.2
others = {hessboost = 56}
remark = "old"

# Trees
[trees]
date = 2026-11-15
rows = [
  {what = "one", spinney = 1.0},
]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "results.toml"
    path.write_text(FILE)
    return path


def interval(value):
    """What a printed figure may have been before it was rounded."""
    half = Decimal(1).scaleb(Decimal(value).as_tuple().exponent) / 2
    return Decimal(value) - half, Decimal(value) + half


@pytest.mark.parametrize("name", ENTRIES)
def test_entries(name):
    entry = ENTRIES[name]
    assert entry["what"]
    assert {"command", "date", "machine"} & set(entry)
    others = [value for value in entry.get("others", {}).values() if not isinstance(value, str)]
    if "ratio" in entry:  # of unrounded figures, to the smallest
        (low, high), (least, most) = interval(entry["spinney"]), interval(min(others))
        smallest, largest = interval(entry["ratio"])
        assert low / most <= largest
        assert smallest <= high / least


def test_ratios_are_to_the_best():
    assert results.ratio({"spinney": 37, "others": {"a": 31, "b": 56, "c": "fast"}}) == Decimal(37) / 31
    assert results.ratio({"spinney": 37, "others": {"a": 31}, "ratio": Decimal("1.2")}) == Decimal("1.2")
    assert results.ratio({"spinney": "9 to 13", "others": {"a": 31}}) is None
    assert results.ratio({"spinney": 37}) is None


def test_reading(file):
    found = results.load(file)
    assert found["boosting.predict"] == found["boosting"]
    assert found["boosting.predict"][0]["command"].endswith("all")
    assert found["trees"] == [{"date": datetime.date(2026, 11, 15), "what": "one", "spinney": Decimal("1.0")}]


def test_recording(file):
    run = {"machine": "b", "command": "python -m benchmarks.versus.boosting --case all"}
    seconds = {"catboost": 0.03149, "spinney": 0.012345, "hessboost": 1.23456}
    assert results.record("boosting", "predict", "other words", "s", seconds, run, file) == ["remark"]
    assert results.record("boosting", "new", "new case", "s", {"spinney": 2.0}, run, file) == []
    found = results.load(file)
    (entry,) = found["boosting.predict"]
    assert (entry["what"], entry["unit"]) == ("predict", "ms")
    assert entry["spinney"] == Decimal("12.3")
    assert entry["others"] == {"CatBoost (symmetric trees)": Decimal("31.5"), "hessboost": 1230}
    assert entry["machine"] == "b"
    assert entry["date"] == datetime.date.today()
    assert "ratio" not in entry
    assert found["boosting.new"][0]["what"] == "new case"
    text = file.read_text()
    assert text.startswith("# Figures\n\n[boosting]\n")
    assert text.endswith(FILE[FILE.index("# Trees") :])


def test_the_best_of_every_library_is_recorded():
    found = [
        Result("spinney", 3.0),
        Result("lightgbm", 2.0),
        Result("lightgbm_quantised", 1.0),
        Result("xgboost", None),
    ]
    assert figures(CASES["leaves31"], found) == {"spinney": 3.0, "lightgbm_quantised": 1.0}


def test_parts_of_a_case_are_not_recorded():
    with pytest.raises(SystemExit, match="whole cases"):
        boosting.main(["--record", "--rows", "100"])
