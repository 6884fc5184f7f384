"""Every family at work with the libraries around it: short, for `.ci/versions`, which runs it on many versions."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import spinney
from spinney._compile import PLAIN_PYTHON
from spinney.evaluate import cross_validate
from tests.families import FITS, answer, categories, classes, numbers, table, target

compiled = pytest.mark.skipif(PLAIN_PYTHON, reason="a minute and more in plain Python")


@compiled
@pytest.mark.parametrize("name", FITS)
def test_a_model_is_fitted_copied_and_used(name):
    model = FITS[name]()
    X = categories() if name == "id3" else numbers()
    copy = pickle.loads(pickle.dumps(model))
    assert copy.fingerprint_ == model.fingerprint_
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    assert clone(model).get_params().keys() == model.get_params().keys()
    assert answer(name).split()[0] == model.fingerprint_


@compiled
def test_one_table_in_all_forms():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(table()[:, :3], columns=["a", "b", "c"])
    frame["d"] = pandas.Categorical(np.array(list("vwxyz"))[table()[:, 3].astype(int)])
    forms = [frame, polars.from_pandas(frame), polars.from_pandas(frame).to_arrow()]
    few = {"n_estimators": 3, "min_samples_leaf": 5, "random_state": 0}
    models = [spinney.GradientBoostingRegressor(**few).fit(one, target()) for one in forms]
    assert len({model.fingerprint_ for model in models}) == 1
    for one in forms:
        np.testing.assert_array_equal(models[0].predict(one), models[0].predict(frame))


@compiled
def test_with_scikit_learns_tools():
    tree = spinney.DecisionTreeClassifier(random_state=0)
    chain = make_pipeline(StandardScaler(), tree)
    scores = cross_val_score(chain, numbers(), classes(), cv=3)
    np.testing.assert_allclose(scores, cross_val_score(tree, numbers(), classes(), cv=3))
    search = GridSearchCV(tree, {"max_depth": [1, 3]}, cv=3, n_jobs=2).fit(numbers(), classes())
    assert search.best_params_ == {"max_depth": 3}
    assert accuracy_score(classes(), search.predict(numbers())) > 0.6
    ours = cross_validate(tree, numbers(), classes(), cv=3, n_jobs=2)["test_score"]
    np.testing.assert_allclose(ours, scores)


@compiled
def test_kernels_are_compiled_by_our_pipeline_and_kept():
    import numba

    from spinney._compile.check import judge

    assert judge(numba.njit) == (True, True, "")
