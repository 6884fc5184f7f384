"""What goes wrong with files of models."""

from __future__ import annotations


class ModelFormatError(ValueError):
    """A file or text is not a model, or not one that can be read: damaged, cut off, or of a kind that is refused."""
