"""The command `python -m spinney.warmup`."""

from __future__ import annotations

import argparse
import sys

import spinney.warmup
from spinney.warmup import compile_ahead, families


def main(arguments: list[str] | None = None) -> int:
    """The command `python -m spinney.warmup`."""
    parser = argparse.ArgumentParser(
        "python -m spinney.warmup", description=(spinney.warmup.__doc__ or "").split("\n\n")[1]
    )
    parser.add_argument("family", nargs="*", help=f"families to compile, from {', '.join(families())} (default: all)")
    parser.add_argument("--all", action="store_true", help="compile for every kind of data, not only the common kinds")
    parser.add_argument("--jobs", type=int, default=None, help="number of processes (default: one per core)")
    given = parser.parse_args(arguments)
    for name in given.family:
        if name not in families():
            parser.error(f"unknown family {name!r}: choose from {', '.join(families())}")
    if given.jobs is not None and given.jobs < 1:
        parser.error(f"--jobs must be at least 1, got {given.jobs}")
    from spinney._compile import cache_folder

    if cache_folder() is None:
        return 2
    failures = compile_ahead(given.family, given.all, given.jobs)
    for line in failures:
        print(f"failed: {line}", file=sys.stderr)
    print(f"Compiled kernels are in {cache_folder()}.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
