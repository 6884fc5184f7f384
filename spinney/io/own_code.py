"""Functions of the user's in model files: losses and criteria, as their source.

In: a Python function. Out: its name, its source and what it takes from outside (numbers, arrays, `math`, NumPy, other
such functions), all of it text. From a file it comes back as an `UntrustedFunction`, which can be read and saved again
but not run; whoever loads the model may trust it, by its hash or by handing over the same function. Only then is the
source compiled, with arithmetic's built-in functions alone.

A text must be one function and nothing else, so that compiling it runs nothing (`canonical_text`). What is shown is
what is compiled: the text as Python writes it, of every function (`every_source`), captured ones too.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import keyword
import linecache
import math
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from spinney.criteria.user_loss import Loss
from spinney.io.checks import ModelFormatError
from spinney.io.layout import DTYPES, encode_header

_MODULES = {"math": math, "numpy": np}
_BUILT_IN = (
    "abs",
    "all",
    "any",
    "bool",
    "enumerate",
    "float",
    "int",
    "len",
    "max",
    "min",
    "pow",
    "range",
    "round",
    "sum",
)
_MOST_CELLS = 10_000  # of an array that a function takes from outside
_DEEPEST = 8  # functions that call functions
_LONGEST = 100_000  # characters of a function
_NOT_FINITE = ("nan", "inf", "-inf")
_FROM_FILE = "_from_model_file"  # attribute of functions that were compiled from a file's source: what it said
_PARTS = ("gradient", "hessian", "inverse_link", "value", "start")


class UntrustedFunction:
    """A function from a model file whose source has not been compiled.

    Parameters
    ----------
    stored : dict
        "name", "source" and "captured", as in the file.

    Attributes
    ----------
    name, source, hash : str
    """

    def __init__(self, stored: dict[str, Any]) -> None:
        self.stored = stored
        self.name, self.source, self.hash = str(stored["name"]), str(stored["source"]), hash_of_source(stored)

    def _refuse(self) -> Any:
        raise ValueError(
            f"the model file contains the source of {self.name!r}, which is compiled only if you trust it. Read it and "
            "the functions that it uses: spinney.io.inspect(path)['sources'] lists all of them. Then load the model "
            f"with trust=[{self.hash!r}]."
        )

    @property
    def py_func(self) -> Any:
        """What compilers ask for."""
        return self._refuse()

    def __call__(self, *values: Any) -> Any:
        return self._refuse()

    def __repr__(self) -> str:
        return f"<source of {self.name!r}, not trusted>"


def is_function(value: Any) -> bool:
    """Whether a value is written as its source."""
    return isinstance(value, UntrustedFunction) or isinstance(getattr(value, "py_func", value), FunctionType)


def as_loss(loss: Any) -> Any:
    """A user's loss as a `Loss`, whatever object its functions are attributes of."""
    if isinstance(loss, str | Loss) or not hasattr(loss, "gradient") or not hasattr(loss, "hessian"):
        return loss
    return Loss(**{name: getattr(loss, name) for name in _PARTS if hasattr(loss, name)})


def hash_of_source(stored: dict[str, Any]) -> str:
    """Of a function's name, source and what it captures."""
    return blake2b(encode_header(stored), digest_size=16).hexdigest()


# --- from functions to text ------------------------------------------------------------------------------------------


def source_of(function: Any, place: str, depth: int = 0) -> dict[str, Any]:
    """What a file says of a function."""
    if isinstance(function, UntrustedFunction):
        return function.stored
    plain = getattr(function, "py_func", function)
    if hasattr(plain, _FROM_FILE):
        return getattr(plain, _FROM_FILE)  # type: ignore[no-any-return]
    if depth > _DEEPEST:
        raise TypeError(f"{place} is a function that uses functions nested too deeply for a model file.")
    node = _find(plain, place)
    if plain.__defaults__ or plain.__kwdefaults__:
        raise TypeError(f"{place} is a function with default values, which a model file cannot hold.")
    used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - set(plain.__code__.co_varnames)
    outside = {**plain.__globals__, **inspect.getclosurevars(plain).nonlocals}
    captured = {
        name: _captured(outside[name], f"{place}, which uses {name},", depth)
        for name in sorted(used)
        if name in outside and name != plain.__name__
    }
    return {"name": plain.__name__, "source": ast.unparse(node), "captured": captured}


def _find(plain: Any, place: str) -> Any:
    """The node of a function in the text of its module."""
    code = plain.__code__
    try:
        text = "".join(inspect.findsource(plain)[0])
        tree, module = ast.parse(text), compile(text, "<source>", "exec", dont_inherit=True)
        is_there = code in _codes_in(module)
    except (OSError, TypeError, SyntaxError):
        is_there = False
    if not is_there:
        if Path(code.co_filename).is_file():
            raise TypeError(f"{place} is a function whose source has changed since it was imported.")
        raise TypeError(
            f"{place} is a function without a source. Define it in a file or a notebook, so that it can be saved."
        )
    nodes = [one for one in ast.walk(tree) if isinstance(one, ast.Lambda | ast.FunctionDef) and _holds(one, code)]
    return _bare(nodes[-1])  # the innermost one: they are listed from outside in


