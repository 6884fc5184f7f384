"""The name under which pip installs this library, and the commands that install its extras.

On PyPI the name `spinney` belongs to another project, so the distribution is called `spinney-trees`; the import and the
command are `spinney`. Every message that tells the user to install something takes its command from here.
"""

from __future__ import annotations

DISTRIBUTION = "spinney-trees"


def install_command(extra: str) -> str:
    """The shell command that installs Spinney with one of its extras.

    Examples
    --------
    >>> install_command("plot")
    "pip install 'spinney-trees[plot]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"
