"""The API reference: the public names of the package in, one page for each out, in groups as users think of them.

Docstrings are put together when a module is imported (parameters stand in tables that families share), so that pages
are made from the objects themselves. Of a class, the methods that Spinney defines are described; those that come from
scikit-learn are named.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

_UNDERSCORE = re.compile(r"(?<=\w)_(?=\W|$)")
_CODE = re.compile(r"(``.*?``|`[^`]*`)")
# rooms whose names are public by themselves; what `spinney` has under the same name is on one page, spinney.NAME
ROOMS = ("criteria", "datasets", "evaluate", "explain", "io", "prune", "view", "warmup")
# file of a group -> its title, the guide to it, and its names as one writes them after `spinney.`
GROUPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "trees": (
        "Single trees",
        "trees.md",
        (
            "DecisionTreeClassifier",
            "DecisionTreeRegressor",
            "ExtraTreeClassifier",
            "ExtraTreeRegressor",
            "OptimalTreeClassifier",
            "OptimalTreeRegressor",
            "ID3Classifier",
            "C45Classifier",
            "C50Classifier",
        ),
    ),
    "boosting": (
        "Gradient boosting",
        "boosting.md",
        ("GradientBoostingClassifier", "GradientBoostingRegressor", "boosting_cv", "Loss", "Round"),
    ),
    "forests": (
        "Forests and bagging",
        "forests.md",
        (
            "RandomForestClassifier",
            "RandomForestRegressor",
            "ExtraTreesClassifier",
            "ExtraTreesRegressor",
            "RandomStructureForestClassifier",
            "RandomStructureForestRegressor",
            "IsolationForest",
            "RandomTreesEmbedding",
            "merge_forests",
            "BaggingClassifier",
            "BaggingRegressor",
        ),
    ),
    "adaboost": ("AdaBoost", "adaboost.md", ("AdaBoostClassifier", "AdaBoostRegressor")),
    "combining": (
        "Automatic models, voting, stacking",
        "combining.md",
        (
            "AutoClassifier",
            "AutoRegressor",
            "VotingClassifier",
            "VotingRegressor",
            "RankVoting",
            "aggregate_votes",
            "aggregate_ranks",
            "StackingClassifier",
            "StackingRegressor",
            "BucketOfModels",
            "BucketOfModelsClassifier",
            "BucketOfModelsRegressor",
            "BayesianModelAveraging",
            "BayesianModelAveragingClassifier",
            "BayesianModelAveragingRegressor",
        ),
    ),
    "clustering": (
        "Clustering",
        "clustering.md",
        (
            "KMeans",
            "MiniBatchKMeans",
            "BisectingKMeans",
            "GaussianMixture",
            "BayesianGaussianMixture",
            "elbow",
            "select_components",
        ),
    ),
    "pruning": (
        "Pruning",
        "pruning.md",
        (
            "prune.cost_complexity",
            "prune.cost_complexity_cv",
            "prune.cost_complexity_path",
            "prune.tree_cost",
            "prune.reduced_error",
            "prune.PruningStep",
            "prune.pessimistic",
            "prune.significance",
            "prune.PruningCurve",
        ),
    ),
    "reading": (
        "Reading trees",
        "reading.md",
        ("export_text", "export_rules", "export_graphviz", "plot_tree", "trees_to_frame"),
    ),
    "pictures": (
        "Pictures",
        "gallery/index.md",
        (
            "plot_regions",
            "plot_predictions",
            "plot_side_by_side",
            "plot_importances",
            "plot_impurity_curves",
            "plot_split_gains",
            "plot_adaboost_rounds",
            "plot_amount_of_say",
            "plot_residual_rounds",
            "plot_staged_errors",
            "plot_kmeans_steps",
            "plot_em_steps",
            "plot_elbow",
            "plot_confusion_matrix",
            "plot_learning_curve",
            "plot_validation_curve",
            "plot_bias_variance",
        ),
    ),
    "judging": (
        "Evaluating models",
        "judging.md",
        (
            "evaluate.confusion_matrix",
            "evaluate.classification_report",
            "evaluate.specificity_score",
            "evaluate.cross_validate",
            "evaluate.search",
            "evaluate.validation_curve",
            "evaluate.learning_curve",
            "evaluate.bias_variance",
            "evaluate.BiasVariance",
            "evaluate.ConfusionMatrix",
            "evaluate.CrossValidation",
            "evaluate.OpenedTable",
            "evaluate.ValidationCurve",
            "evaluate.LearningCurve",
        ),
    ),
    "explaining": (
        "Explaining models",
        "explaining.md",
        (
            "explain.shap",
            "explain.Explanation",
            "explain.plot_waterfall",
            "explain.plot_shap_bars",
            "explain.plot_beeswarm",
            "explain.plot_shap_dependence",
            "explain.plot_interactions",
            "explain.partial_dependence",
            "explain.ice",
            "explain.ale",
            "explain.friedman_h",
            "explain.PartialDependenceDisplay",
            "explain.ALEDisplay",
            "explain.importances",
            "explain.path",
            "explain.ensemble_rules",
            "explain.proximity",
            "explain.nearest_rows",
            "explain.outlier_scores",
            "explain.counterfactual",
            "explain.Counterfactual",
            "explain.Counterfactuals",
            "explain.surrogate",
            "explain.Surrogate",
            "explain.select_features",
            "explain.Selection",
        ),
    ),
    "reporting": ("Reports", "reporting.md", ("report",)),
    "scaling": ("Larger tables", "scaling.md", ("open_table",)),
    "criteria": (
        "Criteria",
        "trees.md",
        (
            "criteria.entropy",
            "criteria.gini",
            "criteria.error_rate",
            "criteria.tsallis",
            "criteria.tsallis_criterion",
            "criteria.impurity_decrease",
            "criteria.information_gain",
            "criteria.gain_ratio",
            "criteria.count_trees",
            "candidate_splits",
            "criteria.amount_of_say",
            "criteria.reweight",
            "criteria.Reweighting",
            "criteria.huffman_code",
            "criteria.HuffmanCode",
        ),
    ),
    "shipping": (
        "Saving and exporting",
        "shipping.md",
        (
            "save",
            "load",
            "io.inspect",
            "ModelFormatError",
            "to_onnx",
            "to_python",
            "to_c",
            "to_json",
            "to_sklearn",
        ),
    ),
    "importing": (
        "Models of other libraries",
        "importing.md",
        ("from_lightgbm", "from_xgboost", "from_sklearn", "ImportedClassifier", "ImportedRegressor"),
    ),
    "datasets": (
        "Datasets",
        "tutorial.md",
        (
            "datasets.load_penguins",
            "datasets.load_flights",
            "datasets.load_restaurant",
            "datasets.load_tennis",
            "datasets.load_ten_points",
            "datasets.load_heart",
            "datasets.restaurant_tree",
        ),
    ),
    "warmup": ("Compiling ahead", "installing.md", ("warmup.compile_ahead", "warmup.families")),
}


def public_names() -> list[str]:
    """Every public name, as one writes it after `spinney.`; a name that `spinney` and a room share is spinney's."""
    import spinney

    own = [name for name in spinney.__all__ if not isinstance(getattr(spinney, name), ModuleType)]
    rooms = {room: import_module(f"spinney.{room}") for room in ROOMS}
    return own + [f"{room}.{name}" for room, module in rooms.items() for name in module.__all__ if name not in own]


