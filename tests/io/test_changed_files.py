"""Files changed at random, checksums forged: the first ones of tools/fuzz_model_files.py, with bounds checking.

A fixed number of files, the same ones each time: nothing depends on the machine's speed.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiled import THOROUGH

TOOL = Path(__file__).parent.parent.parent / "tools" / "fuzz_model_files.py"
COUNT = 20_000 if THOROUGH else 600


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_changed_files():
    command = [sys.executable, str(TOOL), "--count", str(COUNT), "--seed", "5000000"]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"([\d,]+) files, ([\d,]+) taken, 0 failed", done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert found
    n_files, n_taken = (int(one.replace(",", "")) for one in found.groups())
    assert n_files == COUNT
    assert n_taken > COUNT // 20  # some are models still
