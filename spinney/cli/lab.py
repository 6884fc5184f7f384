"""`spinney lab`: the methods of the lectures at work, step by step, in a browser."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from spinney._distribution import install_command
from spinney.tables.errors import TableError


def lab(
    link: Annotated[
        str, typer.Argument(metavar="[LINK]", help="A link to a step, as the page gives it.", show_default=False)
    ] = "",
    port: Annotated[
        int | None,
        typer.Option("--port", min=1, max=65535, help="By default 8765 or, if taken, any.", show_default=False),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open a browser.")] = True,
) -> None:
    """Open a page that shows trees, forests, boosting and clustering learn, step by step, on tables of your choice.

    The page is served on this machine alone, to whoever has the address that is printed; Ctrl-C stops it.

    Examples:

        spinney lab

        spinney lab --port 9000 --no-browser
    """
    if find_spec("pandas") is None:
        raise TableError(f"the lab needs pandas: {install_command('lab')}")
    from spinney.lab.server import serve

    try:
        serve(port, link=link, browser=browser, say=lambda text: print(text, flush=True))
    except OSError as error:
        raise TableError(f"port {port} cannot be had: {error.strerror or error}.") from error
