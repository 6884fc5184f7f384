"""The bundled tables: their shapes, their holes, and the numbers the lectures work out on them."""

import doctest
import hashlib
import importlib
import itertools
import re
import sys
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

from spinney import AdaBoostClassifier, DecisionTreeClassifier, ID3Classifier, export_text
from spinney.datasets import (
    load_flights,
    load_heart,
    load_penguins,
    load_restaurant,
    load_ten_points,
    load_tennis,
    restaurant_tree,
)

LOADERS = [load_restaurant, load_tennis, load_penguins, load_flights, load_ten_points, load_heart]


def entropy(labels):
    """Bits, from the definition: the oracle of this page, not the library's formula."""
    shares = labels.value_counts(normalize=True)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())


def gain(column, labels):
    """Entropy before less the weighted entropy of the branches after."""
    branches = [labels[column == value] for value in column.unique()]
    assert sum(map(len, branches)) == len(labels)
    return entropy(labels) - sum(len(branch) / len(labels) * entropy(branch) for branch in branches)


def gains(X, y):
    return {name: gain(X[name], y) for name in X}


@pytest.mark.parametrize(
    "load, shape, target",
    [
        (load_restaurant, (12, 10), "Wait"),
        (load_tennis, (14, 4), "PlayTennis"),
        (load_ten_points, (10, 2), "label"),
        (load_heart, (8, 3), "HeartDisease"),
        (load_penguins, (344, 7), "species"),
        (load_flights, (20_000, 17), "late"),
    ],
)
def test_table_and_target_belong_together(load, shape, target):
    X, y = load()
    assert X.shape == shape
    assert y.name == target
    assert target not in X
    assert X.index.equals(y.index)
    assert not y.isna().any()


@pytest.mark.parametrize("load", LOADERS)
def test_each_call_returns_a_table_of_its_own(load):
    X, _ = load()
    before = X.copy()
    X.iloc[:, -1] = X.iloc[::-1, -1].to_numpy()
    assert not X.equals(before)
    assert load()[0].equals(before)


# --- restaurant ---


def test_restaurant_root_as_in_the_lecture():
    X, y = load_restaurant()
    found = gains(X, y)
    assert entropy(y) == 1.0
    assert found["Patrons"] == pytest.approx(0.541, abs=5e-4)
    assert found["Type"] == pytest.approx(0, abs=1e-12)
    assert max(found, key=found.get) == "Patrons"
    assert entropy(y[X["Patrons"] == "Full"]) == pytest.approx(0.918, abs=5e-4)


def test_restaurant_nobody_there_is_a_category_and_not_a_missing_value():
    X, y = load_restaurant()
    assert not X.isna().any().any()
    assert X["Patrons"].cat.categories.tolist() == ["None", "Some", "Full"]
    assert (X["Patrons"] == "None").sum() == 2
    assert not y[X["Patrons"] == "None"].any()


def test_restaurant_kinds():
    X, y = load_restaurant()
    categorical = X.columns[X.dtypes == "category"].tolist()
    assert categorical == ["Patrons", "Price", "Type", "WaitEstimate"]
    assert set(X.drop(columns=categorical).dtypes) == {np.dtype(bool)}
    assert y.dtype == bool


def test_restaurant_booleans_column_by_column():
    """The source's columns, read downwards: a second transcription, against slips in the first."""
    X, _ = load_restaurant()
    columns = {
        "Alternate": "TTFTTFFFFTFT",
        "Bar": "FFTFFTTFTTFT",
        "Fri/Sat": "FFFTTFFFTTFT",
        "Hungry": "TTFTFTFTFTFT",
        "Raining": "FFFFFTTTTFFF",
        "Reservation": "TFFFTTFTFTFF",
    }
    for name, letters in columns.items():
        assert X[name].tolist() == [letter == "T" for letter in letters], name


def test_restaurant_prices_and_types():
    X, _ = load_restaurant()
    assert X["Price"].str.len().tolist() == [3, 1, 1, 1, 3, 2, 1, 2, 1, 3, 1, 1]
    assert "".join(kind[0] for kind in X["Type"]) == "FTBTFIBTBITB"


def test_restaurant_minutes_give_the_thresholds_of_the_lecture():
    X, y = load_restaurant(minutes=True)
    assert X.shape == (12, 10)
    assert "WaitEstimate" not in X
    values = np.unique(X["WaitMinutes"])
    assert ((values[1:] + values[:-1]) / 2).tolist() == [4.5, 6.5, 7.5, 10, 16, 30, 55, 75]
    assert y.map({True: "T", False: "F"}).str.cat() == "TFTTFTFTFFFT"


