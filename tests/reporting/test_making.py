"""The report: what is on the page, whatever the model and the names are; and that it works in a browser."""

import json
import re
import warnings
from datetime import date
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import spinney
from spinney.data.schema import learn_and_read
from spinney.datasets import load_penguins
from spinney.reporting.charts import tick_texts, ticks
from spinney.reporting.sample import text_of
from spinney.view.numbers import short
from tests.browser import Browser, find_browser

DAY = date(2026, 11, 18)
NASTY = "<script>alert('x')</script>&\"'"


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page, re.S)[1])


def numbers():
    X, _ = load_penguins()
    rows = X.dropna()
    return rows.drop(columns="body_mass_g"), rows["body_mass_g"].to_numpy()


@pytest.fixture(scope="module")
def penguins():
    X, y = load_penguins()
    return X.rename(columns={"bill_length_mm": NASTY}), y


@pytest.fixture(scope="module")
def two(penguins):
    X, y = penguins
    y = np.where(y == "Adelie", "Adelie", "not </script>")
    model = spinney.GradientBoostingClassifier(n_estimators=15, random_state=0).fit(X, y)
    return spinney.report(model, X, y, cv=3, title="Two & more", made_on=DAY), model, X, y


@pytest.fixture(scope="module")
def three(penguins):
    X, y = penguins
    model = spinney.RandomForestClassifier(8, random_state=0).fit(X, y)
    return spinney.report(model, X, y, cv=3), model, X, y


def test_names_from_the_data_are_escaped(two):
    page = two[0].html
    assert NASTY not in page
    assert "&lt;script&gt;alert" in page
    assert page.count("</script>") == 2  # the data's and the page's own
    assert "<title>Two &amp; more</title>" in page


def test_nothing_comes_from_elsewhere(two, three):
    for one in (two, three):
        assert not re.search(r"""(?:src|href)=["'][^#]|@import|url\(""", one[0].html)
        assert "default-src 'none'" in one[0].html


def test_the_matrix_of_every_threshold_counts_all_rows(two):
    page, _, _, y = two
    counts = data_of(page.html)["counts"]
    assert counts["of"] == "not </script>"
    for at, (tn, fp, fn, tp) in enumerate(counts["tables"]):
        assert tn + fp == (y == "Adelie").sum()
        assert fn + tp == (y != "Adelie").sum()
        assert at == 0 or tp + fp <= sum(counts["tables"][at - 1][1::2])
    assert counts["tables"][0][0] == 0


def test_rows_have_intervals_or_sets_if_the_model_knows_its_errors():
    X, mass = numbers()
    X = X.reset_index(drop=True)
    forest = spinney.RandomForestRegressor(20, oob_score=True, random_state=0).fit(X, mass)
    row = data_of(spinney.report(forest, X, mass, cv=0).html)["rows"]["rows"][0]
    low, high = forest.predict_interval(X)[int(row["name"]) - 1]
    assert row["likely"] == f" (90 %: {text_of(low)} to {text_of(high)})"
    tree = spinney.DecisionTreeRegressor(max_depth=2).fit(X, mass)
    assert data_of(spinney.report(tree, X, mass, cv=0).html)["rows"]["rows"][0]["likely"] == ""
    y = np.where(mass > 4000, "heavy", "light")
    classes = spinney.DecisionTreeClassifier(max_depth=2).fit(X, y).calibrate(X, y)
    row = data_of(spinney.report(classes, X, y, cv=0).html)["rows"]["rows"][0]
    found = classes.classes_[classes.predict_set(X)[int(row["name"]) - 1]]
    assert row["likely"] == f" (90 %: {', '.join(found) or 'no class'})"


