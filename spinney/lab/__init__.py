"""The lab, `spinney lab`: a page that shows step by step how the methods of this library are fitted.

    tables.py, own_table.py     the tables: columns, classes, and Python code that makes them
    parameters.py               parameters of the page and their ranges
    tree.py, classic.py, ...    one file per method: a table and parameters in, a list of steps out
    panels.py                   what a step shows: planes, curves, trees and tables, as plain data
    methods.py, series.py       all methods; a request in, its series of steps out; each series is fitted once
    server.py, static/          a server for one user on this machine, and its page

A step is a dictionary (JSON) with a sentence, its numbers, and panels. The page only draws it.
"""

from __future__ import annotations

from typing import Any

__all__ = ["serve"]


def __getattr__(name: str) -> Any:
    if name != "serve":
        raise AttributeError(f"module 'spinney.lab' has no attribute {name!r}")
    from spinney.lab.server import serve

    return serve
