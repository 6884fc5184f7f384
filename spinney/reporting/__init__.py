"""The report of a model: one page of HTML, without anything from elsewhere (`making.py` has `report`)."""
