"""Where boosting begins: initial estimators, offsets of the user's own, and models that go on from others' scores."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import InvalidParameterError

from spinney import DecisionTreeClassifier, DecisionTreeRegressor, Loss, boosting_cv, to_sklearn
from spinney import GradientBoostingClassifier as Classifier
from spinney import GradientBoostingRegressor as Regressor
from spinney.evaluate import cross_validate
from tests.boosted import plain_trees

RNG = np.random.RandomState(0)
X = RNG.randn(300, 3)
Y = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + 0.5 * RNG.randn(300)
X_NEW = RNG.randn(120, 3)
Y_NEW = 2 * X_NEW[:, 0] + np.sin(3 * X_NEW[:, 1])
THREE = np.digitize(Y, [-1, 1])
OFFSET, OFFSETS = RNG.randn(300), RNG.randn(300, 3)
FEW = {"n_estimators": 6, "random_state": 0}

# --- offsets ---------------------------------------------------------------------------------------------------------

CONTINUED = [
    (Regressor(), Y),
    (Regressor("absolute_error"), Y),
    (Regressor("huber"), Y),
    (Regressor("poisson"), np.floor(np.exp(Y / 2)) + 1.0),
    (Classifier(), Y > 0),
    (Classifier("exponential"), Y > 0),
    (Classifier(), THREE),
]


def raw_of(model, table, **offset):
    """Raw scores as `init_score` takes them."""
    if isinstance(model, Classifier):
        return model.decision_function(table, **offset)
    return np.log(model.predict(table, **offset)) if model.loss == "poisson" else model.predict(table, **offset)


@pytest.mark.parametrize("model, y", CONTINUED, ids=lambda one: str(one)[:60] if hasattr(one, "fit") else "")
def test_from_a_models_raw_scores_its_next_rounds_are_fitted(model, y):
    """Bit for bit: scores are the same sums, and on small tables rounding is to the nearest."""
    first = clone(model).set_params(n_estimators=5, random_state=0, warm_start=True).fit(X, y)
    scores, scores_new = raw_of(first, X), raw_of(first, X_NEW)
    rest = clone(model).set_params(n_estimators=7, random_state=0).fit(X, y, init_score=scores)
    whole = first.set_params(n_estimators=12).fit(X, y)
    trees, expected = plain_trees(rest), plain_trees(whole)[5 * first.n_trees_per_iteration_ :]
    assert len(trees) == len(expected)
    for one, other in zip(trees, expected):
        np.testing.assert_array_equal(one.feature, other.feature)
        np.testing.assert_array_equal(one.threshold, other.threshold)
        if first.loss == "poisson":  # the logarithm of what was predicted is off by a bit or two
            np.testing.assert_allclose(one.value, other.value, rtol=1e-6, atol=1e-9)
        else:
            np.testing.assert_array_equal(one.value, other.value)
    if first.loss != "poisson":
        for name in ("predict", "predict_proba", "decision_function"):
            if hasattr(first, name):
                assert (getattr(rest, name)(X_NEW, init_score=scores_new) == getattr(whole, name)(X_NEW)).all()
        np.testing.assert_array_equal(rest.train_score_, whole.train_score_[5:])
        stages = list(rest.staged_predict(X_NEW, init_score=scores_new))
        for one, other in zip(stages, list(whole.staged_predict(X_NEW))[5:]):
            assert (one == other).all()
    assert (rest._booster.start == 0).all()


def test_stages_begin_with_the_offset():
    model = Classifier(**FEW).fit(X, THREE, init_score=OFFSETS)
    for name in ("predict", "predict_proba", "decision_function"):
        stages = list(getattr(model, f"staged_{name}")(X, init_score=OFFSETS))
        assert (stages[-1] == getattr(model, name)(X, init_score=OFFSETS)).all()
    np.testing.assert_allclose(
        model.decision_function(X, init_score=OFFSETS), model.decision_function(X) + OFFSETS, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(
        model.predict_log_proba(X, init_score=OFFSETS), np.log(model.predict_proba(X, init_score=OFFSETS)), rtol=1e-9
    )


def test_squared_error_from_an_offset_is_a_fit_of_the_residuals():
    ours = Regressor(**FEW).fit(X, Y, init_score=OFFSET)
    residuals = Regressor(init="zero", **FEW).fit(X, Y - OFFSET)
    np.testing.assert_allclose(ours.predict(X), residuals.predict(X), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ours.predict(X, init_score=OFFSET), residuals.predict(X) + OFFSET, rtol=1e-6, atol=1e-9)
    column = Regressor(**FEW).fit(X, Y, init_score=OFFSET[:, None])
    assert column.fingerprint_ == ours.fingerprint_


def test_an_exposure_is_an_offset_of_its_logarithm():
    """Counts of rows that were watched for longer: rates, as if the counts had been divided and weighed."""
    rng = np.random.RandomState(1)
    table, exposure = rng.randint(0, 4, (2000, 1)).astype(float), rng.uniform(0.5, 8.0, 2000)
    rate = np.exp(table[:, 0] / 2 - 1)
    y = rng.poisson(rate * exposure).astype(float)
    model = Regressor("poisson", n_estimators=300, l2_regularization=0).fit(table, y, init_score=np.log(exposure))
    for value in range(4):
        rows = table[:, 0] == value
        found = model.predict(table[rows][:1])[0]
        assert found == pytest.approx(y[rows].sum() / exposure[rows].sum(), rel=1e-4)
        total = model.predict(table[rows], init_score=np.log(exposure[rows])).sum()
        assert total == pytest.approx(y[rows].sum(), rel=1e-4)


def test_far_targets_have_far_offsets():
    near = Regressor(**FEW).fit(X, Y, init_score=OFFSET)
    far = Regressor(**FEW).fit(X, Y * 2.0**100, init_score=OFFSET * 2.0**100)
    np.testing.assert_allclose(far.predict(X) / 2.0**100, near.predict(X), rtol=1e-6, atol=1e-9)


def test_the_model_does_not_depend_on_threads_or_held_out_offsets():
    many = np.random.RandomState(0).randn(30_000, 4)
    y, offset = many[:, 0] + many[:, 1] ** 2, many[:, 2]
    model = Regressor(n_estimators=4, random_state=0, n_iter_no_change=3)
    prints = {clone(model).set_params(n_jobs=jobs).fit(many, y, init_score=offset).fingerprint_ for jobs in (1, 2, 3)}
    assert len(prints) == 1


def test_held_out_rows_have_their_offsets():
    model = Classifier(n_estimators=6, n_iter_no_change=6, random_state=0, validation_fraction=0.3)
    from spinney.data.holdout import hold_out
    from spinney.estimators.params import read_seed

    kept, held = hold_out(np.arange(300), 0.3, read_seed(0), THREE)
    own = clone(model).fit(X, THREE, init_score=OFFSETS)
    explicit = clone(model).fit(
        X[kept], THREE[kept], eval_set=(X[held], THREE[held]), init_score=OFFSETS[kept], eval_init_score=OFFSETS[held]
    )
    assert own.fingerprint_ == explicit.fingerprint_
    np.testing.assert_array_equal(own.validation_score_, explicit.validation_score_)


@pytest.mark.parametrize("form", ["array", "list", "dict", "lists"])
def test_evaluation_sets_have_their_offsets(form):
    offset = OFFSET[:120]
    sets = {"array": (X_NEW, Y_NEW), "list": [(X_NEW, Y_NEW)], "dict": {"valid": (X_NEW, Y_NEW)}}
    sets["lists"] = [(X_NEW, Y_NEW), (X, Y)]
    given = {"array": offset, "list": [offset], "dict": {"valid": offset}, "lists": [offset.tolist(), OFFSET.tolist()]}
    model = Regressor(**FEW).fit(X, Y, init_score=OFFSET, eval_set=sets[form], eval_init_score=given[form])
    last = next(iter(model.evals_result_.values()))["squared_error"][-1]
    assert last == pytest.approx(np.mean((model.predict(X_NEW, init_score=offset) - Y_NEW) ** 2))
    if form == "lists":
        np.testing.assert_allclose(model.evals_result_["valid_1"]["squared_error"], model.train_score_)
    none = Regressor(**FEW).fit(X, Y, init_score=OFFSET, eval_set=(X_NEW, Y_NEW))
    assert none.evals_result_["valid"]["squared_error"][-1] == pytest.approx(
        np.mean((model.predict(X_NEW) - Y_NEW) ** 2)
    )


@pytest.mark.parametrize(
    "kwargs, message",
    [
        (
            {"init_score": OFFSET[:5]},
            r"init_score must have one raw score per row and class, shape \(300,\), got \(5,\)",
        ),
        ({"init_score": OFFSETS}, r"init_score must have .*, shape \(300,\), got \(300, 3\)"),
        ({"init_score": np.full(300, np.nan)}, "init_score contains NaN"),
        (
            {"eval_set": (X_NEW, Y_NEW), "eval_init_score": OFFSET},
            r"eval_init_score must have one raw score per row and class, shape \(120,\), got \(300,\)",
        ),
        (
            {"eval_set": [(X_NEW, Y_NEW)] * 2, "eval_init_score": OFFSET[:120]},
            "eval_init_score must be a list of 2 arrays, one per set of eval_set",
        ),
        (
            {"eval_set": (X_NEW, Y_NEW), "eval_init_score": {"test": OFFSET}},
            r"eval_init_score has the key 'test', but the evaluation sets are \['valid'\]",
        ),
    ],
)
def test_impossible_offsets_are_refused(kwargs, message):
    with pytest.raises(ValueError, match=message):
        Regressor(n_estimators=2).fit(X, Y, **kwargs)


def test_impossible_offsets_of_classes_are_refused():
    with pytest.raises(ValueError, match=r"shape \(300, 3\), got \(300,\)"):
        Classifier(n_estimators=2).fit(X, THREE, init_score=OFFSET)
    with pytest.raises(ValueError, match=r"shape \(120, 3\), got \(300, 3\)"):
        Classifier(n_estimators=2).fit(X, THREE).predict_proba(X_NEW, init_score=OFFSETS)
    with pytest.raises(ValueError, match=r"init and init_score both set the start value\. Pass only one of them"):
        Classifier(init=DummyClassifier()).fit(X, THREE, init_score=OFFSETS)
    zero = Classifier(init="zero", n_estimators=2).fit(X, THREE, init_score=OFFSETS)
    assert zero.fingerprint_ == Classifier(n_estimators=2).fit(X, THREE, init_score=OFFSETS).fingerprint_


def test_a_warm_start_needs_its_offset_again():
    whole = Regressor(n_estimators=9, random_state=0).fit(X, Y, init_score=OFFSET)
    parts = Regressor(n_estimators=4, random_state=0, warm_start=True).fit(X, Y, init_score=OFFSET)
    parts.set_params(n_estimators=9).fit(X, Y, init_score=OFFSET)
    assert parts.fingerprint_ == whole.fingerprint_


# --- initial estimators ----------------------------------------------------------------------------------------------


def test_a_linear_model_first():
    model = Regressor(init=LinearRegression(), **FEW).fit(X, Y)
    line = LinearRegression().fit(X, Y)
    by_offset = Regressor(**FEW).fit(X, Y, init_score=line.predict(X))
    assert (model.predict(X_NEW) == by_offset.predict(X_NEW, init_score=line.predict(X_NEW))).all()
    assert isinstance(model.init_, LinearRegression)
    assert not hasattr(model.init, "coef_")  # a copy is fitted
    assert model.fingerprint_ != by_offset.fingerprint_
    assert model.fingerprint_ == clone(model).fit(X, Y).fingerprint_
    assert clone(model).fit(X[:200], Y[:200]).fingerprint_ != model.fingerprint_


@pytest.mark.parametrize("y", [Y > 0, np.array(["a", "b", "c"])[THREE]])
def test_a_classifier_first(y):
    init = make_pipeline(StandardScaler(), LogisticRegression())
    model = Classifier(init=init, **FEW).fit(X, y)
    p = clone(init).fit(X, y).predict_proba(X_NEW)
    start = np.log(p[:, 1] / p[:, 0]) if p.shape[1] == 2 else np.log(p) - np.log(p).mean(axis=1, keepdims=True)
    first = next(model.staged_decision_function(X_NEW))
    trees = model[0]
    added = np.stack([tree.predict(X_NEW) for tree in trees], axis=1)
    np.testing.assert_allclose(first, start + (added[:, 0] if p.shape[1] == 2 else added), rtol=1e-9, atol=1e-9)


def test_the_link_of_the_loss_is_undone():
    counts = np.floor(np.exp(Y / 2)) + 1.0
    model = Regressor("poisson", init=PoissonRegressor(), **FEW).fit(X, counts)
    first = PoissonRegressor().fit(X, counts).predict(X_NEW)
    np.testing.assert_allclose(np.log(model.predict(X_NEW)), np.log(first) + sum(t.predict(X_NEW) for (t,) in model))
    with pytest.raises(
        ValueError, match="init=LinearRegression must predict positive values for a loss with a log link"
    ):
        Regressor("poisson", init=LinearRegression()).fit(X, np.maximum(Y, 0))
    own = Loss(gradient=lambda y, raw: raw - y, hessian=lambda y, raw: 1.0)
    half = Regressor(loss=own, init=LinearRegression(), n_estimators=2).fit(X, Y)
    assert half.score(X, Y) > 0.5
    linked = Loss(own.gradient, own.hessian, inverse_link=lambda raw: 2 * raw)
    with pytest.raises(
        ValueError, match="init cannot be an estimator or a number with a custom loss that has an inverse_link"
    ):
        Regressor(loss=linked, init=LinearRegression()).fit(X, Y)


def test_a_first_estimator_of_classes_has_probabilities():
    with pytest.raises(InvalidParameterError, match="The 'init' parameter of GradientBoostingClassifier must be"):
        Classifier(init=LinearRegression()).fit(X, THREE)


def test_zero_is_no_start_at_all():
    model = Regressor(init="zero", learning_rate=1.0, n_estimators=1, min_samples_leaf=300).fit(
        np.zeros((300, 1)), Y + 9
    )
    assert model.init_ == "zero"
    assert model.predict([[0.0]])[0] == pytest.approx((Y + 9).sum() / 301)


def test_tables_of_every_kind_go_to_both():
    frame = pandas.DataFrame(X, columns=list("abc"))
    frame["word"] = np.where(X[:, 0] > 0, "x", "y")
    models = []
    for table in (frame, polars.from_pandas(frame), pyarrow.Table.from_pandas(frame)):
        model = Regressor(init=DecisionTreeRegressor(max_depth=2), n_iter_no_change=5, **FEW).fit(table, Y)
        models.append(model.predict(table))
        assert model.init_.get_depth() == 2
    assert (models[0] == models[1]).all()
    assert (models[0] == models[2]).all()
    lists = Regressor(init=DecisionTreeRegressor(max_depth=2), n_iter_no_change=5, **FEW).fit(X.tolist(), Y)
    arrays = Regressor(init=DecisionTreeRegressor(max_depth=2), n_iter_no_change=5, **FEW).fit(X, Y)
    assert lists.fingerprint_ == arrays.fingerprint_


def test_rows_that_are_held_out_are_unknown_to_the_first_estimator():
    class Counts(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            self.n_rows_ = len(X)
            self.weight_ = sample_weight
            return super().fit(X, y, sample_weight)

    model = Regressor(init=Counts(), n_iter_no_change=5, validation_fraction=0.2, **FEW)
    assert model.fit(X, Y).init_.n_rows_ == 240
    weight = np.arange(300) % 3
    assert sorted(model.set_params(n_iter_no_change=None).fit(X, Y, weight).init_.weight_) == sorted(weight)
    with pytest.raises(ValueError, match="init estimator KNeighborsRegressor does not support sample weights"):
        Regressor(init=KNeighborsRegressor()).fit(X, Y, weight)


@pytest.mark.parametrize("more", [FEW, {"random_state": 0}])
def test_the_estimator_of_an_earlier_fit_does_not_count(more):
    model = Regressor(init=LinearRegression(), **more).fit(X, Y)
    model.set_params(init=None).fit(X, Y)
    assert model.fingerprint_ == Regressor(**more).fit(X, Y).fingerprint_


def test_a_warm_start_keeps_the_first_estimator():
    whole = Classifier(init=DecisionTreeClassifier(max_depth=2), n_estimators=9, random_state=0).fit(X, THREE)
    parts = clone(whole).set_params(n_estimators=4, warm_start=True).fit(X, THREE)
    init = parts.init_
    parts.set_params(n_estimators=9).fit(X, THREE)
    assert parts.init_ is init
    assert parts.fingerprint_ == whole.fingerprint_
    assert parts[:4].init_ is init


def test_cross_validation_fits_the_first_estimator_in_every_fold():
    model = Regressor(init=LinearRegression(), n_estimators=5, random_state=0)
    result = boosting_cv(model, X, Y, cv=3, return_train_score=True)
    assert result.test["squared_error"].shape == (5, 3)
    scores = cross_validate(model, X, Y, cv=3, scoring="neg_mean_squared_error")
    by_hand = -np.asarray(scores["test_score"])
    np.testing.assert_allclose(result.test["squared_error"][-1], by_hand, rtol=0.05)  # bins of all rows
    offsets = LinearRegression().fit(X, Y).predict(X)
    plain = boosting_cv(Regressor(n_estimators=5, random_state=0), X, Y, cv=3, init_score=offsets)
    assert plain.test["squared_error"][0].mean() < np.var(Y)


@pytest.mark.parametrize(
    "model, y, number, raw",
    [
        (Regressor(), Y, 2.5, 2.5),
        (Regressor("poisson"), np.exp(Y / 3), 2.0, np.log(2.0)),
        (Classifier(), Y > 0, 0.2, np.log(0.25)),
        (Classifier("exponential"), Y > 0, 0.2, 0.5 * np.log(0.25)),
    ],
)
def test_a_number_is_a_prediction_to_begin_with(model, y, number, raw):
    """XGBoost's `base_score`."""
    model = clone(model).set_params(init=number, **FEW).fit(X, y)
    given = np.full(len(X), raw)
    other = clone(model).set_params(init=None).fit(X, y, init_score=given)
    np.testing.assert_allclose(model.predict(X_NEW), other.predict(X_NEW, init_score=given[: len(X_NEW)]))
    first = next(iter(model._staged_raw(X_NEW))) - next(iter(other._staged_raw(X_NEW, given[: len(X_NEW)])))
    np.testing.assert_allclose(first, 0.0, atol=1e-12)
    shown = model.init_.predict_proba(X[:1])[0, 1] if hasattr(model, "classes_") else model.init_.predict(X[:1])[0]
    assert shown == pytest.approx(number)
    scores = clone(model).fit(X, y, eval_set=(X, y)).evals_result_["valid"]
    again = clone(model).set_params(init=None).fit(X, y, init_score=given, eval_set=(X, y), eval_init_score=given)
    assert scores == {name: pytest.approx(values) for name, values in again.evals_result_["valid"].items()}


