"""Model files, exports to other formats and libraries, and imports of models from other libraries.

save, load, inspect     model files (model_file.py)
to_sklearn              scikit-learn's estimator with the same trees
to_onnx                 an ONNX graph; to_json, to_python, to_c: text
from_*                  trees of XGBoost, LightGBM and scikit-learn in Spinney's tree storage
"""

from __future__ import annotations

from spinney.io.checks import ModelFormatError
from spinney.io.model_file import inspect, load, save

__all__ = ["ModelFormatError", "inspect", "load", "save"]
