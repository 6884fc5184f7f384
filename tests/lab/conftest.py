"""One server and one lab for all tests of this folder: what one test has fitted, another need not."""

import json
import threading
from http.client import HTTPConnection

import pytest

from spinney.lab.server import LabServer


@pytest.fixture(scope="session")
def server():
    with LabServer() as found:
        threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield found
        found.shutdown()


@pytest.fixture(scope="session")
def lab(server):
    return server.lab


@pytest.fixture(scope="session")
def steps(lab):
    """The steps of a request."""
    return lambda method, **more: json.loads(lab.series({"method": method, **more}))["steps"]


@pytest.fixture
def ask(server):
    """(status, headers, body) of a request; with the token and of the right origin, unless headers say otherwise."""

    def ask(path, body=None, kind="application/json", token=True, **headers):
        connection = HTTPConnection("127.0.0.1", server.server_port, timeout=300)
        sent = {"X-Lab-Token": server.token} if token else {}
        if body is not None:
            sent["Content-Type"] = kind
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET" if body is None else "POST", path, body, sent)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return found

    return ask
