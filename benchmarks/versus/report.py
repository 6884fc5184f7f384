"""Tables of results: one per case for the terminal, a Markdown table, JSON, and the figures to record."""

import datetime
import json
import platform
from dataclasses import asdict
from pathlib import Path

from benchmarks.versus.cases import FASTEST, Case
from benchmarks.versus.crowd import cores
from benchmarks.versus.measure import Result
from benchmarks.versus.peers import Peer
from benchmarks.versus.quality import MORE_IS_BETTER

Row = tuple[Case, str, list[Result]]  # a case, what was run, what was found
SPINNEY = "spinney"
CLOSE_AUC = 0.0005


def machine() -> str:
    """The processor and the number of cores this process may use."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":", 1)[1].strip() if lines else model
    return f"{model}, {len(cores())} cores"


def versions(peers: list[Peer]) -> str:
    """The libraries that took part, with their versions."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for module in dict.fromkeys(peer.module for peer in peers):
        name = {"sklearn": "scikit-learn", "sklearnex": "scikit-learn-intelex"}.get(module, module)
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "(not installed)"
    return ", ".join(f"{name} {number}" for name, number in found.items())


def rival(case: Case, results: list[Result], symmetric: bool = True) -> Result | None:
    """The peer that Spinney's figure is held against: the fastest, or the one the case names."""
    others = [r for r in results if r.peer != SPINNEY and r.value is not None and case.registry[r.peer].rival]
    if case.against not in (FASTEST, None):
        others = [r for r in others if r.peer == case.against]
    if not symmetric:
        others = [r for r in others if not case.registry[r.peer].symmetric]
    return min(others, key=lambda r: r.value or 0.0, default=None)


def print_case(case: Case, shape: str, results: list[Result]) -> None:
    """The peers of one case, fastest first, with ratios to the rival."""
    bar = f"; bar: at most {case.bar_text}" if case.bar else ""
    print(f"\n{case.name}: {case.title} ({shape}){bar}")
    names = list(dict.fromkeys(name for r in results for name in r.quality))
    base = rival(case, results)
    print(f"  {'peer':22s}{case.unit:>12s}{'ratio':>9s}" + "".join(f"{name:>12s}" for name in names))
    for r in sorted(results, key=lambda r: float("inf") if r.value is None else r.value):
        if r.value is None:
            print(f"  {r.peer:22s}  failed: {r.error}")
            continue
        ratio = f"{r.value / base.value:9.2f}" if base and base.value else f"{'-':>9s}"
        extra = "".join(f"{_short(r.quality.get(name)):>12s}" for name in names)
        print(f"  {r.peer:22s}{r.value:12.4g}{ratio}{extra}")
    print(f"  {verdict(case, results)}")


def verdict(case: Case, results: list[Result]) -> str:
    """Whether Spinney clears the bar, and how its AUC compares with the best peer's."""
    own = _value(results, SPINNEY)
    base = rival(case, results)
    if own is None:
        return "no figure for Spinney"
    if case.bar is None:
        return f"spinney {own:.4g} {case.unit}"
    if case.bar.against is None:
        return f"spinney {own:.4g} {case.unit}: {_cleared(own, case.bar.limit)}" + _auc_remark(results)
    if base is None or not base.value:
        return "no peer to compare with"
    text = f"spinney / {base.peer} = {own / base.value:.2f}: {_cleared(own / base.value, case.bar.limit)}"
    other = rival(case, results, symmetric=False)
    if case.registry[base.peer].symmetric and other is not None and other.value is not None:
        text += f"; without symmetric trees: spinney / {other.peer} = {own / other.value:.2f}"
    return text + _auc_remark(results)