def test_restaurant_minutes_lie_in_the_ranges_they_replace():
    ranges = load_restaurant()[0]["WaitEstimate"]
    minutes = load_restaurant(minutes=True)[0]["WaitMinutes"]
    assert pd.cut(minutes, [0, 10, 30, 60, np.inf], labels=ranges.cat.categories).tolist() == ranges.tolist()


# --- tennis ---


def test_tennis_tree_as_in_the_lecture():
    X, y = load_tennis()
    root = gains(X, y)
    assert max(root, key=root.get) == "Outlook"
    assert root["Outlook"] == pytest.approx(0.247, abs=5e-4)  # Quinlan 1986 prints 0.246
    assert set(y[X["Outlook"] == "Overcast"]) == {"Yes"}
    for value, attribute in [("Sunny", "Humidity"), ("Rainy", "Windy")]:
        here = X["Outlook"] == value
        assert gain(X.loc[here, attribute], y[here]) == pytest.approx(entropy(y[here]))


def test_tennis_rows_are_fourteen_different_days():
    X, y = load_tennis()
    assert not X.duplicated().any()
    assert y.value_counts().to_dict() == {"Yes": 9, "No": 5}
    assert X["Windy"].dtype == bool
    assert X["Windy"].sum() == 6


# --- ten points and eight patients ---


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_ten_points_in_three_rounds(criterion):
    X, y = load_ten_points()
    stump = DecisionTreeClassifier(max_depth=1, criterion=criterion)
    model = AdaBoostClassifier(stump, algorithm="discrete", n_estimators=3).fit(X, y)
    assert model.estimator_errors_.tolist() == pytest.approx([3 / 10, 3 / 14, 3 / 22])
    assert model.estimator_weights_.round(2).tolist() == [0.42, 0.65, 0.92]
    assert [int(member.tree_.feature[0]) for member in model.estimators_] == [0, 0, 1]  # two vertical, one horizontal
    assert model.score(X, y) == 1.0


def test_heart_has_one_patient_whom_the_best_stump_gets_wrong():
    X, y = load_heart()
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert stump.score(X, y) == 7 / 8
    assert pd.crosstab(X["Weight"] > 176, y).to_numpy().tolist() == [[4, 1], [0, 3]]


# --- penguins ---


def test_penguins_kinds_and_holes():
    X, y = load_penguins()
    assert y.value_counts().to_dict() == {"Adelie": 152, "Gentoo": 124, "Chinstrap": 68}
    assert X["island"].cat.categories.tolist() == ["Biscoe", "Dream", "Torgersen"]
    assert X["sex"].cat.categories.tolist() == ["female", "male"]
    holes = {"bill_length_mm": 2, "bill_depth_mm": 2, "flipper_length_mm": 2, "body_mass_g": 2, "sex": 11}
    assert X.isna().sum().loc[lambda count: count > 0].to_dict() == holes


def test_penguins_measurements_are_those_of_the_source():
    X, y = load_penguins()
    means = X.groupby(y)["body_mass_g"].mean().round(1).to_dict()
    assert means == {"Adelie": 3700.7, "Chinstrap": 3733.1, "Gentoo": 5076.0}


# --- flights ---


@pytest.fixture(scope="module")
def flights():
    return load_flights()


