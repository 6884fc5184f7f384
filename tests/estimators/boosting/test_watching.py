"""What can be seen of a fit while it runs and after it: evaluation sets, metrics, early stopping, callbacks, stages."""

import doctest
import inspect
import io
import re
import warnings
from itertools import pairwise

import numpy as np
import pandas
import pytest
from sklearn import metrics
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split

from spinney import GradientBoostingClassifier as Classifier
from spinney import GradientBoostingRegressor as Regressor
from spinney import Round
from spinney.ensemble.callbacks import Progress
from spinney.estimators.params import read_seed
from tests.boosted import plain_trees


def draw(n_rows=300, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.randn(n_rows, 3)
    return X, 2 * X[:, 0] + np.sin(3 * X[:, 1]) + rng.randn(n_rows)


X, Y = draw()
X_NEW, Y_NEW = draw(200, seed=1)
THREE = np.digitize(Y, [-1, 1])
THREE_NEW = np.digitize(Y_NEW, [-1, 1])


# --- evaluation sets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "eval_set, names",
    [
        ((X_NEW, Y_NEW), ["valid"]),
        ([(X_NEW, Y_NEW)], ["valid"]),
        ([(X, Y), (X_NEW, Y_NEW)], ["valid_0", "valid_1"]),
        ({"train": (X, Y), "new": (X_NEW, Y_NEW, np.ones(200))}, ["train", "new"]),
        (None, []),
        ([], []),
        ({}, []),
    ],
)
def test_forms_of_eval_set(eval_set, names):
    model = Regressor(n_estimators=3).fit(X, Y, eval_set=eval_set)
    assert list(model.evals_result_) == names
    assert all([len(scores["squared_error"]) == 3 for scores in model.evals_result_.values()])


def test_evaluation_sets_do_not_change_the_model():
    plain = Regressor(n_estimators=5, random_state=0).fit(X, Y)
    watched = Regressor(n_estimators=5, random_state=0).fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric="mae")
    assert plain.fingerprint_ == watched.fingerprint_


def test_scores_are_those_of_the_stages():
    weight = np.random.RandomState(0).uniform(size=200)
    model = Regressor(n_estimators=5).fit(X, Y, eval_set=(X_NEW, Y_NEW, weight), eval_metric=["mae", "rmse", "r2"])
    scores = model.evals_result_["valid"]
    for k, prediction in enumerate(model.staged_predict(X_NEW)):
        assert scores["absolute_error"][k] == pytest.approx(
            metrics.mean_absolute_error(Y_NEW, prediction, sample_weight=weight)
        )
        assert scores["rmse"][k] == pytest.approx(
            metrics.root_mean_squared_error(Y_NEW, prediction, sample_weight=weight)
        )
        assert scores["r2"][k] == pytest.approx(metrics.r2_score(Y_NEW, prediction, sample_weight=weight))


@pytest.mark.parametrize("labels", [np.array(["no", "yes"]), np.array(["a", "b", "c"])])
def test_class_scores_are_those_of_the_stages(labels):
    y, y_new = (np.digitize(values, [-1, 1][: len(labels) - 1]) for values in (Y, Y_NEW))
    model = Classifier(n_estimators=5)
    model.fit(X, labels[y], eval_set=(X_NEW, labels[y_new]), eval_metric=["loss", "auc", "accuracy", "error", "brier"])
    scores = model.evals_result_["valid"]
    for k, p in enumerate(model.staged_predict_proba(X_NEW)):
        assert scores["log_loss"][k] == pytest.approx(metrics.log_loss(labels[y_new], p))
        assert scores["accuracy"][k] == pytest.approx(np.mean(p.argmax(axis=1) == y_new))
        assert scores["error"][k] == pytest.approx(1 - scores["accuracy"][k])
        auc = p[:, 1] if len(labels) == 2 else p
        assert scores["roc_auc"][k] == pytest.approx(metrics.roc_auc_score(y_new, auc, multi_class="ovr"))