def markdown(rows: list[Row]) -> str:
    """The table for docs/benchmarks.md, with the machine and the date."""
    lines = [
        f"Measured on {datetime.date.today().isoformat()}: {machine()}; {versions(_peers(rows))}.",
        "",
        "| what | table | Spinney | ratio | bar | test part: Spinney, best peer | each library's best |",
        "|---|---|--:|--:|--:|---|---|",
    ]
    for case, shape, results in rows:
        own, base = _value(results, SPINNEY), rival(case, results)
        ratio = f"{own / base.value:.2f}" if own and base and base.value and case.against else "-"
        figures = [_figure(own, case), ratio, case.bar_text, _test_part(results), _others(case, results)]
        lines.append(f"| {case.title} | {shape} | {' | '.join(figures)} |")
    return "\n".join(lines)


def figures(case: Case, results: list[Result]) -> dict[str, float]:
    """Spinney's figure, and the best of every library, for benchmarks/results.toml."""
    found: dict[str, float] = {}
    libraries = set()
    for value, peer in sorted((r.value, r.peer) for r in results if r.value is not None):
        library = case.registry[peer].module
        if peer == SPINNEY or (library != SPINNEY and (library not in libraries or peer == case.against)):
            found[peer] = value
        libraries.add(library)
    return found


def as_json(rows: list[Row]) -> str:
    """All figures, with the machine, the versions and the date."""
    cases = [
        {
            "case": case.name,
            "title": case.title,
            "shape": shape,
            "unit": case.unit,
            "bar": case.bar_text,
            "verdict": verdict(case, results),
            "results": [asdict(result) for result in results],
        }
        for case, shape, results in rows
    ]
    head = {"date": datetime.date.today().isoformat(), "machine": machine(), "versions": versions(_peers(rows))}
    return json.dumps({**head, "cases": cases}, indent=1)


def _peers(rows: list[Row]) -> list[Peer]:
    return [case.registry[result.peer] for case, _, results in rows for result in results]


def _test_part(results: list[Result]) -> str:
    """The first figure of quality: Spinney's and that of the best peer."""
    if not any(r.quality for r in results) or any("busy s" in r.quality for r in results):
        return "-"
    name = next(iter(next(r.quality for r in results if r.quality)))
    found = {r.peer: r.quality[name] for r in results if name in r.quality}
    own = found.pop(SPINNEY, None)
    best = (max if name in MORE_IS_BETTER else min)(found.values(), default=None)
    return f"{name} " + ", ".join("-" if value is None else f"{value:.4f}" for value in (own, best))


def _others(case: Case, results: list[Result]) -> str:
    """The best figure of every library in a line, fastest first, and in any case the one that the bar names."""
    shown: dict[str, str] = {}
    libraries = set()
    for value, peer in sorted((r.value, r.peer) for r in results if r.peer != SPINNEY and r.value is not None):
        library = case.registry[peer].module
        if library not in libraries or peer == case.against:
            shown[peer] = _figure(value, case)
        libraries.add(library)
    return ", ".join(f"{peer} {figure}" for peer, figure in shown.items())


def _figure(value: float | None, case: Case) -> str:
    return "-" if value is None else f"{value:.3g} {case.unit}"


def _short(value: float | None) -> str:
    """A figure of quality, or a count."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value.is_integer() else f"{value:.5f}"


def _value(results: list[Result], peer: str) -> float | None:
    return next((r.value for r in results if r.peer == peer), None)


def _cleared(figure: float, limit: float) -> str:
    return f"{'clears' if figure <= limit else 'MISSES'} the bar of {limit:g}"


def _auc_remark(results: list[Result]) -> str:
    """How far Spinney's AUC lies behind the best peer's, where there is one."""
    auc = {r.peer: r.quality["AUC"] for r in results if "AUC" in r.quality}
    own = auc.pop(SPINNEY, None)
    if own is None or not auc:
        return ""
    behind = max(auc.values()) - own
    distance = f"{abs(behind):.5f} {'behind' if behind > 0 else 'ahead of'} the best peer"
    return f"; AUC {distance} ({'within' if behind <= CLOSE_AUC else 'NOT within'} {CLOSE_AUC})"
