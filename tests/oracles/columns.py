"""What a column of a text file is, cell by cell in plain Python: the slow twin of spinney/tables/kinds.py."""

import math

MISSING = {"", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "<NA>", "?"}


def number_of(cell):
    """A number, or None; Python also takes underscores and spaces for parts of numbers, files do not."""
    if "_" in cell or cell != cell.strip():
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def read_column(cells):
    """(kind, values with None for what is missing) of a column of fewer than thirty cells."""
    cells = [cell.strip() for cell in cells]
    cells = [None if cell in MISSING else cell for cell in cells]
    known = [cell for cell in cells if cell is not None]
    pointed = [cell if cell is None else cell.replace(",", ".", 1) for cell in cells]
    if known and all(cell is None or number_of(cell) is not None for cell in pointed):
        if any(len(cell) > 1 and cell[0] == "0" and cell[1].isdigit() for cell in known):
            return "category", cells
        values = [None if cell is None else number_of(cell) for cell in pointed]
        return "number", [None if value is None or math.isnan(value) else value for value in values]
    if known and all(cell.lower() in ("true", "false") for cell in known):
        return "boolean", [None if cell is None else cell.lower() == "true" for cell in cells]
    return "category", cells
