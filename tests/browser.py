"""A headless Chromium, driven through its DevTools: just enough of a WebSocket to open pages, click and look."""

import base64
import functools
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

PATIENCE = 300  # seconds until something hangs, however busy the machine
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@functools.cache
def find_browser():
    """One that starts: an installation may have been broken off."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "timeout": PATIENCE}
    for found in filter(None, map(shutil.which, NAMES)):
        if subprocess.run([found, "--version"], **quiet).returncode == 0:
            return found
    return None


class Browser:
    """One page; `run` evaluates JavaScript, `errors` collects what the console and uncaught exceptions said."""

    def __init__(self, width=1280, height=900):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        options += ["--disable-background-networking", "--disable-extensions", "--hide-scrollbars", "--mute-audio"]
        options += [
            f"--window-size={width},{height}",
            f"--user-data-dir={self.folder.name}",
            "--remote-debugging-port=0",
        ]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([find_browser(), *options, "about:blank"], **quiet, start_new_session=True)
        try:
            self._connect()
        except BaseException:
            self.close()
            raise

    def _connect(self):
        where = Path(self.folder.name) / "DevToolsActivePort"
        end = time.monotonic() + PATIENCE
        while not (where.exists() and where.read_text().count("\n")):
            assert self.process.poll() is None, "the browser has ended"
            assert time.monotonic() < end, "the browser does not start"
            time.sleep(0.05)
        port, path = where.read_text().split("\n")[:2]
        self.errors, self.number, self.session = [], 0, None
        self.socket = socket.create_connection(("127.0.0.1", int(port)), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        self.stream = self.socket.makefile("rb")
        while self.stream.readline().strip():
            pass
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        self._send(json.dumps({**message, **({"sessionId": self.session} if self.session else {})}).encode())
        while True:
            answer = json.loads(self._receive())
            self._note(answer)
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def _note(self, answer):
        params = answer.get("params", {})
        if answer.get("method") == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"])[:800])
        elif answer.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.errors.append(json.dumps(params["args"])[:800])
        elif answer.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(json.dumps(params["entry"])[:800])

    def _send(self, data):
        mask, n = os.urandom(4), len(data)
        size = bytes([128 | n]) if n < 126 else b"\xfe" + struct.pack(">H", n)
        size = size if n < 65536 else b"\xff" + struct.pack(">Q", n)
        repeated = (mask * (n // 4 + 1))[:n]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(n, "big")
        self.socket.sendall(b"\x81" + size + mask + masked)

    def _receive(self):
        whole = b""
        while True:
            first, second = self.stream.read(2)
            n = short = second & 127  # 126 and 127 say that the length follows; it may be 127 itself
            if short == 126:
                (n,) = struct.unpack(">H", self.stream.read(2))
            if short == 127:
                (n,) = struct.unpack(">Q", self.stream.read(8))
            whole += self.stream.read(n)
            if first & 128:
                return whole

    def run(self, script):
        """The value of an expression, or of the promise that it is."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < end, f"never: {condition}; {self.errors}"
            time.sleep(0.03)

    def open(self, address):
        assert urlsplit(address).hostname in ("127.0.0.1", None)  # here, or a file
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)

    def resize(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 700
        )

    def dark(self, is_dark):
        features = [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def press(self, key):
        code = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Tab": 9}[key]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def swipe(self, x, y, by):
        for kind, places in (
            ("touchStart", [x]),
            ("touchMove", [x + by / 2]),
            ("touchMove", [x + by]),
            ("touchEnd", []),
        ):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": place, "y": y} for place in places])

    def screenshot(self, path, full=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        if hasattr(self, "socket"):
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()
