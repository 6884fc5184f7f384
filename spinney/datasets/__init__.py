"""Small tables to learn, test and show with; each loads as `(X, y)` without a download.

    load_restaurant   12 x 10   wait for a table?        the lectures' first tree
    load_tennis       14 x 4    play tennis today?       ID3's own example
    load_penguins    344 x 7    which species?           numbers, categories, missing values
    load_flights  20,000 x 17   will it leave late?      large enough to time a fit

`restaurant_tree` is the tree that the first of them is said to come from. `X` is a pandas DataFrame and `y` a Series
with the same index, so these loaders need pandas.
Sources and licences are in each docstring and in `data/SOURCES.md`.
"""

from spinney.datasets.bundled import load_flights, load_penguins
from spinney.datasets.lectures import load_restaurant, load_tennis
from spinney.datasets.restaurant import restaurant_tree

__all__ = ["load_flights", "load_penguins", "load_restaurant", "load_tennis", "restaurant_tree"]
