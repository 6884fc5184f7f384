"""The peak memory of a fit above its input.

Every library trains in a new process. The process loads the data from a file, warms up on a few rows (imports,
compiling), reads its memory, trains, and reports how far the peak rose. Linux has the peak in `/proc`; on other systems
the peak of the whole process is used. Called with `python -m`, this module is that process.
"""

import gc
import pickle
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from benchmarks.data import Table
from benchmarks.versus.peers import Peer, Settings

ROOT = Path(__file__).resolve().parents[2]
STATUS = Path("/proc/self/status")
WARM_UP_ROWS = 2_000


def peak_memory(peer: Peer, table: Table, settings: Settings) -> int:
    """Bytes above the input at the worst moment of the peer's fit."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "X.npy"), table.X)
        np.save(Path(folder, "y.npy"), table.y)
        Path(folder, "peer.pickle").write_bytes(pickle.dumps((peer, settings)))
        command = [sys.executable, "-m", "benchmarks.versus.memory", folder]
        child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if child.returncode:
        raise RuntimeError((child.stderr.strip().splitlines() or [f"exit status {child.returncode}"])[-1])
    return int(child.stdout.split()[-1])


def rise_of_fit(folder: Path) -> int:
    """Train in this process; bytes between what it held before and the high-water mark."""
    peer, settings = pickle.loads(Path(folder, "peer.pickle").read_bytes())
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    peer.fit(X[:WARM_UP_ROWS].copy(), y[:WARM_UP_ROWS].copy(), settings.short())
    gc.collect()
    _reset_mark()
    before = _memory("VmRSS")
    model = peer.fit(X, y, settings)
    rise = _memory("VmHWM") - before
    del model
    return max(rise, 0)


def _reset_mark() -> None:
    """Lower the high-water mark to what is held now, where the system allows it."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _memory(field: str) -> int:
    """Bytes held now (VmRSS) or at most so far (VmHWM)."""
    # getrusage comes second: its mark also counts the process that started this one.
    if STATUS.exists():
        line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
        return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    print(rise_of_fit(Path(sys.argv[1])))
