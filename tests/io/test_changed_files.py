"""Files changed at random, checksums forged: two minutes of tools/fuzz_model_files.py, with bounds checking."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parent.parent.parent / "tools" / "fuzz_model_files.py"


@pytest.mark.slow
def test_two_minutes_of_changed_files():
    if sys.platform != "linux":
        pytest.skip("limits memory as Linux does")
    command = [sys.executable, str(TOOL), "--seconds", "60", "--seed", "5000000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    found = re.search(r"([\d,]+) files, ([\d,]+) taken, 0 failed", done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert found
    assert int(found[1].replace(",", "")) > 500
    assert int(found[2].replace(",", "")) > 10  # some are models still
