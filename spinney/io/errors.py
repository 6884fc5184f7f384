"""The error of model files: what is wrong, and where."""

from __future__ import annotations


class ModelFormatError(ValueError):
    """Raised for a model file that is damaged, forged, or of a format or kind that cannot be read.

    Parameters
    ----------
    problem : str
        What is wrong, as the beginning of a sentence.
    place : str, default=""
        Where it is wrong: a part of the file, or the path of a value, such as "model.forest_.size". Empty if `problem`
        states it.

    Examples
    --------
    >>> import spinney
    >>> try:
    ...     spinney.load(b"no model")
    ... except spinney.ModelFormatError as error:
    ...     print(error.place)
    the first bytes
    """

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(problem, place)
        self.problem, self.place = problem, place

    def __str__(self) -> str:
        return f"{self.problem} (in {self.place})." if self.place else self.problem
