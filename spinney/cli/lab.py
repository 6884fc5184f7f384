"""`spinney lab`: a page that shows the methods step by step, in a browser."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from spinney._distribution import install_command
from spinney.cli import options
from spinney.tables.errors import TableError


def lab(
    link: Annotated[str, options.argument(metavar="[LINK]", help="Link to a step, copied from the page.")] = "",
    port: Annotated[
        int | None,
        options.option(
            "--port", min=1, max=65535, help="Port of the server. By default 8765, or any free port if it is taken."
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Open a page that shows step by step how trees, forests, boosting and clustering are fitted.

    The page is served on this machine only, to anyone who has the printed address. Ctrl-C stops the server.

    Examples:

        spinney lab

        spinney lab --port 9000 --no-browser
    """
    if find_spec("pandas") is None:
        raise TableError(f"the lab needs pandas. Install with: {install_command('lab')}")
    from spinney.lab.server import serve

    try:
        serve(port, link=link, browser=browser, say=lambda text: print(text, flush=True))
    except OSError as error:
        raise TableError(f"port {port} is not available: {error.strerror or error}.") from error
