"""The server of the lab: for one user, on this machine only.

In: requests of a browser. Out: the files of the page, and JSON. These are refused with an error message:

    another host         DNS rebinding; Host must be this address
    another origin       pages of other sites; Origin must be this address
    no token             users who have not opened the printed address; a cookie keeps the token
    another path         only a fixed list of files is served
    too much             request bodies of more than 20 MB
"""

from __future__ import annotations

import contextlib
import json
import secrets
import sys
import threading
import webbrowser
from collections.abc import Callable
from hmac import compare_digest
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

from spinney.lab.methods import METHODS
from spinney.lab.parameters import LabError
from spinney.lab.series import Lab

MOST_BYTES = 20 * 2**20
PORT = 8765  # if it is free, so that links stay valid
_HERE = "127.0.0.1"
_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/lab.css": ("lab.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/draw.js": ("draw.js", "text/javascript; charset=utf-8"),
    "/state.js": ("state.js", "text/javascript; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
_JSON = "application/json"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class LabServer(ThreadingHTTPServer):
    """The server, its token and its lab."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int | None = None) -> None:
        super().__init__((_HERE, 0 if port is None else port), _Handler)
        self.token = secrets.token_urlsafe(24)
        self.lab = Lab()
        self.hosts = {f"{_HERE}:{self.server_port}", f"localhost:{self.server_port}"}

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"http://{_HERE}:{self.server_port}/?token={self.token}"

    def warm_up(self) -> None:
        """Fit each method once in a thread, so that kernels are compiled ahead of time."""

        def work() -> None:
            for name in METHODS:
                try:
                    self.lab.series({"method": name})
                except Exception as error:  # an error in one method must not affect the others
                    print(f"The lab could not prepare {name}: {type(error).__name__}: {error}", file=sys.stderr)

        threading.Thread(target=work, daemon=True, name="lab-warm-up").start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that end early."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Refused(Exception):
    """A request that is refused with a status and a message."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: LabServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "spinney-lab", ""
    timeout = 60

    def do_GET(self) -> None:
        """Serve the files of the page, and its methods and tables."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Serve series of steps and code, and accept tables."""
        self._answer(self._post)

    def _answer(self, work: Callable[[], None]) -> None:
        try:
            self._check()
            work()
        except _Refused as refused:
            if self._is_visit():
                self._send(refused.status, _page(str(refused)), "text/html; charset=utf-8")
            else:
                self._say(refused.status, str(refused))
        except LabError as error:  # for the user of the page to correct: the request itself succeeds
            self._say(200, str(error))
        except (ValueError, TypeError, NotImplementedError, ImportError) as error:
            self._say(400, " ".join(str(error).split())[:600])
        except OSError:
            raise
        except Exception as error:
            self._say(500, f"Internal error of Spinney, {type(error).__name__}: {str(error)[:200]}")

    def _is_visit(self) -> bool:
        """Whether a browser requests a page."""
        return self.command == "GET" and "text/html" in (self.headers.get("Accept") or "")

    def _check(self) -> None:
        """Host, origin and token."""
        self.close_connection = True  # until the request is checked
        if self.headers.get("Host") not in self.server.hosts:
            raise _Refused(403, "Wrong host. Open the address that `spinney lab` printed.")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.server.hosts}:
            raise _Refused(403, "This request came from another site. The lab accepts requests only from its own page.")
        if self.headers.get("Sec-Fetch-Site") == "cross-site" and self.command == "POST":
            raise _Refused(403, "This request came from another site. The lab accepts requests only from its own page.")
        asked = urlsplit(self.path)
        given = parse_qs(asked.query).get("token", [""])[0]
        if given and self._is_token(given) and self.command == "GET" and asked.path == "/":
            return
        if not self._is_token(self._cookie()) and not self._is_token(self.headers.get("X-Lab-Token", "")):
            raise _Refused(403, "The token is missing or wrong. Open the whole address that `spinney lab` printed.")
        self.close_connection = False

    def _is_token(self, given: str) -> bool:
        return compare_digest(given.encode("utf-8", "replace"), self.server.token.encode())

    @property
    def _cookie_name(self) -> str:
        return f"spinney_lab_{self.server.server_port}"  # browsers share cookies between ports

    def _cookie(self) -> str:
        """Return the cookie of the lab. Cookies of other pages on this host may be anything."""
        for one in self.headers.get("Cookie", "").split(";"):
            name, _, value = one.partition("=")
            if name.strip() == self._cookie_name:
                return value.strip()
        return ""

    def _get(self) -> None:
        asked = urlsplit(self.path)
        if asked.path == "/" and "token" in parse_qs(asked.query):
            cookie = f"{self._cookie_name}={self.server.token}; HttpOnly; SameSite=Lax; Path=/"
            self._send(303, b"", "text/plain", {"Location": "/", "Set-Cookie": cookie})
        elif asked.path == "/api/about":
            self._send(200, json.dumps(Lab.about()).encode(), _JSON)
        elif asked.path in _FILES:
            name, kind = _FILES[asked.path]
            self._send(200, (files("spinney.lab") / "static" / name).read_bytes(), kind)
        else:
            raise _Refused(404, "There is nothing at this address.")

    def _post(self) -> None:
        path = urlsplit(self.path).path
        if path not in ("/api/series", "/api/code", "/api/table"):
            raise _Refused(404, "There is nothing at this address.")
        wanted = ("text/csv", "application/octet-stream") if path == "/api/table" else (_JSON,)
        if (self.headers.get("Content-Type") or "").partition(";")[0].strip() not in wanted:
            raise _Refused(415, f"The body of this request must be {' or '.join(wanted)}.")
        body = self._body()
        if path == "/api/table":
            self._send(200, json.dumps(self.server.lab.own.add(body)).encode(), _JSON)
            return
        try:
            request = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise LabError("The body of this request is not JSON.") from error
        if path == "/api/series":
            self._send(200, self.server.lab.series(request), _JSON)
        else:
            step = request.get("step") if isinstance(request, dict) else None
            self._send(200, json.dumps({"code": self.server.lab.code(request, step)}).encode(), _JSON)

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self.close_connection = True
            raise _Refused(411, "The request needs a Content-Length header.")
        if int(length) > MOST_BYTES:
            self.close_connection = True
            raise _Refused(413, f"The table is {int(length) / 2**20:.0f} MB, but at most 20 MB are supported.")
        return self.rfile.read(int(length))

    def _say(self, status: int, sentence: str) -> None:
        self._send(status, json.dumps({"error": sentence}).encode(), _JSON)

    def _send(self, status: int, body: bytes, kind: str, more: dict[str, str] | None = None) -> None:
        self.send_response(status)
        closing = {"Connection": "close"} if self.close_connection else {}
        fixed = {"Content-Type": kind, "Content-Length": str(len(body))}
        for name, value in {**_HEADERS, **fixed, **closing, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def _page(sentence: str) -> bytes:
    """Return a page with an error message."""
    head = '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Spinney lab</title>\n'
    body = f"<h1>Spinney lab</h1>\n<p>{escape(sentence)}</p>\n"
    help_ = "<p>The address is printed in the terminal in which the lab was started. It ends with the token.</p>\n"
    return (head + body + help_).encode()


def open_server(port: int | None = None) -> LabServer:
    """Open a server at the given port; by default 8765 or, if it is taken, any free port."""
    if port is not None:
        return LabServer(port)
    with contextlib.suppress(OSError):
        return LabServer(PORT)
    return LabServer()


def serve(port: int | None = None, *, link: str = "", browser: bool = True, say: Callable[[str], Any] = print) -> None:
    """Serve the lab until Ctrl-C.

    Parameters
    ----------
    port : int, default=None
        Port of the server. By default 8765 or, if it is taken, any free port.
    link : str, default=""
        Link to a step, copied from the page, at which the lab opens.
    browser : bool, default=True
        Whether to open a browser.
    say : callable, default=print
        Called with the address, and with a message when the lab is closed.

    Examples
    --------
    >>> from spinney.lab import serve
    >>> serve()  # doctest: +SKIP
    The lab is at http://127.0.0.1:8765/?token=...
    """
    step = link.partition("#")[2] or (link if "=" in link and "/" not in link.partition("=")[0] else "")
    if link and not step:
        raise ValueError(f"link must be a link to a step, copied from the page, got {link!r}.")
    with open_server(port) as server:
        address = server.address + (f"#{step}" if step else "")
        try:
            say(f"The lab is at {address}\nCtrl-C stops it.")
            server.warm_up()
            if browser:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            say("\nThe lab is closed.")
