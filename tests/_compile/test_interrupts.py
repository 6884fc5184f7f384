"""Ctrl-C at any moment of a first fit: the fit ends, the next one works, and gives the known model."""

import os

import pytest

from tests.compiled import QUICK, THOROUGH
from tests.forked import run

EACH = 3 if THOROUGH else 1  # moments for each model
NAMES = ["KMeans", "own loss", "members in threads"] + [
    "tree",
    "boosting",
] * THOROUGH  # the others have tests of their own
posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX systems")

SESSION = """
from sklearn.linear_model import LogisticRegression
import spinney
from spinney import *
from spinney.estimators.boosting import gradient_boosting
from spinney.estimators.clusters import kmeans
from spinney.estimators.combine import voting
from spinney.estimators.trees import decision_tree

MODELS = {
    "KMeans": lambda: KMeans(3, random_state=0).fit(X),
    "tree": lambda: DecisionTreeRegressor(random_state=0).fit(X, y),
    "boosting": lambda: GradientBoostingRegressor(n_estimators=3, random_state=0).fit(X, y),
    "own loss": lambda: GradientBoostingRegressor(
        n_estimators=3, random_state=0,
        loss=Loss(gradient=lambda y, raw: raw - y, hessian=lambda y, raw: 1.0),
    ).fit(X, y),
    "members in threads": lambda: VotingClassifier(
        [("a", DecisionTreeClassifier(random_state=0)), ("b", LogisticRegression())], n_jobs=2
    ).fit(X, y > 0),
}

def mark(model):
    if hasattr(model, "fingerprint_"):
        return model.fingerprint_
    return (model.cluster_centers_ if hasattr(model, "cluster_centers_") else model.predict(X)).tobytes().hex()

def learn(name):
    '''The model's mark, by a child: this process stays as fresh as it is.'''
    ours, theirs = os.pipe()
    assert in_child(lambda: os.write(theirs, mark(MODELS[name]()).encode())) == 0
    os.close(theirs)
    with open(ours) as answer:
        return answer.read()

def check(name, delay, known):
    def work():
        interrupted(MODELS[name], delay)
        assert mark(MODELS[name]()) == known
    status = in_child(work)
    print(name, delay, status, flush=True)
"""


@pytest.mark.slow
@posix
def test_a_warm_first_fit_may_be_interrupted_at_any_moment():
    code, lines, errors = run(
        SESSION
        + f"""
moments = np.random.RandomState(5)
for name in {NAMES}:
    known = learn(name)
    for delay in moments.uniform(0, 0.7, {EACH}):
        check(name, delay, known)
"""
    )
    assert code == 0, errors
    assert len(lines) == len(NAMES) * EACH
    assert all(line.endswith(" 0") for line in lines), (lines, errors)
    assert errors == ""


@pytest.mark.slow
@posix
def test_a_compilation_may_be_interrupted_at_any_moment(tmp_path):
    """Nothing is left half-way: the next fit compiles the rest, and no lock of the cache stays."""
    known = run(SESSION + "print(learn('KMeans'))")[1][-1]
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    code, lines, errors = run(
        SESSION + f"check('KMeans', np.random.RandomState(3).uniform(0.5, 2.5), {known!r})",
        SPINNEY_CACHE_DIR=str(folder),
    )
    assert code == 0, errors
    assert [line.split()[-1] for line in lines] == ["0"], (lines, errors)
    assert errors == ""
    assert list(folder.rglob("*.bin"))
    assert not list(folder.rglob("*.lock"))


@posix
def test_public_names_may_be_touched_in_many_threads_at_once():
    times = 1 if QUICK else 3
    code, lines, errors = run(
        """
        import spinney
        names = ["KMeans", "StackingClassifier", "GaussianMixture", "boosting_cv", "BaggingRegressor", "plot_tree",
                 "GradientBoostingClassifier", "AdaBoostClassifier"]

        def touch():
            barrier, found = threading.Barrier(len(names)), []

            def one(name):
                barrier.wait()
                found.append(getattr(spinney, name).__name__)

            threads = [threading.Thread(target=one, args=(name,)) for name in names]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert sorted(found) == sorted(names), found

        for _ in range(TIMES):
            print(in_child(touch), flush=True)
        """.replace("TIMES", str(times))
    )
    assert (code, lines, errors) == (0, ["0"] * times, "")