@pytest.mark.parametrize(
    "eval_set, message",
    [
        ("valid", "eval_set must be .*, got str"),
        (X_NEW, "eval_set must be .*, got ndarray"),
        ([X_NEW, Y_NEW], r"eval_set 'valid_0' must be a tuple \(X, y\) or .*, got ndarray\. Several sets must"),
        ([pandas.DataFrame(X_NEW), Y_NEW], r"'valid_0' must be a tuple \(X, y\) or .*, got DataFrame\. Several"),
        ({"new": (X_NEW,)}, "eval_set 'new' must be a tuple"),
        ((X_NEW, Y_NEW, None, None), "eval_set 'valid' must be a tuple .*, got a tuple of 4"),
        ((X_NEW[:, :2], Y_NEW), "X has 2 features, but GradientBoostingRegressor is expecting 3 features"),
        ((X_NEW, Y_NEW[:5]), "X has 200, y has 5"),
        ((X_NEW, Y_NEW, np.ones(3)), "sample_weight must have one value per row: got 3 for 200 rows"),
        ((X_NEW, np.full(200, np.nan)), "Input y contains NaN"),
    ],
)
def test_impossible_eval_sets_are_refused(eval_set, message):
    with pytest.raises(ValueError, match=message):
        Regressor(n_estimators=2).fit(X, Y, eval_set=eval_set)


@pytest.mark.parametrize("labels, strange", [([1, 2], "2"), (["no", "yes"], "'no'")])
def test_an_eval_set_cannot_hold_new_classes(labels, strange):
    with pytest.raises(
        ValueError, match=f"y holds the class {strange}, which is not among the classes of fit: .False, True."
    ):
        Classifier(n_estimators=2).fit(X, Y > 0, eval_set=(X_NEW, np.array(labels)[(Y_NEW > 0).astype(int)]))


# --- metrics ---------------------------------------------------------------------------------------------------------


def test_a_metric_of_ones_own():
    def worst(y, prediction):
        return np.abs(y - prediction).max()

    def heavy(y, prediction, sample_weight):
        return np.average(np.abs(y - prediction), weights=sample_weight)

    weight = np.arange(200.0)
    model = Regressor(n_estimators=3)
    model.fit(X, Y, eval_set=(X_NEW, Y_NEW, weight), eval_metric=[worst, heavy, ("mine", worst, True), "mae"])
    scores, last = model.evals_result_["valid"], np.abs(Y_NEW - model.predict(X_NEW))
    assert list(scores) == ["worst", "heavy", "mine", "absolute_error"]
    assert scores["worst"][-1] == scores["mine"][-1] == pytest.approx(last.max())
    assert scores["heavy"][-1] == pytest.approx(np.average(last, weights=weight))


def test_a_class_metric_gets_class_numbers_and_probabilities():
    seen = []

    def record(y, p):
        seen.append((y, p))
        return 0.0

    labels = np.array(["x", "y", "z"])
    model = Classifier(n_estimators=1).fit(X, labels[THREE], eval_set=(X_NEW, labels[THREE_NEW]), eval_metric=record)
    assert (seen[0][0] == THREE_NEW).all()
    np.testing.assert_allclose(seen[0][1], model.predict_proba(X_NEW))


def test_a_metric_that_grows_is_maximised():
    model = Regressor(n_estimators=60, early_stopping=True, n_iter_no_change=60, tol=0)
    model.fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric="r2")
    assert model.best_iteration_ == np.argmax(model.evals_result_["valid"]["r2"]) + 1 < 60


@pytest.mark.parametrize(
    "eval_metric, message",
    [
        (
            "gini",
            r"eval_metric must be one of \['absolute_error', .*'squared_error'.*\], 'loss' or a function .*got 'gini'",
        ),
        (3, r"eval_metric must be a name, a function \(y, prediction\) -> float, or a triple .*, got 3"),
        (("mine", 3, True), "eval_metric must be a name"),
        (lambda y, prediction: y - prediction, r"must return one number, got an array of shape \(200,\)"),
        ([lambda y, p: 0.0, lambda y, p: 1.0], r"two metrics called '<lambda>'\. Give them names with triples"),
    ],
)
def test_impossible_metrics_are_refused(eval_metric, message):
    with pytest.raises(ValueError, match=message):
        Regressor(n_estimators=2).fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric=eval_metric)


