"""The lab, `spinney lab`: a page that shows the methods of the lectures at work, step by step, on fits of this library.

    tables.py, own_table.py     which table: its columns, classes, and the Python code that makes it
    parameters.py               what can be set on the page, and what it may be
    tree.py, classic.py, ...    one file per method: a table and parameters in, a list of steps out
    panels.py                   what a step shows: planes, curves, trees and tables, as plain data
    methods.py, series.py       all methods; a request in, its series of steps out, each fitted once
    code.py                     a step as Python code that does the same
    server.py, static/          a server for one person on this machine, and its page

Steps are plain dictionaries (JSON): a sentence, the numbers in it, and panels. The page only draws them.
"""

from __future__ import annotations

from typing import Any

__all__ = ["serve"]


def __getattr__(name: str) -> Any:
    if name != "serve":
        raise AttributeError(f"module 'spinney.lab' has no attribute {name!r}")
    from spinney.lab.server import serve

    return serve
