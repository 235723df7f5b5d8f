"""What the clients send and receive, and what they leave out."""

from __future__ import annotations

import asyncio
import gzip
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import httpcore
import httpx
import pytest

from connector.client import AsyncClient, Call, Client, KeyState, blocking, transport
from connector.client.call import PreparedRequest
from connector.core.credential import Credential
from connector.core.errors import ServiceDown


@pytest.fixture
def server():
    """A server that sets a cookie, answers compressed where that is accepted, and remembers what it was asked."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        seen: ClassVar[list] = []

        def do_GET(self):
            self.seen.append(dict(self.headers))
            body = gzip.compress(b'{"data": {"id": "1"}}')
            self.send_response(302 if "moved" in self.path else 200)
            for name, value in (
                ("content-type", "application/json"),
                ("content-encoding", "gzip"),
                ("content-length", str(len(body))),
                ("location", "/v2/elsewhere"),
                ("set-cookie", "session=1; path=/"),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Credential(f"http://127.0.0.1:{server.server_port}", "k"), Handler.seen
    server.shutdown()
    server.server_close()


def ask(credential: Credential, path: str, kind: str, times: int = 1) -> list:
    call = Call("GET", path)
    if kind == "blocking":
        with Client(credential, state=KeyState()) as client:
            return [client.call(call).value for _ in range(times)]

    async def main() -> list:
        async with AsyncClient(credential, state=KeyState()) as client:
            return [(await client.call(call)).value for _ in range(times)]

    return asyncio.run(main())


@pytest.mark.parametrize("kind", ["blocking", "asynchronous"])
def test_a_compressed_answer_is_read(server, kind):
    credential, seen = server
    assert ask(credential, "/v2/x", kind) == [{"data": {"id": "1"}}]
    assert seen[0]["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("kind", ["blocking", "asynchronous"])
def test_no_cookie_is_ever_sent_back(server, kind):
    credential, seen = server
    ask(credential, "/v2/x", kind, times=2)
    assert len(seen) == 2
    assert not any(name.lower() == "cookie" for headers in seen for name in headers)


@pytest.mark.conforms("versioning.one_server")
@pytest.mark.parametrize("kind", ["blocking", "asynchronous"])
def test_a_redirect_is_not_followed_so_the_key_stays_with_its_service(server, kind):
    credential, seen = server
    with pytest.raises(Exception, match="302"):
        ask(credential, "/v2/moved", kind)
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, "https://api.example.com", None),
        ({"HTTPS_PROXY": "http://proxy.example.com:3128"}, "https://api.example.com", "http://proxy.example.com:3128"),
        ({"HTTPS_PROXY": "proxy.example.com:3128"}, "https://api.example.com", "http://proxy.example.com:3128"),
        ({"ALL_PROXY": "http://proxy.example.com:1"}, "https://api.example.com", "http://proxy.example.com:1"),
        ({"HTTPS_PROXY": "http://p.example.com:1", "NO_PROXY": "example.com"}, "https://api.example.com", None),
        ({"HTTP_PROXY": "http://p.example.com:1"}, "http://127.0.0.1:8320", None),
        ({"HTTP_PROXY": "http://p.example.com:1"}, "https://api.example.com", None),
    ],
)
def test_a_proxy_of_the_environment_is_used_except_for_this_machine(monkeypatch, environment, url, proxy):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    used = transport.pool_options(Credential(url, "k"))["proxy"]
    assert (used and bytes(used.url).decode().rstrip("/")) == proxy


@pytest.mark.parametrize(("lookup", "most"), [(False, 6), (True, 3)])
def test_a_service_that_is_not_there_is_given_up_after_a_few_attempts(unused_port, monkeypatch, lookup, most):
    pauses = []
    monkeypatch.setattr(blocking.time, "sleep", pauses.append)
    with (
        Client(Credential(f"http://127.0.0.1:{unused_port}", "k"), state=KeyState()) as client,
        pytest.raises(ServiceDown) as caught,
    ):
        client.call(Call("GET", "/v2/x", lookup=lookup))
    assert len(pauses) == most - 1
    assert sum(pauses) < 8
    assert caught.value.outcome == "not_sent"


@pytest.mark.parametrize(
    ("method", "content", "length"),
    [("POST", "ä".encode(), "2"), ("POST", None, "0"), ("PUT", None, "0"), ("GET", None, None), ("DELETE", None, None)],
)
def test_a_request_names_its_host_and_the_length_of_its_body(method, content, length):
    prepared = PreparedRequest(method, "http://service.example:8080/v2/things", {"accept": "application/json"}, content)
    request = transport.build_request(prepared, 3.0)
    headers = {name.decode(): value.decode() for name, value in request.headers}
    assert headers["host"] == "service.example:8080"
    assert headers.get("content-length") == length
    assert b"".join(request.stream) == (content or b"")
    bare = httpx.Request(method, prepared.url, headers=prepared.headers, content=content)
    assert sorted(headers.items()) == sorted(bare.headers.items())


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    ("encoding", "compress"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda text: zlib.compress(text, wbits=-zlib.MAX_WBITS)),
        ("identity", lambda text: text),
        ("", lambda text: text),
    ],
)
def test_an_answer_is_read_in_any_encoding_and_in_chunks_of_any_size(encoding, compress, size):
    text = b'{"data": "' + "Käse ".encode() * 500 + b'"}'
    headers = [(b"X-Two", b"1"), (b"x-two", b"2"), *([(b"Content-Encoding", encoding.encode())] if encoding else [])]
    receiving = transport.Receiving(httpcore.Response(200, headers=headers), time.monotonic() + 30)
    sent = compress(text)
    for at in range(0, len(sent), size):
        receiving.add(sent[at : at + size])
    answer = receiving.answer()
    assert answer.body == text
    assert answer.headers["x-two"] == "1, 2"


def test_what_cannot_be_decompressed_is_a_failure_after_sending():
    receiving = transport.Receiving(httpcore.Response(200, headers=[(b"content-encoding", b"gzip")]), 1e12)
    with pytest.raises(transport.FAILURES) as caught:
        receiving.add(b"\x1f\x8bnot compressed at all")
    assert transport.failure_of(caught.value).sent


def test_a_proxy_may_ask_for_a_name_and_a_password(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://ada:p%40ss@proxy.example.com:3128")
    monkeypatch.delenv("NO_PROXY", raising=False)
    proxy = transport.pool_options(Credential("https://api.example.com", "k"))["proxy"]
    assert (bytes(proxy.url).decode(), proxy.auth) == ("http://proxy.example.com:3128/", (b"ada", b"p@ss"))
