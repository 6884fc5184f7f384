"""`spinney warmup`: compile kernels ahead of time, like `python -m spinney.warmup`."""

from __future__ import annotations

from typing import Annotated

import typer

from spinney.cli import options
from spinney.tables.errors import suggestion, usage


def warmup(
    family: Annotated[
        list[str] | None,
        options.argument(
            help="Families of models: boosting, trees, forests, adaboost, bagging, auto, classic, clustering, pruning, "
            "sparse, imported, explain. By default all."
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Compile for all kinds of tables, not only the common ones.")
    ] = False,
    jobs: Annotated[
        int | None, options.option("--jobs", min=1, help="Number of processes. By default one per core.")
    ] = None,
) -> None:
    """Compile the kernels of all models ahead of time, so that first fits do not wait for it.

    Compiled kernels are kept in a folder that `spinney doctor` names.

    Examples:

        spinney warmup

        spinney warmup boosting trees
    """
    from spinney.warmup import families
    from spinney.warmup.__main__ import main

    for one in family or []:
        if one not in families():
            raise usage(f"there is no family {one!r}; {suggestion(one, families())}")
    arguments = [*(family or []), *(["--all"] if every else []), *(["--jobs", str(jobs)] if jobs else [])]
    raise typer.Exit(main(arguments))
