"""Python code that reproduces a step: table, model, numbers and figure.

In: a method, its table and parameters, and the number of the step. Out: a program that runs without changes.
"""

from __future__ import annotations

from spinney._distribution import install_command
from spinney.lab.methods import Method
from spinney.lab.parameters import Values
from spinney.lab.tables import LabTable


def write(method: Method, table: LabTable, values: Values, at: int) -> str:
    """Return the program of one step."""
    body = method.code(table, values, at)
    *others, last = body
    picture = [f"plt.figure(figsize=({'13, 7' if last.startswith('plot_tree') else '7, 5.5'}))", last, "plt.show()"]
    if last.startswith(("plot_adaboost", "plot_residual", "plot_kmeans", "plot_em")):  # these make their own figures
        picture = picture[1:]
    lines = [*table.code, *others]
    imports = sorted(
        {line for line in lines if line.startswith(("import ", "from "))},
        key=lambda line: (_home(line), line.startswith("from"), line),
    )
    rest = [line for line in lines if line and not line.startswith(("import ", "from "))]
    return "\n".join(
        [
            f"# {method.title}, {table.name}: step {at + 1}, as the lab shows it",
            *_blocks(imports),
            "",
            *rest,
            "print(step)",
            "",
            "try:",
            "    import matplotlib.pyplot as plt",
            "except ImportError:",
            f"    print({'for the figure: ' + install_command('plot')!r})",
            "else:",
            *(f"    {line}" for line in picture),
            "",
        ]
    )


def _home(line: str) -> int:
    """Order of imports: standard library, other libraries, Spinney."""
    module = line.split()[1].split(".")[0]
    return 0 if module in ("copy", "io", "warnings") else 2 if module == "spinney" else 1


def _blocks(imports: list[str]) -> list[str]:
    """Return imports with a blank line between their groups."""
    found: list[str] = []
    for place, line in enumerate(imports):
        if place and _home(line) != _home(imports[place - 1]):
            found.append("")
        found.append(line)
    return found