def test_contributions_add_up_to_the_prediction_of_the_row(two, three):
    for page, model, X, y in (two, three):
        rows = data_of(page.html)["rows"]
        assert len(rows["rows"]) == 60
        places = [int(row["name"]) - 1 for row in rows["rows"]]
        part = X.iloc[places]
        chances = model.predict_proba(part)
        said = model.predict(part)
        for i, row in enumerate(rows["rows"]):
            assert (row["truth"], row["said"]) == (np.asarray(y)[places[i]], said[i])
            totals = [base + sum(value for _, value in own) for base, own in zip(rows["base"], row["parts"])]
            if len(totals) == 1:  # a raw score
                assert 1 / (1 + np.exp(-totals[0])) == pytest.approx(chances[i, 1], rel=1e-4)
                assert [float(one) for one in row["chances"]] == pytest.approx([chances[i, 1]], rel=5e-3)
            else:
                assert totals == pytest.approx(chances[i].tolist(), abs=1e-4)
                assert [float(one) for one in row["chances"]] == pytest.approx(chances[i].tolist(), rel=5e-3)
        assert sum(abs(value) for row in rows["rows"] for own in row["parts"] for _, value in own) > 1


def test_the_ways_of_rows_lead_from_leaf_to_root(two, three):
    for page, _model, _, _ in (two, three):
        rows = data_of(page.html)["rows"]
        assert len(rows["ways"]) == 60
        for way in rows["ways"]:
            for k in range(3):
                assert way.count(f"t{k}n0") == 1
        assert all(f'id="t{k}n0"' in page.html for k in range(3))


def test_numbers(tmp_path):
    X, y = numbers()
    model = spinney.DecisionTreeRegressor(min_samples_leaf=20).fit(X, y)
    page = spinney.report(model, X, y, cv=3, sample_weight=np.ones(len(y)), groups=np.arange(len(y)) % 9)
    assert "DecisionTreeRegressor" in repr(page)
    assert "Residuals" in page.html
    assert "RMSE" in page.html
    assert "Confusion" not in page.html
    assert page.save(tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    assert "srcdoc=" in page._repr_html_()


def test_the_same_page_again(two):
    page, model, X, y = two
    assert spinney.report(model, X, y, cv=3, title="Two & more", made_on=DAY).html == page.html


def test_models_without_trees_and_models_as_they_are(penguins):
    X, y = load_penguins()
    X = X.select_dtypes("number").fillna(0)
    line = LogisticRegression(C=1e-9).fit(X, y)
    page = spinney.report(line, X, y, cv=2).html
    assert "There are no SHAP values" in page
    assert 'id="trees"' not in page
    tree = spinney.DecisionTreeClassifier(max_depth=2).fit(X, y)
    page = spinney.report(tree, X, y, cv=0).html
    assert "If the model was fitted on them, scores are optimistic" in page


def test_many_rows_are_sampled(monkeypatch):
    from spinney.reporting import quality

    monkeypatch.setattr(quality, "_WORK", {True: 0, False: 0})
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 3))
    tree = spinney.DecisionTreeRegressor(max_depth=2).fit(X, X[:, 0])
    page = spinney.report(tree, X, X[:, 0], cv=2).html
    assert "2,000 rows, sampled from 2,500, were cross-validated" in page


