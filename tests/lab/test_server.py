"""The server: who is let in, what is refused, and how it stops."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from http.client import HTTPConnection

import pytest

import spinney.lab
from spinney.lab.methods import METHODS
from spinney.lab.server import LabServer, open_server, serve
from tests.cli.run import ROOT, refusal


def said(answer):
    return json.loads(answer[2])["error"]


def test_the_page_and_its_files(ask):
    for path in ("/", "/lab.css", "/page.js", "/draw.js", "/state.js", "/icon.svg"):
        status, headers, body = ask(path)
        assert (status, len(body) > 100) == (200, True)
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert b"http://" not in body.replace(b"http://www.w3.org/2000/svg", b"")  # nothing from the network
        assert b"https://" not in body


def test_the_token_is_needed(ask, server):
    for path in ("/", "/page.js", "/api/about", "/?token=wrong", "/api/about?token=" + server.token):
        status, _, _ = answer = ask(path, token=False)
        assert status == 403
        assert said(answer).startswith("The token is missing or wrong")
    assert ask("/api/series", {"method": "id3"}, token=False)[0] == 403
    status, headers, _ = ask("/?token=" + server.token, token=False)
    assert (status, headers["Location"]) == (303, "/")
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert ask("/", token=False, Cookie=cookie.partition(";")[0])[0] == 200
    assert ask("/", token=False, Cookie="spinney_lab=; ;=;bad")[0] == 403


@pytest.mark.parametrize(
    "foreign", ['prefs={"dark":true}', "a=b=c", "=", "no value", 'x="unclosed', "größe=ä".encode()]
)
def test_cookies_of_other_pages_lock_nobody_out(ask, server, foreign):
    own = f"spinney_lab_{server.server_port}={server.token}"
    foreign = foreign.decode("latin-1") if isinstance(foreign, bytes) else foreign
    for cookie in (f"{foreign}; {own}", f"{own}; {foreign}", f"{foreign};{own};{foreign}"):
        assert ask("/api/about", token=False, Cookie=cookie)[0] == 200
    assert ask("/api/about", token=False, Cookie=foreign)[0] == 403


def test_people_without_the_token_get_a_page_in_words(ask):
    status, headers, body = ask("/", token=False, Accept="text/html,application/xhtml+xml,*/*;q=0.8")
    assert (status, headers["Content-Type"]) == (403, "text/html; charset=utf-8")
    assert b"<p>The token is missing or wrong. Open the whole address" in body
    assert not body.strip().startswith(b"{")
    assert ask("/nothing?<script>", Accept="text/html")[2].count(b"<script>") == 0


def test_whole_numbers_of_400_digits_get_a_sentence(ask):
    large = int("9" * 400)
    for body, words in (
        ({"method": "tree", "params": {"max_depth": large}}, "maximum depth must be an integer from 1 to 6"),
        ({"method": "tree", "tableParams": {"noise": -large}}, "noise must be a number from 0 to 0.5"),
        ({"method": "tree", "points": [[large, 0, 0]]}, "A point must be two finite numbers"),
        ({"method": "tree", "points": [[0, 0, large]]}, "A point must be two finite numbers"),
    ):
        answer = ask("/api/series", body)
        assert answer[0] == 200
        assert words in said(answer)
    assert "step must be" in said(ask("/api/code", {"method": "id3", "step": large}))


def test_a_method_that_cannot_be_prepared_is_told(capfd, monkeypatch):
    seen = []

    def series(request):
        seen.append(request["method"])
        raise ZeroDivisionError("no rows") if request["method"] == "em" else RuntimeError("what")

    with LabServer() as server:
        monkeypatch.setattr(server.lab, "series", series)
        before = set(threading.enumerate())
        server.warm_up()
        for one in set(threading.enumerate()) - before:
            one.join(300)
    assert seen == list(METHODS)
    told = capfd.readouterr().err
    assert "The lab could not prepare em: ZeroDivisionError: no rows" in told
    assert told.count("The lab could not prepare") == len(METHODS)


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"Host": "evil.example"}, "Wrong host"),
        ({"Host": "127.0.0.1:1"}, "Wrong host"),
        ({"Origin": "http://evil.example"}, "came from another site"),
        ({"Origin": "null"}, "came from another site"),
        ({"Sec_Fetch_Site": "cross-site"}, "came from another site"),
    ],
)
def test_other_hosts_and_origins_are_refused(ask, headers, words):
    answer = ask("/api/series", {"method": "id3"}, **headers)
    assert answer[0] == 403
    assert words in said(answer)
    assert "Access-Control-Allow-Origin" not in answer[1]


def test_its_own_origin_is_not(ask, server):
    origin = f"http://127.0.0.1:{server.server_port}"
    assert ask("/api/series", {"method": "id3"}, Origin=origin)[0] == 200


@pytest.mark.parametrize(
    "path",
    ["/../server.py", "/static/page.js", "/..%2fserver.py", "//etc/passwd", "/page.js/..", "/index.html", "/api"],
)
def test_there_are_no_other_paths(ask, path):
    assert ask(path)[0] == 404
    assert ask(path, {})[0] == 404


def test_bad_requests_get_a_sentence(ask):
    for body, words in ((b"{", "not JSON"), (b"[" * 100_000, "not JSON"), (b"7", "A request must be an object")):
        answer = ask("/api/series", body)
        assert answer[0] == 200  # a browser's console would show any other status in red
        assert words in said(answer)
    assert ask("/api/series", b"{}", kind="text/plain")[0] == 415
    assert said(ask("/api/table", b"a,b", kind="text/csv")) == "The table has a header but no rows."
    assert "step must be" in said(ask("/api/code", {"method": "id3", "step": "x"}))
    assert ask("/api/code", {"method": "id3", "step": 1})[0] == 200


def test_tables_over_20_mb_are_refused_before_they_are_read(server):
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=300)
    connection.putrequest("POST", "/api/table")
    for name, value in (
        ("X-Lab-Token", server.token),
        ("Content-Type", "text/csv"),
        ("Content-Length", str(21 * 2**20)),
    ):
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413
    assert json.loads(answer.read())["error"] == "The table is 21 MB, but at most 20 MB are supported."


def test_a_body_must_say_how_long_it_is(server):
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=300)
    connection.putrequest("POST", "/api/series")
    for name, value in (("X-Lab-Token", server.token), ("Content-Type", "application/json")):
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 411


def test_a_table_in_any_encoding(ask):
    text = "größe,b,art\n1,2,ä\n2,3,ö\n"
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        found = json.loads(ask("/api/table", text.encode(encoding), kind="text/csv")[2])
        assert found["numbers"] == ["größe", "b"]


def test_mistakes_of_our_own_are_said_to_be_so(ask, server, monkeypatch):
    monkeypatch.setattr(server.lab, "series", lambda request: 1 / 0)
    answer = ask("/api/series", {"method": "id3"})
    assert answer[0] == 500
    assert said(answer).startswith("Internal error of Spinney, ZeroDivisionError")


def test_ports(monkeypatch):
    assert spinney.lab.serve is serve
    with pytest.raises(AttributeError, match=r"module 'spinney\.lab' has no attribute 'x'"):
        spinney.lab.x  # noqa: B018
    with LabServer() as taken:
        assert taken.server_address[0] == "127.0.0.1"
        monkeypatch.setattr("spinney.lab.server.PORT", taken.server_port)
        with open_server() as other:
            assert other.server_port != taken.server_port
            assert other.token != taken.token
        assert refusal("lab", "--no-browser", "--port", taken.server_port).startswith(
            f"port {taken.server_port} is not available"
        )


def test_ctrl_c_stops_it():
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPINNEY_QUIET": "1"}
    command = [sys.executable, "-m", "spinney", "lab", "m=id3&s=2", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        first = process.stdout.readline()
        assert re.fullmatch(r"The lab is at http://127\.0\.0\.1:\d+/\?token=\S{32}#m=id3&s=2\n", first)
        assert process.stdout.readline() == "Ctrl-C stops it.\n"
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert (process.returncode, out.strip(), errors) == (0, "The lab is closed.", "")


def test_links_that_are_none():
    assert refusal("lab", "kmeans").startswith("link must be a link to a step, copied from the page, got 'kmeans'")
