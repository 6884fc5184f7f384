"""SHAP values: exact, of trees."""
