"""Models that leave the house: in files of our own, and for other libraries.

save, load, inspect     model files (model_file.py)
to_sklearn              scikit-learn's estimator with the same trees
"""

from __future__ import annotations

from spinney.io.errors import ModelFormatError
from spinney.io.model_file import inspect, load, save

__all__ = ["ModelFormatError", "inspect", "load", "save"]