def test_a_metric_named_twice_is_scored_once():
    model = Regressor(n_estimators=2).fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric=["mae", "absolute_error", "loss"])
    assert [(name, len(values)) for name, values in model.evals_result_["valid"].items()] == [
        ("absolute_error", 2),
        ("squared_error", 2),
    ]


def test_class_metrics_are_not_for_values():
    with pytest.raises(ValueError, match="eval_metric must be one of"):
        Regressor(n_estimators=2).fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric="accuracy")


# --- early stopping --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model, y, y_new", [(Regressor(), Y, Y_NEW), (Classifier(), THREE, THREE_NEW)])
def test_early_stopping_keeps_the_best_round(model, y, y_new):
    model = clone(model).set_params(n_estimators=150, learning_rate=0.3, random_state=0)
    full = clone(model).fit(X, y, eval_set=(X_NEW, y_new))
    early = clone(model).set_params(early_stopping=True, n_iter_no_change=7, tol=0).fit(X, y, eval_set=(X_NEW, y_new))
    (curve,) = full.evals_result_["valid"].values()
    best = early.best_iteration_
    assert early.n_iter_ == best + 7 < 150
    assert curve[best - 1] == min(curve[: early.n_iter_])
    assert early.evals_result_["valid"] == {
        name: values[: early.n_iter_] for name, values in full.evals_result_["valid"].items()
    }
    stages = list(full.staged_predict(X_NEW))
    assert (early.predict(X_NEW) == stages[best - 1]).all()
    assert (early.predict(X_NEW) != stages[-1]).any()
    assert len(list(early.staged_predict(X_NEW))) == best
    assert full.n_iter_ == full.best_iteration_ == 150


def test_patience_and_tolerance():
    model = Regressor(n_estimators=100, early_stopping=True, random_state=0)
    for patience in (1, 4):
        eager = clone(model).set_params(tol=1e9, n_iter_no_change=patience).fit(X, Y, eval_set=(X_NEW, Y_NEW))
        assert eager.n_iter_ == 1 + patience
    patient = clone(model).set_params(n_iter_no_change=100, validation_fraction=None).fit(X, Y)
    curve = np.array(patient.evals_result_["train"]["squared_error"])
    assert (np.diff(curve) < 0).all()
    tol = -np.diff(curve)[20]
    stopped = clone(model).set_params(tol=tol, n_iter_no_change=1, validation_fraction=None).fit(X, Y)
    assert stopped.n_iter_ == 1 + next(k for k in range(1, 100) if curve[k] >= curve[k - 1] - tol)


@pytest.mark.parametrize("tol", [0.0, 0.1, 1e9])
def test_the_tolerance_ends_the_fit_but_does_not_choose_the_round(tol):
    """A large tolerance stops soon; the rounds that were fitted by then are kept, if they were better."""
    model = Regressor(n_estimators=40, early_stopping=True, tol=tol, random_state=0)
    model.fit(X, Y, eval_set=(X_NEW, Y_NEW))
    curve = model.evals_result_["valid"]["squared_error"]
    assert model.best_iteration_ == np.argmin(curve) + 1
    if tol == 1e9:
        assert model.n_iter_ == model.best_iteration_ == 11  # the score improved in each of them, by less


@pytest.mark.parametrize("n_estimators", [5, 50])
def test_a_metric_that_is_never_a_number_does_not_end_in_an_empty_model(n_estimators):
    model = Regressor(n_estimators=n_estimators, early_stopping=True)

    def unknown(y, prediction):
        return np.nan

    if n_estimators == 5:  # fewer than early stopping waits for
        assert len(model.fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric=unknown)) == 5
    else:
        with pytest.raises(ValueError, match="unknown on 'valid' has not been a finite number for 10 rounds"):
            model.fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric=unknown)


