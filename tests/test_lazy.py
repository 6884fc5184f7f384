"""Public names are loaded at first use, in any thread."""

import subprocess
import sys

import pytest

TOUCH = """
import threading, spinney
names = ["RandomForestClassifier", "KMeans", "evaluate", "prune", "StackingClassifier", "export_text"]
failed, go = [], threading.Barrier(len(names))

def touch(name):
    go.wait()
    try:
        getattr(spinney, name)
    except BaseException as error:
        failed.append((name, error))

threads = [threading.Thread(target=touch, args=(name,)) for name in names]
for one in threads:
    one.start()
for one in threads:
    one.join()
print(failed)
"""


@pytest.mark.slow
def test_names_first_touched_in_several_threads_at_once():
    """scikit-learn's modules cannot be imported so: they wait for each other, and one gives up."""
    found = subprocess.run([sys.executable, "-c", TOUCH], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
