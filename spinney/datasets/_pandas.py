"""Import of pandas for the datasets: late, and with a helpful error."""

from __future__ import annotations

from types import ModuleType

from spinney._distribution import install_command


def import_pandas() -> ModuleType:
    """Return pandas, or raise an error that says how to install it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"spinney.datasets needs pandas. Install it with: {install_command('datasets')}") from error
    return pandas