def text_of_page(page):
    """The words of a page, without tags, style, script and data."""
    body = re.sub(r"<(style|script)[^>]*>.*?</\1>", " ", page, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def test_the_page_names_target_file_date_and_rows(two):
    _, model, X, y = two
    y = pd.Series(y, name="kind of bird")
    page = spinney.report(model, X, y, cv=0, source="penguins.csv", made_on=DAY)
    assert page.title == "kind of bird, by 7 columns of penguins.csv"
    words = text_of_page(page.html)
    for one in ("target kind of bird", "data penguins.csv", "rows 344", "created 18 November 2026"):
        assert one in words
    assert f"<title>{page.title}</title>" in page.html
    assert spinney.report(model, X, y.to_numpy(), cv=0).title == "GradientBoostingClassifier"
    assert spinney.report(model, X, y, cv=0, target="bird").title == "bird, by 7 columns"


def test_rows_are_called_by_the_index_or_by_their_numbers(two):
    _, model, X, y = two
    names = [row["name"] for row in data_of(two[0].html)["rows"]["rows"]]
    assert names != sorted(names, key=int)[:1] * 60
    assert all(1 <= int(one) <= len(X) for one in names)
    labelled = X.set_axis([f"bird {k}" for k in range(len(X))])
    found = [row["name"] for row in data_of(spinney.report(model, labelled, y, cv=0).html)["rows"]["rows"]]
    assert found == [f"bird {int(one) - 1}" for one in names]
    twice = X.set_axis(["same"] * len(X))  # tells nothing
    assert [row["name"] for row in data_of(spinney.report(model, twice, y, cv=0).html)["rows"]["rows"]] == names
    given = spinney.report(model, X, y, cv=0, row_names=np.arange(len(X)) + 2)
    assert [row["name"] for row in data_of(given.html)["rows"]["rows"]] == [str(int(one) + 1) for one in names]


def test_dependence_on_categories_is_points_of_the_commonest(two):
    rng = np.random.RandomState(0)
    place = np.array([f"town {k:03}" for k in (rng.zipf(1.3, 900) % 100)])
    X = pd.DataFrame({"place": pd.Categorical(place), "size": rng.rand(900)})
    y = X["size"] + (X["place"].cat.codes % 3)
    model = spinney.RandomForestRegressor(5, random_state=0).fit(X, y)
    page = spinney.report(model, X, y, cv=0, target="price").html
    figure = next(
        one for one in page.split("<figure>") if "<figcaption>place</figcaption>" in one and "mean prediction" in one
    )
    n = X["place"].nunique()
    assert figure.count("<circle") == 12
    assert 'class="line' not in figure
    assert f"{n - 11} others" in figure
    assert f"The 11 most common of {n} categories" in figure
    common = X["place"].value_counts(sort=True).index[:5]
    assert all(one in figure for one in common)
    assert "mean prediction of price" in figure
    heights = [float(one) for one in re.findall(r'class="strip" x="[\d.]+" y="([\d.]+)"', figure)]
    assert np.diff(heights).min() > 12  # labels of 12 pixels do not touch


def test_classes_of_trees_and_roots_without_a_value(penguins):
    X, y = penguins
    model = spinney.GradientBoostingClassifier(n_estimators=2, random_state=0).fit(X, y)
    page = spinney.report(model, X, y, cv=0).html
    assert [f"Tree {k} of 6: round 1, {name}" in page for k, name in enumerate(model.classes_, 1)] == [True] * 3
    assert not re.search(r'class="says">[^<]*e-\d', page)


def test_learning_curves_say_how_many_rows_and_why(monkeypatch, two):
    words = text_of_page(two[0].html)
    assert "Learning curve: log loss" in words
    assert "Learning curve: accuracy" in words
    assert "These curves use all 344 rows, 33 % of them held out." in words
    from spinney.reporting import quality

    monkeypatch.setattr(quality, "_CURVE_FITS", 1)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    tree = spinney.DecisionTreeRegressor(max_depth=2).fit(X, X[:, 0])
    words = text_of_page(spinney.report(tree, X, X[:, 0], cv=2).html)
    assert "These curves use 4,000 of the 6,000 rows, 50 % of them held out: they need 10 more fits" in words


def test_a_judgement_that_is_there_already_is_shown_as_it_is(monkeypatch, penguins):
    X, y = load_penguins()
    model = spinney.GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, y)
    truth, shares = np.array(["Adelie", "Gentoo", "Gentoo", "Chinstrap"]), np.eye(3)[[0, 2, 2, 2]] * 0.9 + 0.1 / 3
    given = SimpleNamespace(
        how="4 rows held out", scores={"accuracy": 0.7512}, spread={}, baseline={"accuracy": 0.5},
        truth=truth, predictions=shares, weights=None,
    )  # fmt: skip
    fits = []
    monkeypatch.setattr(type(model), "fit", lambda *rest, **more: fits.append(rest))
    page = spinney.report(model, X, y, judged=given).html
    assert not fits
    words = text_of_page(page)
    assert "Based on 4 rows held out: every score is of rows that the model had not seen" in words
    assert "0.7512" in words
    assert data_of(page)["counts"]["tables"][0] == [1, 0, 0, 0, 0, 1, 0, 0, 2]
    given.predictions = shares[:3]
    with pytest.raises(ValueError, match="judged has 4 rows in truth and 3 in predictions"):
        spinney.report(model, X, y, judged=given)
    given.truth = truth[:3]
    given.predictions = shares[:3, :2]
    with pytest.raises(ValueError, match="must have 3 columns, one per class, got 2"):
        spinney.report(model, X, y, judged=given)


