"""Change model files at random and check that none crashes, hangs or uses too much memory.

    PYTHONPATH=. python tools/fuzz_model_files.py --count 1000000 --seed 0

The kept files (tests/io/files) are changed in three ways: bytes, with unchanged checksums; the header and the arrays,
with forged checksums; and, for most of these, without a check of the fingerprint. Loading must raise
`ModelFormatError`, or the model must work: predictions, leaves, importances, text. Everything runs in a separate
process with bounds checking, little free memory and a time limit. If it dies, the seed of the last file is printed.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import json
import os
import random
import resource
import subprocess
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FILES = ROOT / "tests" / "io" / "files"
SPARE = 1 << 30  # bytes that a process may take once all kernels are compiled
PATIENCE = 600  # seconds for 64 files, which take less than one on a quiet machine: only a hang lasts so long
ODD = [
    0,
    1,
    -1,
    2,
    3,
    7,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    65535,
    65536,
    2**31 - 1,
    2**31,
    2**32,
    2**62,
    2**63,
    2**64,
    -(2**63),
]
ODD_VALUES: list[Any] = [
    *ODD,
    None,
    True,
    False,
    "",
    "drop",
    "nan",
    "é",
    0.5,
    -0.0,
    1e308,
    5e-324,
    [],
    {},
    [[]],
    {"float": "nan"},
]
ODD_VALUES += [
    {"float": "inf"},
    {"tuple": []},
    {"dict": []},
    {"array": 0},
    {"record": 0},
    {"objects": []},
    {"source": 0},
]
ODD_VALUES += [{"strings": ["a"], "width": 2**40}, {"scalar": ["<f8", 1.0]}, {"dtype": "<f4"}]


class File:
    """A file in parts that can be changed."""

    def __init__(self, path: Path) -> None:
        from spinney.io import layout

        self.name, self.content = path.stem, path.read_bytes()
        import numpy as np

        buffer = np.frombuffer(self.content, np.uint8)
        prefix = layout.read_prefix(self.content[: layout.PREFIX], len(self.content))
        self.header = layout.read_header(prefix, self.content[layout.PREFIX : layout.PREFIX + prefix.header_length])
        n_stream, entries = layout.read_entries(self.header["arrays"], prefix)
        self.arrays = [one.copy() for one in layout.unpack_arrays(buffer, prefix, n_stream, entries)]


def change_bytes(content: bytes, draw: random.Random) -> bytes:
    """Bits, bytes, runs, cuts, and numbers of the prefix."""
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 5])):
        place = draw.randrange(len(changed)) if changed else 0
        what = draw.randrange(8)
        if what == 0 and changed:
            changed[place] ^= 1 << draw.randrange(8)
        elif what == 1 and changed:
            changed[place] = draw.randrange(256)
        elif what == 2:
            del changed[place:]
        elif what == 3:
            changed += draw.randbytes(draw.choice([1, 64, 1000]))
        elif what == 4:
            del changed[place : place + draw.randrange(1, 100)]
        elif what == 5:
            changed[place:place] = draw.randbytes(draw.randrange(1, 100))
        elif what == 6:
            at = draw.choice([8, 16, 24])
            changed[at : at + 8] = (draw.choice(ODD) % 2**64).to_bytes(8, "little")
        else:
            changed[place : place + 8] = bytes(8)
    return bytes(changed)


def change_json(value: Any, draw: random.Random) -> Any:
    """One place in a tree of JSON, chosen on a random way down."""
    if isinstance(value, dict) and value and draw.random() < 0.93:
        key = draw.choice(list(value))
        what = draw.random()
        if what < 0.03:
            value.pop(key)
        elif what < 0.05:
            value["extra"] = value[key]
        elif what < 0.07:
            value[draw.choice(list(value))] = copy.deepcopy(value[key])
        else:
            value[key] = change_json(value[key], draw)
        return value
    if isinstance(value, list) and value and draw.random() < 0.93:
        k, what = draw.randrange(len(value)), draw.random()
        if what < 0.03:
            value.pop(k)
        elif what < 0.05:
            value.insert(k, copy.deepcopy(value[k]))
        elif what < 0.08:
            other = draw.randrange(len(value))
            value[k], value[other] = value[other], value[k]
        else:
            value[k] = change_json(value[k], draw)
        return value
    if isinstance(value, int) and not isinstance(value, bool) and draw.random() < 0.5:
        return value + draw.choice([-1, 1, 2, -2])
    return copy.deepcopy(draw.choice(ODD_VALUES))


def change_arrays(arrays: list[Any], draw: random.Random) -> None:
    """One array: elements, its length, its shape, or its dtype."""
    import numpy as np

    full = [k for k, one in enumerate(arrays) if one.size] or [0]
    k = draw.choice(full if draw.random() < 0.95 else range(len(arrays)))
    array = arrays[k]
    what = draw.random()
    if what < 0.8 and array.size:
        flat = array.reshape(-1).view(f"u{array.itemsize}")
        for _ in range(draw.choice([1, 1, 1, 2, 4])):
            place, how = draw.randrange(len(flat)), draw.random()
            if how < 0.4:
                flat[place] = draw.choice(ODD) % 256**array.itemsize
            elif how < 0.6:
                flat[place] = (int(flat[place]) + draw.choice([-1, 1, 2, -2])) % 256**array.itemsize
            elif how < 0.8:
                flat[place] = flat[draw.randrange(len(flat))]
            elif array.dtype.kind == "f":
                array.reshape(-1)[place] = draw.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, -1e300, 1e-310])
            else:
                flat[place] = draw.randrange(256**array.itemsize)
    elif what < 0.9:
        flat = array.reshape(-1)
        n = draw.choice([0, max(0, len(flat) - 1), len(flat) + 1, 2 * len(flat), draw.randrange(0, 300)])
        arrays[k] = np.resize(flat, n) if len(flat) else np.zeros(n, array.dtype)
    elif what < 0.95:
        arrays[k] = array.astype(draw.choice(["u1", "i4", "u8", "f4", "f8", "u2", "?"]))
    else:
        arrays[k] = array.reshape(draw.choice([(-1, 1), (1, -1), (-1, 1, 1), (-1,)]) if array.size else (0, 1))


def change(file: File, draw: random.Random) -> tuple[bytes, bool]:
    """(another file, whether its checksums fit)."""
    from spinney.io import layout

    way = draw.random()
    if way < 0.15:
        return change_bytes(file.content, draw), False
    header, arrays = json.loads(json.dumps(file.header)), [one.copy() for one in file.arrays]
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        if draw.random() < 0.6 and arrays:
            change_arrays(arrays, draw)
        else:
            names = ["records"] * 8 + ["library", "class", "fingerprint", "sources", "arrays"]
            name = draw.choice(names)
            header[name] = change_json(header[name], draw)
    entries, body = layout.pack_arrays(arrays)
    if header["arrays"] == file.header["arrays"]:
        header["arrays"] = entries
    try:
        return b"".join(layout.file_parts(header, body)), True
    except (ValueError, RecursionError, UnicodeEncodeError):
        return file.content, True


def ask(model: Any, tables: dict[int, Any], asks_all: bool) -> None:
    """Whatever a model can say, or only what it predicts."""
    from tests.io.models import answers

    n = getattr(model, "n_features_in_", None)
    if n is None:
        repr(model)
        return
    import numpy as np

    schema = deepest_schema(model)
    X = tables.get(n)
    if schema is not None or X is None:
        X = table_for(schema, n)
    with np.errstate(all="ignore"):
        if not asks_all and hasattr(model, "predict"):
            model.predict(X)
            return
        answers(model, X)
        for name in ("feature_importances_", "estimators_samples_", "fingerprint_"):
            getattr(model, name, None)
        if hasattr(model, "forest_") and hasattr(model, "decision_path"):
            model.decision_path(X)
        if hasattr(model, "predict") and getattr(model, "_takes_missing", False):
            model.predict_row([None] * n)


def deepest_schema(model: Any) -> Any:
    """That of a member, if the model leaves tables to members."""
    members = vars(model).get("estimators_") or [vars(model).get("best_estimator_")]
    inner = None if members[0] is None else deepest_schema(members[0])
    return inner if inner is not None and inner.n_columns == model.n_features_in_ else getattr(model, "_schema", None)


def is_about_the_table(error: Exception) -> bool:
    """Whether the model is whole, and refuses the table that it was asked about."""
    last = traceback.extract_tb(error.__traceback__)[-1].filename
    places = (os.sep.join(("spinney", "data")), os.sep.join(("sklearn", "utils")), "cross_fitting.py")
    own = isinstance(error, TypeError | ValueError) and any(one in last for one in places)
    return own or (isinstance(error, ValueError) and "Input X contains" in str(error))


def table_for(schema: Any, n: int) -> Any:
    """Some rows for the columns that a model knows, categories that it does not know among them."""
    import numpy as np
    import pandas as pd

    if schema is None:
        return pd.DataFrame(np.linspace(-1, 1, 3 * n).reshape(3, n))
    columns = {}
    for k, one in enumerate(schema.columns):
        if one.categories is None:
            values: Any = np.array([-1.5, 0.0, 2.5])
        else:
            known = list(one.categories[:2]) or ["?"]
            values = pd.Series([known[0], known[-1], known[0]], dtype=object)
        columns[one.name if one.name is not None else k] = values
    return pd.DataFrame(columns)


def check(content: bytes, is_forged: bool, sees_fingerprint: bool, tables: dict[int, Any], asks_all: bool) -> bool:
    """Whether the file was taken. Raises if something is wrong."""
    import spinney
    from spinney.io import parts

    plain = parts.check_fingerprint
    if not sees_fingerprint:
        parts.check_fingerprint = lambda model, stated: None
    try:
        model = spinney.load(content)
    except spinney.ModelFormatError as error:
        str(error)
        return False
    finally:
        parts.check_fingerprint = plain
    if not is_forged:
        raise AssertionError("a changed file with an old checksum was taken")
    try:
        ask(model, tables, asks_all)
    except Exception as error:
        if not is_about_the_table(error):
            raise
    return True


def run(seed: int, count: int, seconds: float, note: Path) -> dict[str, Any]:
    """Many files, in this process."""
    from tests.io.models import table

    files = [File(path) for path in sorted(FILES.glob("*/*.spinney"))]
    whole = table(6).fillna(0.5)
    tables = {6: whole, 3: whole.iloc[:, :3]}
    for file in files:  # compiles what is needed
        check(file.content, True, True, tables, True)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGESIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + SPARE, used + SPARE))
    last = os.open(note, os.O_WRONLY | os.O_CREAT)
    begin, taken, failed = time.monotonic(), 0, 0
    number = seed
    while number < seed + count and time.monotonic() - begin < seconds:
        draw = random.Random(number)
        file = draw.choice(files)
        content, is_forged = change(file, draw)
        if content != file.content:
            os.pwrite(last, f"{number} {file.name}".ljust(60).encode(), 0)
            if number % 64 == 0:  # a thread of its own ends the process, wherever it hangs
                faulthandler.dump_traceback_later(PATIENCE, exit=True)
            try:
                taken += check(content, is_forged, draw.random() < 0.2, tables, draw.random() < 0.3)
            except (Exception, SystemExit):
                failed += 1
                if failed <= 20:
                    print(f"seed {number} ({file.name}):\n{traceback.format_exc(limit=-4)}", file=sys.stderr)
        number += 1
    faulthandler.cancel_dump_traceback_later()
    return {"files": number - seed, "taken": taken, "failed": failed, "seconds": time.monotonic() - begin}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000, help="number of files")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this many seconds")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first file; the others follow")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        sys.path.insert(0, str(ROOT))
        warnings.simplefilter("ignore")
        print(json.dumps(run(given.seed, given.count, given.seconds, given.child)))
        return 0
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "last"
        command = [sys.executable, __file__, "--child", str(note), "--seed", str(given.seed)]
        command += ["--count", str(given.count), "--seconds", str(given.seconds)]
        done = subprocess.run(command, env={**os.environ, "NUMBA_BOUNDSCHECK": "1"}, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            print(f"the process died ({done.returncode}) at: {note.read_text() if note.exists() else 'the start'}")
            return 1
    found = json.loads(done.stdout.splitlines()[-1])
    rate = found["files"] / max(found["seconds"], 1e-9)
    print(f"{found['files']:,} files, {found['taken']:,} taken, {found['failed']} failed, {rate:,.0f} per second")
    return int(found["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
