"""The one place where the datasets import pandas: late, and with a helpful error."""

from __future__ import annotations

from types import ModuleType


def import_pandas() -> ModuleType:
    """Return pandas, or say how to get it."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("spinney.datasets returns pandas tables; install it with `pip install pandas`.") from error
    return pandas
