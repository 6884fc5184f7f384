"""`spinney warmup`: compiled kernels ahead of time, as `python -m spinney.warmup`."""

from __future__ import annotations

from typing import Annotated

import typer


def warmup(
    family: Annotated[
        list[str] | None, typer.Argument(help="Families of models; by default all.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every kind of table, not only the common ones.")] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Processes; by default one per core.", show_default=False)
    ] = None,
) -> None:
    """Compile the kernels of all models ahead of time, so that no first fit has to wait.

    Examples:

        spinney warmup

        spinney warmup boosting trees
    """
    from spinney.warmup.__main__ import main

    arguments = [*(family or []), *(["--all"] if every else []), *(["--jobs", str(jobs)] if jobs else [])]
    raise typer.Exit(main(arguments))
