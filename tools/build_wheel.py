"""Build a wheel with compiled kernels: `make wheel`.

Kernels of every family and kind of table are compiled (`spinney.warmup --all`) for the levels of x86-64 processors that
this machine supports, v3 (AVX2) and v4 (AVX-512), and stored in a copy of the sources as `spinney/_kernels`. The wheel
is for the Python that builds it. With another Numba or another processor, and for kernels that it does not have, users
compile as without the wheel.

    python tools/build_wheel.py [--levels x86-64-v3,x86-64-v4] [--families trees,forests] [--out dist]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ("spinney", "tools", "pyproject.toml", "README.md", "LICENSE")


def main() -> None:
    parser = argparse.ArgumentParser(description="Build a wheel with compiled kernels.")
    parser.add_argument("--levels", default=",".join(runnable_levels()), help="levels of x86-64 (default: %(default)s)")
    parser.add_argument("--families", default="", help="families of spinney.warmup (default: all)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    given = parser.parse_args()
    levels = [level for level in given.levels.split(",") if level]
    if not levels:
        sys.exit("error: this processor has none of the levels that kernels are compiled for.")
    build = ROOT / "build" / "wheel"
    shutil.rmtree(build, ignore_errors=True)
    copy_sources(build)
    for level in levels:
        add_kernels(build, level, [name for name in given.families.split(",") if name])
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", given.out, build]
    subprocess.run(pip, check=True)
    for wheel in sorted(given.out.glob("spinney_trees-*.whl")):
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


def runnable_levels() -> list[str]:
    """The levels that this processor can run, best first."""
    from spinney._compile.settings import LEVELS, host_level

    best, levels = host_level(), list(LEVELS)
    return levels[levels.index(best) :] if best else []


def copy_sources(build: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "_kernels")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, build / name, ignore=ignored)
        else:
            shutil.copy2(source, build / name)


def add_kernels(build: Path, level: str, families: list[str]) -> None:
    """Compile for one level, into a cache that is filled anew."""
    from spinney._compile.cache import packaged_name
    from spinney._compile.settings import LEVEL_FEATURES

    cache = ROOT / "build" / "kernels" / level
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir(mode=0o700, parents=True)
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": level,
        "NUMBA_CPU_FEATURES": LEVEL_FEATURES[level],
        "SPINNEY_CACHE_DIR": str(cache),
        "PYTHONPATH": str(build),
    }
    print(f"Compiling kernels for {level} ...", flush=True)
    command = [sys.executable, "-m", "spinney.warmup", "--all", *families]
    subprocess.run(command, check=True, env=environment, cwd=build)
    target = build / "spinney" / "_kernels" / packaged_name(level)
    target.mkdir(parents=True)
    for path in cache.glob("*/*.bin"):
        shutil.copy2(path, target / path.name)
        (target / path.name).chmod(0o644)


if __name__ == "__main__":
    main()