def test_the_last_set_and_the_first_metric_decide():
    sets = [(X, Y), (X_NEW, Y_NEW)]
    model = Regressor(n_estimators=200, learning_rate=0.3, early_stopping=True, n_iter_no_change=5, random_state=0)
    one = clone(model).fit(X, Y, eval_set=sets, eval_metric=["mae", "mse"])
    assert one.n_iter_ < 200
    assert one.best_iteration_ == np.argmin(one.evals_result_["valid_1"]["absolute_error"]) + 1
    alone = clone(model).fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric="mae")
    named = clone(model).fit(X, Y, eval_set={"a": (X, Y), "b": (X_NEW, Y_NEW)}, eval_metric="mae")
    assert alone.fingerprint_ == named.fingerprint_ == one.fingerprint_
    assert (named.validation_score_ == alone.validation_score_).all()


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("max_bins", [255, None])
def test_training_rows_that_decide_are_warned_of(copied, max_bins):
    model = Regressor(n_estimators=5, early_stopping=True, max_bins=max_bins, random_state=0)
    train = (X.copy(), Y.copy()) if copied else (X, Y)
    with pytest.warns(UserWarning, match="uses the last evaluation set, 'valid_1', which is the training data") as told:
        model.fit(X, Y, eval_set=[(X_NEW, Y_NEW), train])
    assert len(told) == 1


def test_a_validation_set_in_its_place_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Regressor(n_estimators=5, early_stopping=True).fit(X, Y, eval_set=[(X, Y), (X_NEW, Y_NEW)])
        Regressor(n_estimators=5).fit(X, Y, eval_set=[(X_NEW, Y_NEW), (X, Y)])  # nothing is decided
        Regressor(n_estimators=5, early_stopping=True).fit(X, Y, eval_set=(X, Y[::-1].copy()))  # other targets


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_the_squared_error_is_the_squared_error_under_every_loss(loss):
    names = ["squared_error", "rmse", "r2"]
    model = Regressor(loss, n_estimators=3, random_state=0).fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric=names)
    scores = model.evals_result_["valid"]
    assert scores["squared_error"][-1] == pytest.approx(metrics.mean_squared_error(Y_NEW, model.predict(X_NEW)))
    np.testing.assert_allclose(np.sqrt(scores["squared_error"]), scores["rmse"])
    for name in ("mse", "loss", None) if loss == "squared_error" else ("mse",):
        again = clone(model).fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric=name)
        np.testing.assert_allclose(again.evals_result_["valid"]["squared_error"], scores["squared_error"])


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie", "quantile"])
def test_a_metric_called_like_a_loss_is_that_loss_under_every_other(loss):
    y, y_new, own = np.exp(Y / 4), np.exp(Y_NEW / 4), {"power": 1.3, "quantile": 0.7}
    model = Regressor(loss, n_estimators=4, random_state=0, **own).fit(X, y, eval_set=(X_NEW, y_new))
    default = model.evals_result_["valid"][loss][-1]
    other = Regressor("poisson" if loss != "poisson" else "gamma", n_estimators=1, **own)
    known = other._known_metrics()[loss]
    assert known.function(y_new, model.predict(X_NEW), None) == pytest.approx(default)


def test_the_held_out_part_is_a_fair_evaluation_set():
    model = Classifier(
        n_estimators=40, early_stopping=True, validation_fraction=0.2, random_state=3, n_iter_no_change=3
    )
    own = clone(model).fit(X, THREE)
    rows = np.arange(len(X))
    kept, held = train_test_split(rows, test_size=0.2, random_state=read_seed(3), stratify=THREE)
    kept, held = np.sort(kept), np.sort(held)
    explicit = clone(model).fit(X[kept], THREE[kept], eval_set=(X[held], THREE[held]))
    assert own.fingerprint_ == explicit.fingerprint_
    assert own.evals_result_ == explicit.evals_result_
    assert own.best_iteration_ == explicit.best_iteration_
    assert clone(model).fit(X, THREE).fingerprint_ == own.fingerprint_
    assert clone(model).set_params(random_state=4).fit(X, THREE).fingerprint_ != own.fingerprint_


def test_automatic_early_stopping_is_for_large_tables():
    X, y = draw(10_001)
    model = Regressor(n_estimators=2, early_stopping="auto")
    assert list(model.fit(X, y).evals_result_) == ["valid"]
    assert model.fit(X[:-1], y[:-1]).evals_result_ == {}


# --- callbacks and progress ------------------------------------------------------------------------------------------


