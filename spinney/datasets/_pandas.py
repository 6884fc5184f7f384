"""The one place where the datasets import pandas: late, and with a helpful error."""

from __future__ import annotations

from types import ModuleType

from spinney._distribution import install_command


def import_pandas() -> ModuleType:
    """Return pandas, or say how to get it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"spinney.datasets needs pandas. Install it with: {install_command('datasets')}") from error
    return pandas