def _codes_in(code: Any) -> list[Any]:
    inner = [one for one in code.co_consts if hasattr(one, "co_code")]
    return [*inner, *(one for part in inner for one in _codes_in(part))]


def _holds(node: Any, code: Any) -> bool:
    """Whether a function begins in the line where its code begins, and has all of it."""
    decorators = getattr(node, "decorator_list", [])
    if min([node.lineno, *(one.lineno for one in decorators)]) != code.co_firstlineno:
        return False
    if isinstance(node, ast.FunctionDef):
        return node.name == code.co_name
    body = node.body
    places = [(line, column) for line, _, column, _ in code.co_positions() if line and column]
    begin, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    return code.co_name == "<lambda>" and all(begin <= one <= end for one in places)


def _bare(node: Any) -> Any:
    """Without decorators and annotations."""
    if isinstance(node, ast.FunctionDef):
        node.decorator_list, node.returns = [], None
        for one in ast.walk(node.args):
            if isinstance(one, ast.arg):
                one.annotation = None
        setattr(node, "type_params", [])  # noqa: B010  # of Python 3.12; mypy checks for 3.11
    return node


def _captured(value: Any, place: str, depth: int) -> Any:
    """A value from outside, as JSON."""
    if isinstance(value, bool | int | float | np.number | np.bool_):
        plain = value.item() if isinstance(value, np.generic) else value
        return {"number": plain if math.isfinite(plain) else str(plain)}
    for name, module in _MODULES.items():
        if value is module:
            return {"module": name}
        own = getattr(value, "__name__", None)
        if isinstance(own, str) and getattr(module, own, None) is value:
            return {"from": [name, own]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size <= _MOST_CELLS:
        if np.isfinite(value).all():
            return {"cells": value.tolist(), "dtype": value.dtype.newbyteorder("<").str}
    if is_function(value):
        return {"kernel" if hasattr(value, "py_func") else "function": source_of(value, place, depth + 1)}
    raise TypeError(f"{place} takes {value!r:.80} from outside, which a model file cannot hold.")


# --- from text to functions ------------------------------------------------------------------------------------------


def read_sources(stored: list[Any], trust: Sequence[Any]) -> list[Any]:
    """The functions of a file: compiled if they are trusted."""
    if isinstance(trust, str) or not isinstance(trust, Sequence):
        raise TypeError(f"trust must be a list of hashes and functions, got {trust!r:.80}.")
    hashes = {one for one in trust if isinstance(one, str)}
    known = {hash_of_source(source_of(one, "a function in trust")): one for one in _functions(trust)}
    found = []
    for k, one in enumerate(stored):
        check_source(one, f"source {k}")
        own = UntrustedFunction(one)
        found.append(known.get(own.hash) or (_make(one) if own.hash in hashes else own))
    return found


def _functions(trust: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for one in trust:
        loss = as_loss(one)
        if isinstance(loss, Loss):
            found += [part for part in (getattr(loss, name) for name in _PARTS) if is_function(part)]
        elif is_function(one):
            found.append(one)
        elif not isinstance(one, str):
            raise TypeError(f"trust must hold hashes of sources and functions, got {one!r:.80}.")
    return found


def check_source(stored: Any, place: str, depth: int = 0) -> None:
    """Raise ModelFormatError if this cannot be the source of a function; nothing is compiled."""
    if not isinstance(stored, dict) or list(stored) != ["name", "source", "captured"] or depth > _DEEPEST:
        raise ModelFormatError("A source has a name, a text and what it captures", place)
    name, text, captured = stored.values()
    if not isinstance(name, str) or not isinstance(text, str) or not isinstance(captured, dict):
        raise ModelFormatError("A source has a name, a text and what it captures", place)
    canonical_text(name, text, place)
    for key, value in captured.items():
        at = f"{place}.{key:.40}"
        own_name = _is_name(key) and key not in (name, "__builtins__")
        if not own_name or not isinstance(value, dict) or not _check_captured(value, at, depth):
            raise ModelFormatError(f"{value!r:.80} cannot be captured", at)


def _is_name(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text)


def canonical_text(name: str, text: str, place: str) -> str:
    """The text of one function as Python writes it: no comments, nothing beside the function.

    Compiling it runs nothing: there are no decorators, default values or annotations. Raises ModelFormatError if the
    text is anything else.
    """
    if len(text) > _LONGEST:
        raise ModelFormatError(f"A function of {len(text):,} characters is longer than {_LONGEST:,}", place)
    try:
        found = _only_function(name, text)
        shown = ast.unparse(found) if found else ""
        again = _only_function(name, shown)
        same = found is not None and again is not None and ast.dump(found) == ast.dump(again)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ModelFormatError(f"This is not the text of a function: {error}", place) from None
    if not same:
        raise ModelFormatError(
            "A source must be one function, without decorators, default values and annotations, and nothing else",
            place,
        )
    return shown


def _only_function(name: str, text: str) -> ast.AST | None:
    """The node of the function, if the text is it and nothing else."""
    if name == "<lambda>":
        node: Any = ast.parse(text, mode="eval").body
        is_bare = isinstance(node, ast.Lambda)
    else:
        body = ast.parse(text).body
        node = body[0] if len(body) == 1 else None
        is_bare = isinstance(node, ast.FunctionDef) and node.name == name and _is_name(name)
        is_bare = is_bare and not (node.decorator_list or node.returns or getattr(node, "type_params", None))
    if not is_bare:
        return None
    given = node.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    has_more = given.defaults or any(given.kw_defaults) or any(one is not None and one.annotation for one in named)
    return None if has_more else node


def _check_captured(value: dict[str, Any], place: str, depth: int) -> bool:
    if list(value) in (["function"], ["kernel"]):
        check_source(next(iter(value.values())), place, depth + 1)
        return True
    if list(value) == ["number"]:
        return isinstance(value["number"], bool | int | float) or value["number"] in _NOT_FINITE
    if list(value) == ["module"]:
        return isinstance(value["module"], str) and value["module"] in _MODULES
    if list(value) == ["from"]:
        pair = value["from"]
        known = isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) for one in pair)
        return known and pair[0] in _MODULES and _is_name(pair[1]) and not pair[1].startswith("_")
    return list(value) == ["cells", "dtype"] and _are_cells(value["cells"], value["dtype"])