def test_a_callback_sees_every_round_and_can_stop_the_fit():
    seen = []

    def stop_at_four(info):
        seen.append((info.number, info.n_rounds, dict(info.scores["valid"]), info.seconds))
        return info.number == 4

    model = Regressor(n_estimators=10, callbacks=stop_at_four, random_state=0).fit(X, Y, eval_set=(X_NEW, Y_NEW))
    assert model.n_iter_ == model.best_iteration_ == 4
    assert [one[:2] for one in seen] == [(k, 10) for k in (1, 2, 3, 4)]
    assert all(0 <= a[3] <= b[3] for a, b in pairwise(seen))
    assert model.evals_result_["valid"] == seen[-1][2]
    assert model.fingerprint_ == Regressor(n_estimators=4, random_state=0).fit(X, Y).fingerprint_


def test_the_help_of_a_round_explains_every_field_by_an_example():
    runner = doctest.DocTestRunner(verbose=False)
    (example,) = [one for one in doctest.DocTestFinder(recurse=False).find(Round, "Round") if one.examples]
    runner.run(example)
    assert runner.failures == 0
    documented = re.findall(r"^(\w+) : ", inspect.getdoc(Round), re.MULTILINE)
    assert documented == list(Round._fields)
    assert all(f"now.{name}" in inspect.getdoc(Round) for name in Round._fields)


def test_every_callback_is_called_even_if_the_first_stops():
    calls = []
    callbacks = [lambda info: True, lambda info: calls.append(info)]
    assert Regressor(n_estimators=10, callbacks=callbacks).fit(X, Y).n_iter_ == 1
    assert len(calls) == 1
    assert isinstance(calls[0], Round)


def test_a_callback_may_be_an_empty_container():
    class Log(list):
        def __call__(self, info):
            self.append(info.number)

    log = Log()
    Regressor(n_estimators=3, callbacks=[log]).fit(X, Y)
    assert log == [1, 2, 3]


@pytest.mark.parametrize("model", [Regressor(), Classifier()])
def test_a_failed_fit_leaves_the_old_model_whole(model):
    def fail(info):
        raise RuntimeError("enough")

    model = clone(model).set_params(n_estimators=3).fit(X, Y > 0)
    before, attributes = model.predict(X_NEW), set(vars(model))
    model.set_params(callbacks=fail)
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(X[:, :2], THREE, eval_set=(X[:, :2], THREE))
    assert (model.predict(X_NEW) == before).all()
    assert set(vars(model)) == attributes
    assert model.n_features_in_ == 3

    new = clone(model)
    with pytest.raises(RuntimeError, match="enough"):
        new.fit(X, Y > 0)
    with pytest.raises(NotFittedError):
        new.predict(X)
    assert not hasattr(new, "classes_")


def test_verbose_shows_a_bar_with_the_running_metrics(capsys, monkeypatch):
    monkeypatch.setenv("SPINNEY_QUIET", "1")
    Regressor(n_estimators=20, verbose=1).fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric="mae")
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert len(lines) == 10  # no terminal here: one line every tenth of the rounds
    assert lines[0].startswith("round  2/20 ██···")
    assert lines[-1].startswith("round 20/20 " + 24 * "█" + "  valid absolute_error ")
    Regressor(n_estimators=4, verbose=2).fit(X, Y)
    assert len(capsys.readouterr().err.splitlines()) == 4
    Regressor(n_estimators=4, verbose=0).fit(X, Y)
    assert capsys.readouterr().err == ""


def test_the_bar_of_a_terminal_is_redrawn_in_place():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    bar = Progress(stream=stream)
    for number in (1, 2):
        bar(Round(number, 10, {}, 0.0))
    bar.close(Round(2, 10, {}, 0.0))
    assert "\n" not in stream.getvalue()[:-1]
    assert stream.getvalue().endswith("\n")
    assert stream.getvalue().count("\r") >= 2


# --- stages, warm starts ---------------------------------------------------------------------------------------------


def test_stages_grow_into_the_model():
    for y in (Y > 0, THREE):
        model = Classifier(n_estimators=6).fit(X, y)
        for staged, whole in (
            (model.staged_predict, model.predict),
            (model.staged_predict_proba, model.predict_proba),
            (model.staged_decision_function, model.decision_function),
        ):
            stages = list(staged(X_NEW))
            assert len(stages) == 6
            assert (stages[-1] == whole(X_NEW)).all()
            assert (stages[0] != stages[-1]).any()
    stages = list(Regressor(n_estimators=6, random_state=0).fit(X, Y).staged_predict(X_NEW))
    for k in (1, 4, 6):
        assert (stages[k - 1] == Regressor(n_estimators=k, random_state=0).fit(X, Y).predict(X_NEW)).all()


