"""Models that leave the house, in files of our own and for other libraries, and models of theirs that come in.

save, load, inspect     model files (model_file.py)
to_sklearn              scikit-learn's estimator with the same trees
to_onnx                 an ONNX graph; to_json, to_python, to_c: text
from_*                  trees of XGBoost, LightGBM and scikit-learn in our store
"""

from __future__ import annotations

from spinney.io.errors import ModelFormatError
from spinney.io.model_file import inspect, load, save

__all__ = ["ModelFormatError", "inspect", "load", "save"]