def test_flights_kinds(flights):
    X, y = flights
    assert X.columns[X.dtypes == "category"].tolist() == ["day_of_week", "carrier", "origin", "dest"]
    assert all(pd.api.types.is_numeric_dtype(X[name]) for name in X if X[name].dtype != "category")
    assert y.dtype == bool
    assert X["origin"].cat.categories.tolist() == ["EWR", "JFK", "LGA"]
    assert X["carrier"].nunique() == 16
    assert X["dest"].nunique() == 102
    assert X["day_of_week"].cat.categories.tolist() == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def test_flights_know_nothing_of_what_happened_after_the_schedule(flights):
    X, _ = flights
    schedule = {"month", "day_of_week", "hour", "minute", "carrier", "origin", "dest", "distance"}
    weather = {"temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "pressure", "visib"}
    assert set(X) == schedule | weather


def test_flights_holes_are_in_the_weather_alone(flights):
    X, _ = flights
    missing = X.isna().sum()
    assert (missing.loc[:"distance"] == 0).all()
    assert missing.loc["temp":].to_dict() == {
        "temp": 104,
        "dewp": 104,
        "humid": 104,
        "wind_dir": 637,
        "wind_speed": 107,
        "wind_gust": 15_302,
        "precip": 103,
        "pressure": 2_185,
        "visib": 103,
    }


def test_flights_index_is_the_schedule_in_time_order(flights):
    X, _ = flights
    assert X.index.is_monotonic_increasing
    assert set(X.index.year) == {2013}
    assert (X.index.month == X["month"]).all()
    assert (X.index.hour == X["hour"]).all()
    assert (X.index.minute == X["minute"]).all()
    assert (X.index.day_name().str[:3] == X["day_of_week"].astype(str)).all()
    assert len(set(X.index.date)) == 365


def test_flights_weather_is_of_the_right_hour(flights):
    """All flights of one airport and hour see one weather."""
    X, _ = flights
    hours = X.groupby(["origin", X.index.floor("h")], observed=True)
    assert (hours[["temp", "pressure", "wind_speed"]].nunique() <= 1).all().all()


def test_flights_sample_keeps_the_share_of_late_flights(flights):
    # 72,914 of the year's 328,521 departures; four standard errors of a sample of 20,000 are 0.0114
    assert flights[1].mean() == pytest.approx(72_914 / 328_521, abs=0.0114)


def test_flights_get_later_through_the_day(flights):
    X, y = flights
    assert y[X["hour"] >= 17].mean() > 2 * y[X["hour"] < 9].mean()


# --- the files ---


def test_every_data_file_has_a_source_a_licence_and_its_checksum():
    folder = files("spinney.datasets") / "data"
    sources = (folder / "SOURCES.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([\w.]+)` \|.*\| CC0-1\.0 \| `([0-9a-f]{64})` \|$", sources, flags=re.MULTILINE))
    present = {entry.name for entry in folder.iterdir()} - {"SOURCES.md"}
    assert set(listed) == present
    for name, checksum in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == checksum, name


@pytest.mark.parametrize("load", [one for one in LOADERS if one is not load_ten_points])
def test_docstrings_name_the_source(load):
    assert "Source: " in load.__doc__


@pytest.mark.parametrize("load", [load_penguins, load_flights])
def test_docstrings_of_bundled_data_name_the_licence(load):
    assert "Licence of the data: CC0" in load.__doc__


def wait(visit):
    """The book's figure, as a sentence."""
    if visit["Patrons"] != "Full":
        return visit["Patrons"] == "Some"
    if visit["WaitEstimate"] == "30-60":
        return visit["Fri/Sat"] if visit["Alternate"] else visit["Reservation"] or visit["Bar"]
    if visit["WaitEstimate"] == "10-30":
        return not visit["Hungry"] or not visit["Alternate"] or visit["Raining"]
    return visit["WaitEstimate"] == "0-10"


def test_the_restaurants_true_tree():
    X, y = load_restaurant()
    values = [sorted(X[name].unique().tolist()) for name in X]
    visits = pd.DataFrame(list(itertools.product(*values)), columns=X.columns)
    truth = restaurant_tree()
    said = truth.predict(visits)
    assert said.tolist() == [bool(wait(visit)) for visit in visits.to_dict("records")]
    assert truth.tree_.n_samples[0] == len(visits) == 9216
    np.testing.assert_array_equal(truth.tree_.answers[0, 0], [(~said).sum(), said.sum()])
    leaves, counts = np.unique(truth.apply(visits), return_counts=True)
    np.testing.assert_array_equal(truth.tree_.n_samples[leaves], counts)
    assert np.flatnonzero(truth.predict(X) != y).tolist() == [3]
    X.loc[3, "Raining"] = True
    assert (truth.predict(X) == y).all()


def test_the_learnt_tree_is_smaller_than_the_true_one():
    X, y = load_restaurant()
    truth, learnt = restaurant_tree(), ID3Classifier().fit(X, y)
    assert learnt.get_depth() < truth.get_depth()
    assert X.columns[truth.tree_.feature[0]] == X.columns[learnt.tree_.feature[0]] == "Patrons"
    assert len(set(truth.tree_.feature)) > len(set(learnt.tree_.feature))
    assert "Alternate = " in export_text(truth)
    assert truth.fingerprint_ == restaurant_tree().fingerprint_


@pytest.mark.parametrize("name", ["lectures", "bundled"])
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(f"spinney.datasets.{name}"))
    assert result.attempted > 0
    assert result.failed == 0


def test_without_pandas_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'spinney-trees\[datasets\]'"):
        load_tennis()
