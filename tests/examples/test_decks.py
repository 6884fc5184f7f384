"""One script per deck: it prints the slides' numbers beside the library's, and these are the same."""

import importlib.util
from pathlib import Path

import pytest

import spinney

FOLDER = Path(spinney.__file__).parents[1] / "examples"
# where a slide has no number, or says what happens in words, or its model is random
NOT_EQUAL = {
    "deck_000": {"Gain of the column, at its best threshold", "Leaves of the fitted tree, and of the true one"},
    "deck_001": {
        "Splits of the tree, from the root",
        "Leaves of a greedy and an optimal tree: XOR and a decoy",
        "Problem 1: error of 160 + 40, before and after a split",
        "The same by Gini",
        "Moons, depth unlimited: training, validation",
        "Leave-one-out: fits of 60 rows",
        *(f"Cut {k}" for k in range(1, 5)),
    },
    "deck_002": {
        "Rows of a bootstrap, of 1000, mean of 50",
        "alpha of an error of 0.8: the vote is flipped",
        "Bagging: bias, variance",
        "Accuracy of 100 disjoint parts, and of bagging",
        "Random structures: 1 tree, 100 trees",
    },
    "deck_003": {
        "Moons: forest",
        "Moons: support vectors",
        "Their majority vote",
        "Bagging: out-of-bag, test",
        "Importances of iris",
    },
    "deck_004": {
        "Total error",
        "Amount of say of errors 0, 1/2, 1",
        "k-means: SSE, first and last iteration",
        "Responsibilities at x = 0, rounded on the slide",
    },
}


def run(name):
    spec = importlib.util.spec_from_file_location(f"examples_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main()


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.slow]) for one in NOT_EQUAL])
def test_a_deck(name, capsys):
    lines = run(name)
    assert len(lines) > 8
    printed = capsys.readouterr().out
    for what, slide, ours in lines:
        assert what in printed
        assert ours in printed
        if slide != "-" and what not in NOT_EQUAL[name] and what.split(" at node")[0] not in NOT_EQUAL[name]:
            assert ours == slide, what
    found = {what: ours for what, _, ours in lines}
    if name == "deck_000":
        assert found["Gain of Patrons"] == "0.541"
        assert found["Leaves of the fitted tree, and of the true one"] == "8 and 13"
    if name == "deck_001":
        assert found["Splits of the tree, from the root"].split()[0] == "Outlook"
        assert found["Leaves of a greedy and an optimal tree: XOR and a decoy"] == "8, 4"
        assert found["Problem 1: error of 160 + 40, before and after a split"] == "0.2"
    if name == "deck_002":
        assert abs(float(found["Rows of a bootstrap, of 1000, mean of 50"].rstrip("%")) - 63.2) < 0.5
        variances = [float(found[f"{one}: bias, variance"].split()[1]) for one in ("One full tree", "Bagging")]
        assert variances[1] < variances[0]
        parts, bagging = map(float, found["Accuracy of 100 disjoint parts, and of bagging"].split(", "))
        assert parts < bagging
    if name == "deck_003":
        scores = {"Moons: forest": 0.872, "Moons: support vectors": 0.888, "Their majority vote": 0.896}
        for what, score in scores.items():
            assert float(found[what]) == pytest.approx(score, abs=0.045)
        importances = [float(one) for one in found["Importances of iris"].split()]
        assert importances == pytest.approx([0.11, 0.02, 0.44, 0.42], abs=0.06)
    if name == "deck_004":
        assert found["Total error"] == "0.125"
        assert found["Responsibilities at x = 0, rounded on the slide"] == "0.65 and 0.35"
