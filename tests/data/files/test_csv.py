"""CSV files in batches: types that all files agree on, rows, headers, and words for files that are not such."""

import csv

import numpy as np
import pandas as pd
import polars as pl
import pytest

from spinney import GradientBoostingRegressor, open_table
from spinney.data.files import csv as text_batches


@pytest.fixture(params=["polars", "pyarrow"])
def hidden(request, monkeypatch):
    """Each library alone."""
    monkeypatch.setattr(text_batches, "find_spec", lambda name: None if name == request.param else True)
    return request.param


def collected(source, **more):
    frame = open_table(source, **more).collect()
    return frame if isinstance(frame, pl.DataFrame) else pl.from_arrow(frame)


@pytest.mark.parametrize("turned", [False, True])
def test_a_column_without_values_in_one_file_is_what_it_is_in_others(tmp_path, hidden, turned):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=200), rng.integers(0, 5, 200).astype(float)
    parts = [
        pd.DataFrame({"a": a[:100], "b": np.nan, "y": a[:100]}),
        pd.DataFrame({"a": a[100:], "b": b[100:], "y": b[100:]}),
    ]
    parts = parts[::-1] if turned else parts
    for k, part in enumerate(parts):
        part.to_csv(tmp_path / f"{k}.csv", index=False)
    whole = pd.concat(parts)
    model = GradientBoostingRegressor(n_estimators=3, random_state=0)
    wanted = model.fit(whole[["a", "b"]], whole["y"]).fingerprint_
    assert model.fit(open_table(tmp_path / "*.csv", target="y")).fingerprint_ == wanted


def test_quoted_cells_without_anything_are_missing(tmp_path, monkeypatch, hidden):
    frame = pd.DataFrame({"x": np.where(np.arange(60) % 10 == 0, np.nan, np.arange(60.0)), "w": ["u", None, "v"] * 20})
    frame.to_csv(tmp_path / "a.csv", index=False, quoting=csv.QUOTE_ALL)
    for n_bytes in (16, 2**20):
        monkeypatch.setattr(text_batches, "_BYTES", n_bytes)
        found = collected(tmp_path / "a.csv")
        assert found["x"].to_list() == [None if k % 10 == 0 else float(k) for k in range(60)]
        assert found["w"].to_list() == ["u", None, "v"] * 20


def test_rows_of_separators_alone_are_rows(tmp_path, hidden):
    (tmp_path / "a.tsv").write_text("a\tb\n1\t2\n")
    (tmp_path / "b.tsv").write_text("a\tb\n\t\n\t\n")
    assert open_table([tmp_path / "a.tsv", tmp_path / "b.tsv"]).shape == (3, 2)


def test_whole_numbers_in_one_file_and_others_in_the_next(tmp_path, hidden):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "b.csv").write_text("a,b\n1.5,18446744073709551614\n")
    found = collected(tmp_path / "*.csv")
    assert found["a"].to_list() == [1.0, 1.5]
    assert found["b"].to_list() == [2.0, 2.0**64]


def test_headers_of_several_lines_and_after_blank_ones(tmp_path, hidden):
    (tmp_path / "a.csv").write_text('\n\n"a";"l\nm"\n1;2\n\n3;4\n')
    found = collected(tmp_path / "a.csv", separator=";")
    assert found.to_dict(as_series=False) == {"a": [1, 3], "l\nm": [2, 4]}
    (tmp_path / "a.csv").write_text("\na,b\n1,2\n3,4,5\n")
    with pytest.raises(ValueError, match=r"a.csv, line 4: 3 cells, but the header has 2"):
        open_table(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("text", "more", "words"),
    [
        ("a,b\n1,2\n".encode("utf-16"), {}, "a.csv is UTF-16 text: save it as UTF-8"),
        (b"a,b\n1,2\n", {"separator": "::"}, "separator must be one character, got '::'"),
        (b"a,b\n1,2\n", {"dtypes": {"z": "number"}}, "a.csv has no column 'z', which dtypes names; its columns are"),
        (
            b"a,b\n1,u\n",
            {"sample_weight": "b"},
            "a.csv, lines 2 to 2: sample_weight, column 'b', holds strings, such as 'u'",
        ),
        (b"a,b\n1,2\n", {"sample_weight": "b", "target": "b"}, "target and sample_weight are the same column, 'b'"),
    ],
)
def test_what_is_refused(tmp_path, text, more, words):
    (tmp_path / "a.csv").write_bytes(text)
    with pytest.raises((ValueError, TypeError), match=words):
        _ = open_table(tmp_path / "a.csv", **more).sample_weight


def test_one_name_is_a_list_of_one(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,ab\n1,2,N\n3,NA,A\n")
    assert open_table(tmp_path / "a.csv", drop="ab").columns == ["a", "b"]
    found = collected(tmp_path / "a.csv", null_values="NA")
    assert found["ab"].to_list() == ["N", "A"]
    assert found["b"].to_list() == [2, None]
