"""Tables of results: one per case for the terminal, and the table for the README."""

import datetime
import platform
from pathlib import Path

from benchmarks.versus.cases import FASTEST, Case
from benchmarks.versus.crowd import cores
from benchmarks.versus.measure import Result
from benchmarks.versus.peers import PEERS

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


def versions(peers: list[str]) -> str:
    """The libraries that took part, with their versions."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for module in dict.fromkeys(PEERS[peer].module for peer in peers):
        name = "scikit-learn" if module == "sklearn" else module
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "(not installed)"
    return ", ".join(f"{name} {number}" for name, number in found.items())


def rival(case: Case, results: list[Result], symmetric: bool = True) -> Result | None:
    """The peer that Spinney's figure is held against: the fastest, or the one the case names."""
    others = [r for r in results if r.peer != SPINNEY and r.value is not None]
    if case.bar.against not in (FASTEST, None):
        others = [r for r in others if r.peer == case.bar.against]
    if not symmetric:
        others = [r for r in others if not PEERS[r.peer].symmetric]
    return min(others, key=lambda r: r.value or 0.0, default=None)


def print_case(case: Case, shape: str, results: list[Result]) -> None:
    """The peers of one case, fastest first, with ratios to the rival."""
    print(f"\n{case.name}: {case.title} ({shape}); bar: at most {case.bar_text}")
    names = list(dict.fromkeys(name for r in results for name in r.quality))
    base = rival(case, results)
    print(f"  {'peer':22s}{case.unit:>12s}{'ratio':>9s}" + "".join(f"{name:>12s}" for name in names))
    for r in sorted(results, key=lambda r: float("inf") if r.value is None else r.value):
        if r.value is None:
            print(f"  {r.peer:22s}  failed: {r.error}")
            continue
        ratio = f"{r.value / base.value:9.2f}" if base and base.value else f"{'-':>9s}"
        extra = "".join(f"{r.quality[name]:12.5f}" if name in r.quality else f"{'-':>12s}" for name in names)
        print(f"  {r.peer:22s}{r.value:12.4g}{ratio}{extra}")
    print(f"  {verdict(case, results)}")


def verdict(case: Case, results: list[Result]) -> str:
    """Whether Spinney clears the bar, and how its AUC compares with the best peer's."""
    own = _value(results, SPINNEY)
    base = rival(case, results)
    if own is None:
        return "no figure for Spinney"
    if case.bar.against is None:
        return f"spinney {own:.4g} {case.unit}: {_cleared(own, case.bar.limit)}" + _auc_remark(results)
    if base is None or base.value is None:
        return "no peer to compare with"
    text = f"spinney / {base.peer} = {own / base.value:.2f}: {_cleared(own / base.value, case.bar.limit)}"
    other = rival(case, results, symmetric=False)
    if PEERS[base.peer].symmetric and other is not None and other.value is not None:
        text += f"; without symmetric trees: spinney / {other.peer} = {own / other.value:.2f}"
    return text + _auc_remark(results)


def markdown(rows: list[tuple[Case, str, list[Result]]]) -> str:
    """The table for the README, with the machine and the date."""
    peers = list(dict.fromkeys(r.peer for _, _, results in rows for r in results))
    lines = [
        f"Measured on {datetime.date.today().isoformat()}: {machine()}; {versions(peers)}.",
        "",
        "| what | table | Spinney | ratio | bar | test part: Spinney, best peer | each library's best |",
        "|---|---|--:|--:|--:|---|---|",
    ]
    for case, shape, results in rows:
        own, base = _value(results, SPINNEY), rival(case, results)
        ratio = f"{own / base.value:.2f}" if own and base and base.value and case.bar.against else "-"
        figures = [_figure(own, case), ratio, case.bar_text, _test_part(results), _others(case, results)]
        lines.append(f"| {case.title} | {shape} | {' | '.join(figures)} |")
    return "\n".join(lines)


def _test_part(results: list[Result]) -> str:
    """The first figure of quality: Spinney's and that of the best peer."""
    if not any(r.quality for r in results) or any("busy s" in r.quality for r in results):
        return "-"
    name = next(iter(next(r.quality for r in results if r.quality)))
    found = {r.peer: r.quality[name] for r in results if name in r.quality}
    own = found.pop(SPINNEY, None)
    best = (max if name == "AUC" else min)(found.values(), default=None)
    return f"{name} " + ", ".join("-" if value is None else f"{value:.4f}" for value in (own, best))


def _others(case: Case, results: list[Result]) -> str:
    """The best figure of every library in a line, fastest first, and in any case the one that the bar names."""
    shown: dict[str, str] = {}
    libraries = set()
    for value, peer in sorted((r.value, r.peer) for r in results if r.peer != SPINNEY and r.value is not None):
        if PEERS[peer].module not in libraries or peer == case.bar.against:
            shown[peer] = _figure(value, case)
        libraries.add(PEERS[peer].module)
    return ", ".join(f"{peer} {figure}" for peer, figure in shown.items())


def _figure(value: float | None, case: Case) -> str:
    return "-" if value is None else f"{value:.3g} {case.unit}"


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
