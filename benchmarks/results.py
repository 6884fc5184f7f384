"""The results file: every measured figure that README.md, CHANGELOG.md and the guides print, in `results.toml`.

The file has groups (`[boosting]`) and entries (`[boosting.leaves31]`). A group names the command, the date, the machine
and the versions of the other libraries; an entry says what was measured, Spinney's figure, the figures of the other
libraries, and the date, machine or versions where its own differ from the group's. A group may list its entries in
`rows` instead, where nothing refers to a single one.

`python -m benchmarks.versus.boosting --case all --record` updates the entries of the cases that it ran;
`python -m tools.figures` copies the figures into the pages.
"""

import datetime
import json
import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("results.toml")
OF_A_RUN = ("command", "date", "machine", "versions")
LIBRARIES = {  # the name in the pages of each way to use a library
    "catboost": "CatBoost (symmetric trees)",
    "catboost_lossguide": "CatBoost",
    "hessboost": "hessboost",
    "hessboost_lossguide": "hessboost",
    "hessboost_quantised": "hessboost quantised",
    "intelex": "Intel's extension",
    "lightgbm": "LightGBM",
    "lightgbm_columnwise": "LightGBM",
    "lightgbm_quantised": "LightGBM quantised",
    "shap": "`shap`",
    "sklearn": "scikit-learn",
    "sklearn_exact": "scikit-learn's GradientBoosting",
    "sklearnex": "Intel's extension",
    "xgboost": "XGBoost",
    "xgboost_exact": "XGBoost exact",
    "xgboost_lossguide": "XGBoost",
}
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "µs": 1_000_000}

Entry = dict[str, Any]


def load(path: Path = FILE) -> dict[str, list[Entry]]:
    """All entries by name, and those of a group by the group's name; each with what its group says of the run."""
    found: dict[str, list[Entry]] = {}
    for group, content in tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal).items():
        run = {key: content[key] for key in OF_A_RUN if key in content}
        entries = {name: run | entry for name, entry in content.items() if isinstance(entry, dict)}
        found[group] = [*entries.values(), *(run | entry for entry in content.get("rows", []))] or [run]
        found |= {f"{group}.{name}": [entry] for name, entry in entries.items()}
    return found


def ratio(entry: Entry) -> Decimal | None:
    """Spinney's figure over the smallest of the others': the one in the file, else that of the printed figures."""
    others = [Decimal(value) for value in entry.get("others", {}).values() if not isinstance(value, str)]
    if "ratio" in entry:
        return Decimal(entry["ratio"])
    if not others or isinstance(entry.get("spinney", ""), str):
        return None
    return Decimal(entry["spinney"]) / min(others)


def record(
    group: str,
    case: str,
    what: str,
    unit: str,
    figures: Mapping[str, float],
    run: Mapping[str, str],
    path: Path = FILE,
) -> list[str]:
    """Write one case's figures (by library, Spinney's as `spinney`) into the file; other entries stay as they are.

    Returns the fields that the entry had and has no longer, since a comparison does not measure them.
    """
    text = path.read_text(encoding="utf-8")
    content = tomllib.loads(text, parse_float=Decimal)[group]
    old = content.get(case, {})
    unit_there = old.get("unit", unit)
    factor = _PER_SECOND.get(unit_there, 1) / _PER_SECOND.get(unit, 1)
    rounded = {LIBRARIES.get(name, name): _rounded(value * factor) for name, value in figures.items()}
    entry: Entry = {"what": old.get("what", what), "spinney": rounded.pop("spinney"), "unit": unit_there}
    if rounded:
        entry["others"] = dict(sorted(rounded.items(), key=lambda item: item[1]))
    now = {**run, "date": datetime.date.today()}
    entry |= {key: value for key, value in now.items() if content.get(key) != value}
    path.write_text(_with_section(text, group, case, _section(f"{group}.{case}", entry)), encoding="utf-8")
    return sorted(set(old) - set(entry) - {"ratio", *OF_A_RUN})


def _with_section(text: str, group: str, case: str, section: str) -> str:
    """The file with one section replaced, or put after the last one of its group."""
    old = re.compile(rf"^\[{group}\.{case}\]\n(?:(?![\[#]).*\n)*", re.MULTILINE)
    if old.search(text):
        return old.sub(lambda _: section + "\n", text)
    last = list(re.finditer(rf"^\[{group}(?:\.\w+)?\]\n(?:(?![\[#]).*\n)*", text, re.MULTILINE))[-1]
    return text[: last.end()].rstrip("\n") + "\n\n" + section + "\n" + text[last.end() :]


def _section(name: str, entry: Entry) -> str:
    return f"[{name}]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in entry.items())


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {_toml(one)}" for key, one in value.items())
        return "{" + inner + "}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name) else json.dumps(name, ensure_ascii=False)


def _rounded(value: float) -> Decimal:
    """Three significant digits, as the pages print them."""
    return Decimal(f"{Decimal(f'{value:.3g}'):f}")