@pytest.mark.parametrize(
    "model, y, given, message",
    [
        (Classifier(init=0.3), THREE, {}, "init=0.3 is a number, which needs two classes, but y has 3"),
        (Classifier(init=1.5), Y > 0, {}, "The 'init' parameter of GradientBoostingClassifier must be"),
        (Regressor("gamma", init=-1), np.exp(Y), {}, "init=-1 must predict positive values for a loss with a log link"),
        (Regressor(init=1), Y, {"init_score": OFFSET}, "init and init_score both set the start value"),
    ],
)
def test_numbers_that_cannot_be_begun_with(model, y, given, message):
    with pytest.raises(ValueError, match=message):
        clone(model).set_params(**FEW).fit(X, y, **given)


# --- one row, sparse tables, scikit-learn's classes ------------------------------------------------------------------


def test_one_row_has_its_start_too():
    frame = pandas.DataFrame(X, columns=list("abc"))
    for model, table, y in (
        (Regressor(init=LinearRegression(), **FEW), frame, Y),
        (Classifier(init=LogisticRegression(), **FEW), X, THREE),
    ):
        model.fit(table, y)
        first = table.iloc[0].to_dict() if table is frame else table[0]
        assert model.predict_row(first) == model.predict(table[:3])[0]
        assert (model.predict(table[:1]) == model.predict(table[:3])[:1]).all()
    model = Classifier(**FEW).fit(X, THREE, init_score=OFFSETS)
    one, many = (model.decision_function(X[:k], init_score=OFFSETS[:k]) for k in (1, 3))
    assert (one[0] == many[0]).all()


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_sparse_tables_begin_as_dense_ones(form):
    dense = np.where(np.abs(X) < 1, 0.0, X)
    table = csr_matrix(dense).asformat(form)
    for options in ({"n_iter_no_change": 5, "scoring": "r2"}, {"ccp_alpha": 1.0, "min_impurity_decrease": 0.01}):
        plain, packed = (Regressor(**FEW, **options).fit(one, Y, init_score=OFFSET) for one in (dense, table))
        assert plain.fingerprint_ == packed.fingerprint_
        np.testing.assert_array_equal(plain.train_score_, packed.train_score_)
    lines = [Regressor(init=LinearRegression(), n_iter_no_change=5, **FEW).fit(one, Y) for one in (dense, table)]
    np.testing.assert_allclose(lines[0].predict(dense), lines[1].predict(table), rtol=1e-6)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
@pytest.mark.parametrize("init", [None, "zero", LogisticRegression()])
def test_scikit_learns_class_begins_there_too(loss, init):
    model = Classifier(loss, init=init, **FEW).fit(X, Y > 0)
    np.testing.assert_allclose(to_sklearn(model).predict_proba(X), model.predict_proba(X), rtol=1e-6)
