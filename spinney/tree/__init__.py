"""Fitted trees: how they are stored, read, and used for predictions."""