def find(name: str) -> Any:
    """The object of a public name."""
    room, _, last = f"spinney.{name}".rpartition(".")
    return getattr(import_module(room), last)


def methods(kind: type) -> tuple[list[str], list[str]]:
    """The public methods of a class, in the order of their names: those of Spinney's, and those that it inherits.

    Methods that other modules call are not for users; their docstrings say "for internal use".
    """
    found = [name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name, None))]
    found = [name for name in found if "for internal use" not in (getattr(kind, name).__doc__ or "")]
    ours = [name for name in found if _home(kind, name).startswith("spinney")]
    # routing of arguments makes one `set_..._request` for each method, which few want to read about
    others = [name for name in found if name not in ours and not name.endswith("_request")]
    return ours, others if _is_estimator(kind) else []


def without_targets(line: str) -> str:
    """A line of a docstring in which words that end in an underscore are no links; code stays as it is.

    >>> without_targets("classes_ and `classes_`, a_b")
    'classes\\\\_ and `classes_`, a_b'
    """
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = _CODE.split(line)
    parts[::2] = [_UNDERSCORE.sub(r"\\_", part) for part in parts[::2]]
    return "".join(parts)


def _home(kind: type, name: str) -> str:
    """The module that defines a method."""
    return str(getattr(inspect.unwrap(getattr(kind, name)), "__module__", ""))


def _is_estimator(kind: type) -> bool:
    return hasattr(kind, "get_params")


def write(folder: Path) -> None:
    """All pages of the reference, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for group, (title, guide, names) in GROUPS.items():
        pages = {name: f"spinney.{name}" for name in names}
        (folder / f"{group}.md").write_text(_group(title, guide, names), encoding="utf-8")
        for name, page in pages.items():
            (folder / f"{page}.rst").write_text(_page(name), encoding="utf-8")
    (folder / "index.md").write_text(_index(), encoding="utf-8")


def _summary(name: str) -> str:
    first = (inspect.getdoc(find(name)) or "").split("\n\n")[0].replace("\n", " ")
    return first.replace("|", "\\|")


def _table(names: tuple[str, ...]) -> str:
    rows = [f"| `{name}` | {_summary(name)} |" for name in names]
    return "\n".join(["| name | what it is |", "|---|---|", *rows])


def _group(title: str, guide: str, names: tuple[str, ...]) -> str:
    pages = [f"{name.rpartition('.')[2]} <spinney.{name}>" for name in names]
    tree = "\n".join(["```{toctree}", ":hidden:", "", *pages, "```"])
    return f"# {title}\n\nThe guide: {{doc}}`/{guide.removesuffix('.md')}`.\n\n{_table(names)}\n\n{tree}\n"


def _index() -> str:
    parts = [
        "# API reference",
        "Every public name, from its docstring. `from spinney import NAME` loads what it needs when it is used; "
        "names of sub-modules are written with them, as in `spinney.evaluate.search`.",
    ]
    for group, (title, _, names) in GROUPS.items():
        parts += [f"## [{title}]({group}.md)", _table(names)]
    tree = "\n".join(["```{toctree}", ":hidden:", "", *GROUPS, "```"])
    return "\n\n".join([*parts, tree]) + "\n"


def _page(name: str) -> str:
    """One name, in reStructuredText, which is what docstrings are read as."""
    module, _, last = f"spinney.{name}".rpartition(".")
    lines = [last, "=" * len(last), "", f".. currentmodule:: {module}", ""]
    if not inspect.isclass(found := find(name)):
        return "\n".join([*lines, f".. autofunction:: {last}", ""])
    ours, others = methods(found)
    lines += [f".. autoclass:: {last}", ""]
    if ours:
        lines += [".. rubric:: Methods", ""]
        for method in ours:
            lines += [f".. automethod:: {last}.{method}", ""]
    if others:
        named = ", ".join(f"``{method}``" for method in others)
        lines += [f"From scikit-learn's base classes: {named}.", ""]
    return "\n".join(lines)
