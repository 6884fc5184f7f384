"""Will the flight leave late? A first tour of the command line, run by `make demo`.

Writes departures from New York in 2013 to two files of different days. Fits gradient boosting on the first, evaluates
it on the second, and shows one of its trees. Every command is printed before it runs.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path("build") / "demo"
COMMANDS = [
    "datasets flights --out flights.csv --test-out other-days.csv",
    "fit flights.csv --target late --groups date",
    "evaluate flights.spinney other-days.csv",
    "show flights.spinney --tree 0 --max-depth 2",
    "report flights.spinney flights.csv",
]
NEXT = """What to try next, also with your own table instead of flights.csv:

  cd {folder}
  {spinney} predict flights.spinney other-days.csv --proba --keep date --out late.csv
  {spinney} fit flights.csv --target late --groups date --model tree --out tree.spinney
  {spinney} show tree.spinney --rules
  {spinney} fit flights.csv --target late --groups date --model auto --time-budget 60 --out auto.spinney
  {spinney} cluster flights.csv -k 4
  {spinney} --help

docs/command-line.md explains these commands. README.md has ten lines of Python that do the same."""


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    print("Will the flight leave 15 or more minutes late? New York departures, 2013.")
    print("The first fit on a machine also compiles the kernels, which takes some seconds. They are then kept.\n")
    begun = time.perf_counter()
    for command in COMMANDS:
        print(f"$ spinney {command}", flush=True)
        process, started = [sys.executable, "-m", "spinney", *shlex.split(command)], time.perf_counter()
        if code := subprocess.run(process, cwd=FOLDER, check=False).returncode:
            return code
        print(f"({time.perf_counter() - started:.0f} s)\n", flush=True)
    print(f"Total: {time.perf_counter() - begun:.0f} s.")
    print(f"Open the report in a browser: {(FOLDER / 'flights.html').resolve().as_uri()}\n")
    print(NEXT.format(folder=FOLDER, spinney=installed()))
    return 0


def installed() -> str:
    """Return the command as it is called from the folder of the demo."""
    beside = Path(sys.executable).with_name("spinney")
    if shutil.which("spinney") == str(beside):
        return "spinney"
    own = os.path.relpath(beside, FOLDER) if beside.exists() else ""
    return shlex.quote(own) if own else f"{shlex.quote(sys.executable)} -m spinney"


if __name__ == "__main__":
    sys.exit(main())
