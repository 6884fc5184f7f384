"""Fits that are interrupted at some moment, each in a process of its own."""

import os
import signal
import subprocess
import sys
import textwrap

PRELUDE = """
import os, signal, sys, threading, time, warnings
import numpy as np
warnings.simplefilter("error")
warnings.simplefilter("ignore", ResourceWarning)  # a module's file, if importlib is interrupted just after opening it
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may ignore it
rng = np.random.RandomState(0)
X = rng.randn(300, 5)
y = X[:, 0] * X[:, 1] + X[:, 2]

def in_child(work):
    '''Run in a fork, which ends as any Python process does; its exit status.'''
    child = os.fork()
    if child == 0:
        work()
        sys.exit(0)
    return os.waitpid(child, 0)[1]

def interrupted(fit, delay):
    '''Fit, with Ctrl-C after a while, which must come out as a KeyboardInterrupt, in the fit or after it.'''
    sent = threading.Event()

    def send():
        time.sleep(delay)
        os.kill(os.getpid(), signal.SIGINT)
        sent.set()

    threading.Thread(target=send, name="sender", daemon=True).start()
    try:
        fit()
        sent.wait()
        for _ in range(1000):
            time.sleep(0.001)
        raise AssertionError("the interrupt was swallowed")
    except KeyboardInterrupt:
        pass
"""


def run(code, timeout=300, **environment):
    """Run code after the prelude: (return code, lines of stdout, stderr)."""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, "SPINNEY_QUIET": "1", **environment},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    return done.returncode, done.stdout.splitlines(), done.stderr
