"""The report of a model: one HTML page that loads nothing else (`making.py` has `report`)."""
