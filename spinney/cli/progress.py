"""Progress: a bar on standard error for operations of more than a second; none if that is not a terminal."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from spinney.cli.terminal import printable

_PATIENCE = 1.0  # seconds without a bar


class Working:
    """A bar that appears after a second, and is removed at the end.

    with Working() as work:
        work.say("reading")
        work.step(3, 5)
        work.pause()          # before anything else is written
    """

    def __init__(self, wanted: bool = True) -> None:
        console = Console(stderr=True)
        self._wanted = wanted and console.is_terminal
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("", total=None)
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Working:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pause()

    def say(self, text: str) -> None:
        """Show what is being done."""
        self._bar.update(self._task, description=escape(printable(text)), total=None, completed=0)
        if self._wanted and self._timer is None:
            self._timer = threading.Timer(_PATIENCE, self._bar.start)
            self._timer.daemon = True
            self._timer.start()

    def pause(self) -> None:
        """Remove the bar."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._bar.stop()
            self._timer = None

    def step(self, done: int, of: int | None) -> None:
        """Show how far it is."""
        self._bar.update(self._task, completed=done, total=of)

    def rounds(self, title: str) -> Any:
        """A callback for the rounds of boosting."""

        def tell(info: Any) -> bool:
            words = f"{title}, round {info.number}"
            self._bar.update(self._task, description=words, completed=info.number, total=info.n_rounds)
            return False

        return tell
