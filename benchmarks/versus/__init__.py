"""Spinney compared with other libraries (peers): `boosting`, `trees` and others time, `accuracy` scores."""
