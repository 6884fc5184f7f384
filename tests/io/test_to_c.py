"""Models as C source: compiled, it gives what the models predict, to the bit."""

import ctypes
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import spinney
from spinney import to_c
from tests.io.exported import FITS, fitted, many, rows_for
from tests.io.test_to_python import BY_NUMPY, HOSTILE

COMPILER = shutil.which("gcc") or shutil.which("cc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler here")
Numbers = ctypes.POINTER(ctypes.c_double)


def build(source, folder):
    """The source as a library; warnings are errors."""
    (folder / "model.c").write_text(source)
    warnings = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
    command = [COMPILER, "-std=c99", "-O0", "-ffp-contract=off", *warnings, "-shared", "-fPIC", "model.c", "-o"]
    done = subprocess.run([*command, "model.so", "-lm"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "model.so"))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """All models in one library, each by a name of its own."""
    source = "\n".join(to_c(fitted(name), called(name)) for name in FITS)
    return build(source, tmp_path_factory.mktemp("c"))


def called(name):
    return "model_" + name.replace("-", "_")


def encoded(model, rows):
    """Rows as the C function takes them: categories by their numbers."""
    schema = model._schema if not hasattr(model, "estimator_weights_") else model.estimators_[0]._schema
    out = np.empty(rows.shape)
    for j, column in enumerate(schema.columns):
        values = rows.iloc[:, j]
        if column.categories is None:
            out[:, j] = values.astype(float)
        else:
            known = list(column.categories)
            out[:, j] = [known.index(one) if one in known else -1 for one in values]
    return np.ascontiguousarray(out)


def ask(library, name, model, table):
    """What the function says of each row, and its probabilities."""
    n_outputs = getattr(model, "n_outputs_", 1)
    function = getattr(library, name)
    is_class = hasattr(model, "classes_")
    kind = ctypes.c_int if is_class or name.endswith("isolation") else ctypes.c_double
    function.restype = kind if n_outputs == 1 else None
    labels, shares = [], []
    n_classes = sum(map(len, many(model.classes_))) if is_class else 0
    for row in table:
        place = row.ctypes.data_as(Numbers)
        if n_outputs == 1:
            labels.append(function(place))
        else:
            out = (kind * n_outputs)()
            function(place, out)
            labels.append(list(out))
        if is_class:
            out = (ctypes.c_double * n_classes)()
            getattr(library, f"{name}_proba")(place, out)
            shares.append(list(out))
    return np.array(labels), np.array(shares)


@needs_compiler
@pytest.mark.parametrize("name", list(FITS))
def test_answers_are_the_models_bits(name, library):
    model, rows = fitted(name), rows_for(name)
    found, shares = ask(library, called(name), model, encoded(model, rows))
    said = model.predict(rows)
    if not hasattr(model, "classes_"):
        np.testing.assert_array_equal(found, said)
        return
    classes = many(model.classes_)
    named = [one[k] for one, k in zip(classes, found.reshape(len(rows), -1).T)]
    np.testing.assert_array_equal(np.column_stack(named).reshape(said.shape), said)
    theirs = np.hstack(many(model.predict_proba(rows)))
    np.testing.assert_allclose(shares, theirs, rtol=1e-14 if name in BY_NUMPY else 0)


@needs_compiler
def test_decision_function(library):
    model, rows = fitted("isolation"), rows_for("isolation")
    function = library.model_isolation_decision
    function.restype = ctypes.c_double
    found = [function(row.ctypes.data_as(Numbers)) for row in encoded(model, rows)]
    np.testing.assert_array_equal(found, model.decision_function(rows))


@needs_compiler
def test_hostile_names(tmp_path):
    rng = np.random.RandomState(0)
    words = np.array(HOSTILE, object)
    table = pd.DataFrame({name: words[rng.randint(0, len(words), 120)] for name in HOSTILE})
    labels = words[rng.randint(0, 3, 120) + 3 * table[HOSTILE[0]].isin(words[:5]).to_numpy()]
    models = spinney.DecisionTreeClassifier(max_depth=5), spinney.C45Classifier(prune=False)
    source = "".join(to_c(model.fit(table, labels), f"m{k}") for k, model in enumerate(models))
    assert source.isascii()
    library = build(source, tmp_path)
    for k, model in enumerate(models):
        found, _ = ask(library, f"m{k}", model, encoded(model, table))
        np.testing.assert_array_equal(model.classes_[found], model.predict(table))
        written = (ctypes.c_char_p * len(model.classes_)).in_dll(library, f"m{k}_classes")
        assert [one.decode() for one in written] == model.classes_.tolist()


