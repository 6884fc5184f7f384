"""No logarithm or exponential of libm's, NumPy's or SciPy's reaches a model: they differ from machine to machine.

Every file of the rooms that make models is read for calls of such functions. What is left is listed here with the
reason why it cannot change a model.
"""

import ast
from pathlib import Path

import pytest

import spinney

PACKAGE = Path(spinney.__file__).parent
ROOMS = [
    "data",
    "criteria",
    "tree",
    "grow",
    "ensemble",
    "estimators",
    "prune",
]
INEXACT = {
    *(
        "log",
        "log2",
        "log10",
        "log1p",
        "logaddexp",
        "logaddexp2",
        "exp",
        "exp2",
        "expm1",
        "pow",
        "power",
        "float_power",
    ),
    *("cbrt", "hypot", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan", "arctan2"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "arcsinh", "arccosh", "arctanh", "erf", "erfc", "gamma"),
    *("lgamma", "sinc", "i0"),
}
LIBRARIES = {"math", "cmath", "np", "numpy", "scipy"}
WHOLE_LIBRARIES = ("scipy.special", "scipy.stats", "statistics")  # every function of theirs counts
EXACT = {"scipy.stats.rankdata"}  # sorts and counts

# file: {what: why it cannot change a model}
ALLOWED = {
    "criteria/measures.py": {
        name: "tsallis_criterion is a custom criterion, compiled like a user's; its docstring says what may differ"
        for name in ("math.log", "a ** order", "b ** order", "both ** order")
    },
    "criteria/pessimism.py": {
        "statistics.NormalDist": "the quantile is rounded to 12 digits, which takes away the last bits that may differ",
    },
    "criteria/significance.py": {
        "scipy.stats.chi2": "critical values are rounded to 9 digits, which takes away the last bits that may differ",
    },
    "estimators/adaboost.py": {"scipy.special.softmax": "predict_proba: a prediction, the model is fitted"},
    "ensemble/boosting/scoring.py": {
        "np.log": "predict_log_proba with a loss of one's own: a prediction, the model is fitted"
    },
    "estimators/clusters/mixture.py": {"np.log": "bic: a number about a fitted mixture"},
    "estimators/clusters/mixture_model.py": {"np.exp": "component_densities: a prediction, the model is fitted"},
    "tree/links.py": {
        "np.log": "predict_log_proba: a prediction, the model is fitted",
        **{
            name: "inverses of links, for counterfactual explanations: the model is fitted"
            for name in ("math.log", "math.log2", "math.expm1")
        },
        "scipy.special.softmax": "probabilities of AdaBoost: a prediction, the model is fitted",
    },
}


def inexact_calls(text):
    """Functions of other libraries in a piece of source that may differ in their last bits."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                root = node.module.split(".")[0]
                if name in EXACT:
                    continue
                is_inexact = root in LIBRARIES and alias.name in INEXACT
                if is_inexact or node.module.startswith(WHOLE_LIBRARIES) or name.startswith(WHOLE_LIBRARIES):
                    found.add(name)
        elif isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            root = name.split(".")[0]
            if root in LIBRARIES and (node.attr in INEXACT or name.startswith(WHOLE_LIBRARIES)) and name not in EXACT:
                found.add(name)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and not is_exact_power(node):
            found.add(ast.unparse(node))
    return found


def is_exact_power(node):
    """Powers of two, and whole powers, which are products."""
    base, exponent = node.left, node.right
    if isinstance(exponent, ast.UnaryOp):
        exponent = exponent.operand
    is_whole = isinstance(exponent, ast.Constant) and isinstance(exponent.value, int)
    return is_whole or (isinstance(base, ast.Constant) and base.value == 2)


FILES = sorted(path for room in ROOMS for path in (PACKAGE / room).rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_logarithms_and_exponentials_are_our_own(path):
    allowed = ALLOWED.get(path.relative_to(PACKAGE).as_posix(), {})
    assert inexact_calls(path.read_text()) == set(allowed)


def test_the_list_names_files_that_are_there():
    assert {path.relative_to(PACKAGE).as_posix() for path in FILES} >= set(ALLOWED)


@pytest.mark.parametrize(
    "text",
    [
        "np.log(x)",
        "numpy.exp2(x)",
        "math.log1p(x)",
        "from math import exp",
        "from scipy.special import logsumexp",
        "from scipy import stats",
        "import scipy.stats\nscipy.stats.norm.ppf(x)",
        "x ** 0.3",
        "x ** y",
        "np.power(x, 3)",
        "from statistics import NormalDist",
    ],
)
def test_what_is_found(text):
    assert inexact_calls(text)


@pytest.mark.parametrize("text", ["np.sqrt(x)", "x ** 2", "2.0 ** -k", "log(x)", "from spinney.criteria import log"])
def test_what_is_not(text):
    assert not inexact_calls(text)
