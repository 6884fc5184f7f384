"""Small datasets for examples and tests; each loads as `(X, y)` without a download.

    load_restaurant   12 x 10   wait for a table?        a textbook example of decision trees
    load_tennis       14 x 4    play tennis today?       Quinlan's example for ID3
    load_ten_points   10 x 2    which class?             AdaBoost in three rounds
    load_heart         8 x 3    a heart disease?         one round of AdaBoost by hand
    load_penguins    344 x 7    which species?           numbers, categories, missing values
    load_flights  20,000 x 17   will it leave late?      large enough to time a fit

`restaurant_tree` returns the tree that describes the decisions in the first of them. `X` is a pandas DataFrame and `y`
a Series with the same index, so these loaders need pandas. Sources and licences are in each docstring and in
`data/SOURCES.md`.
"""

from spinney.datasets.bundled import load_flights, load_penguins
from spinney.datasets.lectures import load_heart, load_restaurant, load_ten_points, load_tennis, restaurant_tree

__all__ = [
    "load_flights",
    "load_heart",
    "load_penguins",
    "load_restaurant",
    "load_ten_points",
    "load_tennis",
    "restaurant_tree",
]