def test_leaves_add_up_to_the_raw_score():
    for model, y in ((Regressor(), Y), (Classifier(), Y > 0), (Classifier(), THREE)):
        model = clone(model).set_params(n_estimators=5).fit(X, y)
        leaves = model.apply(X_NEW).reshape(200, -1)
        trees, n_outputs = plain_trees(model), model._booster.n_outputs
        assert leaves.shape[1] == len(trees) == 5 * n_outputs
        raw = np.repeat(model._booster.start[:, None], 200, axis=1)
        for t, tree in enumerate(trees):
            assert tree.is_leaf[leaves[:, t]].all()
            raw[t % n_outputs] += tree.value[leaves[:, t]]
        assert (raw == model._raw(X_NEW)).all()
    assert model.apply(X_NEW).shape == (200, 5, 3)


@pytest.mark.parametrize(
    "model, y",
    [
        (Regressor(subsample=0.7, max_features=0.7), Y),
        (Regressor("absolute_error"), Y),
        (Regressor("huber"), Y),
        (Classifier(), THREE),
        (Classifier(early_stopping=True, n_iter_no_change=5, learning_rate=0.05), Y > 0),
    ],
)
def test_a_warm_start_goes_on_as_if_never_stopped(model, y):
    model = clone(model).set_params(random_state=0)
    whole = clone(model).set_params(n_estimators=100).fit(X, y)
    parts = clone(model).set_params(n_estimators=30, warm_start=True).fit(X, y)
    first = parts.fingerprint_
    parts.set_params(n_estimators=100).fit(X, y)
    assert parts.fingerprint_ == whole.fingerprint_ != first
    assert parts.evals_result_ == whole.evals_result_
    assert (parts.n_iter_, parts.best_iteration_) == (whole.n_iter_, whole.best_iteration_)


def test_a_warm_start_goes_on_with_its_scores():
    model = Regressor(n_estimators=5, warm_start=True, random_state=0).fit(X, Y, eval_set=(X_NEW, Y_NEW))
    model.set_params(n_estimators=8).fit(X, Y, eval_set=(X_NEW, Y_NEW))
    whole = Regressor(n_estimators=8, random_state=0).fit(X, Y, eval_set=(X_NEW, Y_NEW))
    assert model.evals_result_ == whole.evals_result_
    model.set_params(n_estimators=10).fit(X, Y, eval_set=(X_NEW, Y_NEW), eval_metric="mae")  # not scored before
    assert len(model.evals_result_["valid"]["absolute_error"]) == 2


def test_a_warm_start_without_new_rounds_changes_nothing():
    model = Regressor(n_estimators=5, warm_start=True, early_stopping=True, random_state=0).fit(X, Y)
    before = model.fingerprint_, model.n_iter_, model.best_iteration_
    assert model.best_iteration_ == 5
    model.fit(X, Y)
    assert (model.fingerprint_, model.n_iter_, model.best_iteration_) == before


def test_a_warm_start_refuses_what_cannot_go_on():
    model = Classifier(n_estimators=5, warm_start=True).fit(X, Y > 0)
    with pytest.raises(ValueError, match="n_estimators=3 must be at least the 5 rounds already fitted"):
        model.set_params(n_estimators=3).fit(X, Y > 0)
    with pytest.raises(ValueError, match="y holds the class 2, which is not among"):
        model.set_params(n_estimators=6).fit(X, THREE)
    with pytest.raises(ValueError, match="X has 2 features, but GradientBoostingClassifier is expecting 3"):
        model.fit(X[:, :2], Y > 0)
    assert model.n_iter_ == 5


def test_without_warm_start_a_fit_begins_anew():
    model = Regressor(n_estimators=5, random_state=0).fit(X, Y)
    first = model.fingerprint_
    assert model.fit(X, Y).fingerprint_ == first
    assert model.n_iter_ == 5