@needs_compiler
def test_numbers_that_are_no_category_are_missing(library):
    model = fitted("tree")
    table = encoded(model, rows_for("tree"))[:4]
    nothing = table.copy()
    nothing[:, 2] = np.nan
    for odd in (-1.0, 0.5, 5.0, 1e300, np.inf, -np.inf):
        table[:, 2] = odd
        for one, other in zip(ask(library, "model_tree", model, table), ask(library, "model_tree", model, nothing)):
            np.testing.assert_array_equal(one, other)


def test_refusals():
    with pytest.raises(ValueError, match=r"nodes, but to_c writes at most max_nodes=20"):
        to_c(fitted("forest"), max_nodes=20)
    with pytest.raises(
        ValueError, match="name must not be 'static', which is taken or reserved in C, its library or Python"
    ):
        to_c(fitted("forest"), "static")
    with pytest.raises(TypeError, match="VotingClassifier is a mean of several models"):
        to_c(fitted("soft"))


def test_labels_of_every_kind_are_written():
    table, kind = np.arange(12.0)[:, None], np.repeat([0, 1, 2], 4)
    for labels, text in (
        (kind + 5, "const long long predict_classes[] = {5LL, 6LL, 7LL};"),
        (kind > 0, "const long long predict_classes[] = {0LL, 1LL};"),
        (kind + 0.0, "const double predict_classes[] = {0.0, 1.0, 2.0};"),
        (np.array(["a", "b", 'c"'])[kind], 'const char *const predict_classes[] = {"a", "b", "c\\042"};'),
    ):
        assert text in to_c(spinney.DecisionTreeClassifier().fit(table, labels))


NAMES = [
    "floor",
    "gamma",
    "y1",
    "j0",
    "index",
    "read",
    "printf",
    "signgam",
    "errno",
    "isnan",
    "NAN",
    "HUGE_VAL",
]
NAMES += ["bool", "nullptr", "_predict", "my__model", "model_", "math", "list", "main", "malloc", "time", "double_t"]
NAMES += ["NULL", "EOF", "INT_MAX", "I", "crypt"]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_are_taken(name):
    """Of C, C++, their libraries, POSIX and Python: they would not compile, or take the place of other functions."""
    for write in (to_c, spinney.to_python):
        with pytest.raises(
            ValueError, match=f"name must not be '{name}', which is taken or reserved in C, its library or Python"
        ) as no:
            write(fitted("tree"), name)
        other = str(no.value).split("'")[-2]
        assert write(fitted("tree"), other)


@needs_compiler
def test_names_of_the_arguments_and_variables_are_free(tmp_path):
    names = ["row", "out", "x", "raw", "shares", "says", "best", "value", "k", "t", "named", "level", "risk", "M"]
    source = "\n".join(to_c(fitted("forest"), name) for name in names)
    library = build(source, tmp_path)
    model, rows = fitted("forest"), rows_for("forest")
    table = encoded(model, rows)[:5]
    for name in names:
        assert [int(one) for one in ask(library, name, model, table)[0]] == model.predict_proba(rows[:5]).argmax(
            1
        ).tolist()


@needs_compiler
@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (np.array([0, 2**63, 2**64 - 1], np.uint64), ctypes.c_ulonglong),
        (np.array([-(2**63), 0, 2**63 - 1], np.int64), ctypes.c_longlong),
    ],
)
def test_whole_numbers_of_64_bits(tmp_path, labels, kind):
    tree = spinney.DecisionTreeClassifier().fit(np.arange(12.0)[:, None], np.repeat(labels, 4))
    library = build(to_c(tree), tmp_path)
    written = (kind * 3).in_dll(library, "predict_classes")
    assert list(written) == labels.tolist()
