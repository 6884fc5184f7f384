"""Other processes: what they print, what they complain of, and how many kernels they compile."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from spinney._compile.folder import cache_folder

ROOT = Path(__file__).parent.parent.parent
COUNTED = """
import sys
from numba.core import event
import tests._compile.kernels as kernels
with event.install_recorder("numba:compile") as seen:
    print("ready", flush=True)
    sys.stdin.readline()
    said = kernels.use_all()
functions = [one.data["dispatcher"].py_func for _, one in seen.buffer if one.is_start]
print(*said)
print(*(one.__qualname__ for one in functions if hasattr(kernels, one.__qualname__) and one.__qualname__ != "_twice"))
"""  # on the first line what was computed, on the second what was compiled for it
KMEANS = """
import numpy as np
from spinney import KMeans
print(KMeans(3, n_init=1, random_state=0).fit(np.random.RandomState(0).randn(60, 2)).fingerprint_)
"""  # the family that is compiled quickest


def start(code, **environment):
    """A new process."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process, said=None):
    """What a process prints, and what it complains of."""
    out, complaints = process.communicate(said, timeout=300)
    assert process.returncode == 0, complaints
    return out, complaints


def run(code, **environment):
    """The same, from its start."""
    return finish(start(code, **environment), "\n")


def warm_cache(root, *without):
    """A folder of kernels, under a root for SPINNEY_CACHE_DIR: those of this process, less some by how names begin."""
    root.mkdir(mode=0o700, exist_ok=True)
    root.chmod(0o700)
    if (warm := cache_folder()) is None:
        return
    patterns = [f"{one}*" for one in ("tmp", *without)]
    ignored = shutil.ignore_patterns("*.lock", *patterns)  # others may be compiling
    shutil.copytree(warm, root / warm.name, ignore=ignored).chmod(0o700)


def is_running(pid):
    """Whether there is such a process; a dead one that nobody asked after is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return not Path("/proc/self").exists()