def test_scores_of_large_targets_have_no_exponents():
    X = np.arange(80.0)[:, None]
    model = spinney.DecisionTreeRegressor(max_depth=2).fit(X, 1e7 * X[:, 0])
    words = text_of_page(spinney.report(model, X, 1e7 * X[:, 0], cv=2).html)
    assert re.search(r"RMSE [0-9,]{9,} ± [0-9,]{7,} better than the baseline, [0-9,]{11}", words), words[:2000]


def test_warnings_of_the_fits_are_on_the_page_and_nowhere_else(recwarn):
    X, y = load_penguins()
    rows = np.r_[0:40, 300:304]  # one class has four rows, and the stack's own folds are five
    X, y = X[["bill_depth_mm", "year"]].fillna(17).iloc[rows], np.where(np.arange(44) < 40, "many", "few")
    members = [("tree", spinney.DecisionTreeClassifier(max_depth=2))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = spinney.StackingClassifier(members).fit(X, y)
    words = text_of_page(spinney.report(model, X, y, cv=2).html)
    assert "Warning of a fit for this page: The least populated class in y has only" in words
    assert not [one for one in recwarn if "least populated" in str(one.message)]


def test_histograms_of_whole_numbers_have_no_gaps():
    from spinney.reporting.charts import whole_bins
    from spinney.reporting.sample import describe_columns

    for n in (12, 24, 31, 60):
        values = np.tile(np.arange(1.0, n + 1), 3)
        edges = whole_bins(values, 40)
        counts = np.histogram(values, edges)[0]
        assert (counts[:-1] == counts[0]).all()
        assert counts[-1] > 0
    assert whole_bins(np.array([0.5, 1.0]), 40) is None
    schema, table = learn_and_read(pd.DataFrame({"month": np.arange(120) % 12 + 1}))
    assert describe_columns(schema, table)[0]["spark"].count("<rect") == 12


BAD = [
    (lambda m, X, y: (spinney.KMeans(2).fit(np.eye(4)), X, y), {}, TypeError, "needs a fitted classifier or regressor"),
    (lambda m, X, y: (m, X, None), {}, ValueError, "needs the targets y"),
    (lambda m, X, y: (m, X, y[:-1]), {}, ValueError, "must have the same number of rows"),
    (lambda m, X, y: (m, X, np.c_[y, y]), {}, ValueError, "supports one target"),
    (lambda m, X, y: (m, X, ["what"] * len(y)), {}, ValueError, "classes that the model was not fitted on"),
    (lambda m, X, y: (m, X, y), {"cv": 1}, ValueError, "cv must be 0 or a number of folds"),
    (lambda m, X, y: (m, X[:6], y[:6]), {}, ValueError, "cv=5 is not possible: 6 rows are too few to hold"),
    (lambda m, X, y: (m, X, y), {"groups": [1]}, ValueError, "groups must have one value per row"),
    (lambda m, X, y: (m, X, y), {"times": [1]}, ValueError, "times must have one value per row"),
    (lambda m, X, y: (m, X, y), {"row_names": [1]}, ValueError, "row_names must have one entry per row"),
]


@pytest.mark.parametrize(("change", "options", "kind", "words"), BAD, ids=[one[-1] for one in BAD])
def test_bad_input(change, options, kind, words, three):
    _, model, X, y = three
    with pytest.raises(kind, match=words):
        spinney.report(*change(model, X, np.asarray(y)), **options)


def test_later_rows_are_predicted_by_models_of_earlier_ones(three):
    _, model, X, y = three
    when = np.random.RandomState(0).permutation(len(y))
    page = spinney.report(model, X, y, cv=3, times=when)
    assert "each predicted by a model of earlier rows" in page.html
    with pytest.raises(ValueError, match="groups and times cannot be used together"):
        spinney.report(model, X, y, times=when, groups=when)


def test_groups_by_the_name_of_a_column():
    X = pd.DataFrame({"x": np.arange(60.0), "day": np.arange(60) // 6})
    model = spinney.DecisionTreeRegressor(max_depth=2).fit(X, X["x"])
    by_name, by_values = (spinney.report(model, X, X["x"], cv=2, groups=one).html for one in ("day", X["day"]))
    assert by_name == by_values
    with pytest.raises(ValueError, match="groups='hour' is not a column of X"):
        spinney.report(model, X, X["x"], groups="hour")


def test_numbers_in_few_digits():
    assert [short(value) for value in (2007, 123456.7, 0.000123456, np.nan)] == ["2007", "123,457", "0.0001235", "-"]
    assert ticks(0.0, 1.0) == [0.0, 0.2, 0.4, pytest.approx(0.6), 0.8, 1.0]
    assert ticks(3.0, 3.0) == [3.0]
    assert tick_texts(ticks(-0.3, 4.0)) == ["0", "1", "2", "3", "4"]  # not -0


@pytest.mark.skipif(find_browser() is None, reason="there is no Chromium on this machine")
def test_in_a_browser(two, three, tmp_path):
    browser = Browser(400, 900)
    try:
        for name, (page, *_) in {"two": two, "three": three}.items():
            browser.open(page.save(tmp_path / f"{name}.html").as_uri())
            browser.resize(400, 900)
            browser.wait("document.getElementById('answer') && document.getElementById('answer').innerText")
            assert browser.run("document.documentElement.scrollWidth") <= 400  # no sideways scroll
            before = browser.run("document.getElementById('matrix').innerText")
            browser.run("document.getElementById('slider').value = 90")
            browser.run("document.getElementById('slider').dispatchEvent(new Event('input'))")
            assert browser.run("document.getElementById('at').textContent") == "0.90"
            assert browser.run("document.getElementById('matrix').innerText") != before
            first = browser.run("document.getElementById('parts').innerText")
            marked = browser.run("document.querySelectorAll('.way').length")
            assert marked >= 3
            browser.run("for (let i = 0; i < 40; i++) document.getElementById('after').click()")
            assert browser.run("document.getElementById('which').value") == "41"
            assert browser.run("document.getElementById('parts').innerText") != first
            browser.run("document.getElementById('unfold').click()")
            assert browser.run("[...document.querySelectorAll('#trees details')].every((one) => one.open)")
            browser.run("document.getElementById('theme').click()")
            assert browser.errors == []
    finally:
        browser.close()


def test_a_fitted_model_in_a_notebook():
    X = pd.DataFrame({"<b>": [0.0, 1.0, 2.0, 3.0], "z": [1.0, 0.0, 1.0, 0.0]})
    tree = spinney.DecisionTreeClassifier()
    assert "fingerprint" not in tree._repr_html_()
    shown = tree.fit(X, [0, 0, 1, 1])._repr_html_()
    assert tree.fingerprint_ in shown
    assert "<td>&lt;b&gt;</td>" in shown
    assert "importances" in shown


WIDE = [
    spinney.DecisionTreeClassifier(max_depth=2),
    spinney.RandomForestClassifier(3, random_state=0),
    spinney.GradientBoostingClassifier(n_estimators=2, random_state=0),
    spinney.IsolationForest(n_estimators=3, random_state=0),
    spinney.KMeans(2, random_state=0),
]


@pytest.mark.parametrize("model", WIDE, ids=[type(one).__name__ for one in WIDE])
def test_a_notebook_shows_no_more_of_many_columns(model):
    """What is written does not grow with the table: nothing is made for each column."""
    rng = np.random.RandomState(0)
    X, y = rng.rand(30, 1500), np.arange(30) % 2
    few, many = (clone(model).fit(X[:, :n], y) for n in (150, 1500))
    assert len(many._repr_html_()) < 1.02 * len(few._repr_html_()) + 500
    written = {name: len(repr(value)) for name, value in vars(many).items() if name.endswith("_")}
    assert max(written.values(), default=0) < 10_000, written


def test_large_forests_are_asked_by_their_first_trees(monkeypatch, three):
    _, model, X, y = three
    monkeypatch.setattr("spinney.reporting.explanations._MOST_NODES", 1)
    monkeypatch.setattr("spinney.reporting.explanations._LEAST_TREES", 2)
    monkeypatch.setattr("spinney.reporting.quality._CURVE_TREES", 8 * 3)
    page = spinney.report(model, X, y, cv=2).html
    assert "use the first 2 of 8 trees" in page
    assert "Learning curve" in page
    rows = data_of(page)["rows"]
    smaller = np.mean([tree.predict_proba(X) for tree in model.estimators_[:2]], axis=0)
    assert np.allclose(rows["base"][0] + sum(part for _, part in rows["rows"][0]["parts"][0]), smaller[0, 0], atol=1e-4)
    monkeypatch.setattr("spinney.reporting.quality._CURVE_TREES", 8)
    assert "There is no learning curve" in spinney.report(model, X, y, cv=2).html


def test_many_classes_with_long_names():
    rng = np.random.RandomState(0)
    X, y = rng.randn(60, 2), np.array([f"class with a very long name, number {k % 10}" for k in range(60)])
    page = spinney.report(spinney.DecisionTreeClassifier(max_depth=3).fit(X, y), X, y, cv=2).html
    assert "The first 8 of 10 classes are drawn." in page
    assert 'title="class with a very long name, number 3">class with a very…</th>' in page


def test_too_few_rows_or_groups_or_no_numbers(three):
    _, model, X, y = three
    with pytest.raises(ValueError, match="Use cv=0 to score the model itself"):
        spinney.report(model, X[:2], y[:2])
    with pytest.raises(ValueError, match="2 groups cannot be divided into 5 folds"):
        spinney.report(model, X, y, groups=np.arange(len(y)) % 2)
    rows, grams = numbers()
    with pytest.raises(ValueError, match="y must hold numbers for DecisionTreeRegressor, got 'a'"):
        spinney.report(spinney.DecisionTreeRegressor(max_depth=1).fit(rows, grams), rows, ["a"] * len(rows))
    assert "the 2 rows given" in spinney.report(model, X[:2], y[:2], cv=0).html


def test_models_of_models_and_missing_values_that_go_several_ways(penguins):
    X, y = load_penguins()
    members = [("a", spinney.DecisionTreeClassifier(max_depth=2)), ("b", spinney.RandomForestClassifier(2))]
    page = spinney.report(spinney.VotingClassifier(members).fit(X, y), X, y, cv=2).html
    assert "There are no SHAP values: VotingClassifier combines" in page
    page = spinney.report(spinney.C50Classifier(trials=2).fit(X, y), X, y, cv=2).html
    assert "There are no SHAP values: X has missing values" in page