def _are_cells(cells: Any, dtype: Any) -> bool:
    if not isinstance(dtype, str) or dtype not in DTYPES or DTYPES[dtype].kind not in "biuf":
        return False
    try:
        return np.array(cells).dtype.kind in "biuf" and np.array(cells, DTYPES[dtype]).size <= _MOST_CELLS
    except (TypeError, ValueError, OverflowError):
        return False


def every_source(stored: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """All functions of a file, each followed by those that it captures, once each: what is to be read."""
    found: dict[str, dict[str, Any]] = {}
    for k, one in enumerate(stored):
        check_source(one, f"source {k}")
        for inner in _with_captured(one):
            found.setdefault(hash_of_source(inner), inner)
    return [_shown(one, known) for known, one in found.items()]


def _with_captured(stored: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield stored
    for value in stored["captured"].values():
        for kind in ("function", "kernel"):
            if kind in value:
                yield from _with_captured(value[kind])


def _shown(stored: dict[str, Any], own_hash: str) -> dict[str, Any]:
    """A function for the eye: what its names mean, then the text that would be compiled."""
    meanings = [f"# {name} = {_meaning(value)}\n" for name, value in stored["captured"].items()]
    text = canonical_text(stored["name"], stored["source"], "a source")
    return {"name": stored["name"], "hash": own_hash, "source": "".join(meanings) + text} | {
        "captured": stored["captured"]
    }


def _meaning(value: dict[str, Any]) -> str:
    ((what, content), *_) = value.items()
    if what in ("function", "kernel"):
        return f"{content['name']} (a function of this file, {hash_of_source(content)})"
    return ".".join(content) if what == "from" else f"{content!r:.200}" if what == "cells" else f"{content}"


def _make(stored: dict[str, Any]) -> Callable[..., Any]:
    """Compile a source that is trusted."""
    names: dict[str, Any] = {name: _outside(value) for name, value in stored["captured"].items()}
    names["__builtins__"] = {name: getattr(builtins, name) for name in _BUILT_IN}
    name = stored["name"]
    text = canonical_text(name, stored["source"], f"the source of {name!r}")
    file = f"<model file, source {hash_of_source(stored)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    try:
        if name == "<lambda>":
            made: Callable[..., Any] = eval(compile(text, file, "eval"), names)
        else:
            exec(compile(text, file, "exec"), names)
            made = names[name]
    except Exception as error:
        raise ModelFormatError(f"The source does not compile: {error}", f"the source of {name!r}") from error
    setattr(made, _FROM_FILE, stored)
    return made


def _outside(value: dict[str, Any]) -> Any:
    if "function" in value:
        return _make(value["function"])
    if "kernel" in value:
        from spinney._compile import uncached_kernel

        return uncached_kernel(_make(value["kernel"]))
    if "number" in value:
        return float(value["number"]) if isinstance(value["number"], str) else value["number"]
    if "module" in value:
        return _MODULES[value["module"]]
    if "from" in value:
        module, name = value["from"]
        found = getattr(_MODULES.get(module), name, None)
        if name.startswith("_") or found is None:
            raise ModelFormatError(f"There is no {module}.{name}", "what a source captures")
        return found
    return np.array(value["cells"], DTYPES[value["dtype"]])
