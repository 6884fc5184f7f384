"""The benchmark of automatic models runs, on a tiny table: what it measures is for a quiet machine."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.versus.auto import main


@pytest.mark.slow
def test_a_run_is_printed(tmp_path, monkeypatch, capsys):
    random = np.random.RandomState(0)
    x, word = random.randn(120), random.choice(["a", "b"], 120)
    table = pa.table({"x": x, "word": word, "target": x + (word == "a")})
    pq.write_table(table.replace_schema_metadata({"task": "regression"}), tmp_path / "line.parquet")
    monkeypatch.setenv("SPINNEY_DATA", str(tmp_path))
    cache = tmp_path / "found.json"
    main(["--rows", "60", "--seeds", "1", "--cache", str(cache), "--variant", 'small:families=["tree"],cv=2'])
    printed = capsys.readouterr().out
    assert [name in printed.splitlines()[0] for name in ("auto", "small", "boosting", "extra-trees")] == [True] * 4
    assert "line" in printed.splitlines()[1]
    assert "% beside " in printed.splitlines()[-1]
    assert "boosting" in cache.read_text()
