"""What the clients send and receive, and what they leave out."""

from __future__ import annotations

import asyncio
import base64
import gzip
import socket
import ssl
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import httpx
import pytest

from connector.client import AsyncClient, Call, Client, KeyState, clients
from connector.client.call import PreparedRequest
from connector.client.verdict import Answer, TransportFailure
from connector.core.errors import Refused, ServiceDown
from connector.core.messages import say
from connector.core.service.credential import Credential

both_kinds = pytest.mark.parametrize("kind", ["blocking", "asynchronous"])
SERVICE = Credential("https://service.example", "k")
REQUEST = PreparedRequest("GET", "https://service.example/v2/x", {"accept-encoding": "gzip, deflate"})


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


@both_kinds
def test_a_cookie_for_one_key_never_reaches_another(server, kind):
    credential, seen = server
    other = Credential(credential.base_url, "another")

    async def main() -> None:
        async with AsyncClient(credential, state=KeyState()) as one, AsyncClient(other, state=KeyState()) as two:
            for client in (one, two, one):
                await client.call(Call("GET", "/v2/x"))
            assert one._join() is two._join()
            assert not list(one._join().http.cookies.jar)

    if kind == "asynchronous":
        asyncio.run(main())
    else:
        with Client(credential, state=KeyState()) as client:
            for key in ("k", "another", "k"):
                prepared = PreparedRequest("GET", f"{credential.base_url}/v2/x", {"x-api-key": key})
                assert isinstance(client.transmit(prepared, 5.0), Answer)
            assert not list(client._open().cookies.jar)
    assert [headers["x-api-key"] for headers in seen] == ["k", "another", "k"]
    assert not any(name.lower() == "cookie" for headers in seen for name in headers)


@both_kinds
def test_no_authentication_is_taken_from_a_netrc_file_or_a_url(server, kind, tmp_path, monkeypatch):
    credential, seen = server
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ada password secret\ndefault login ada password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HOME", str(tmp_path))
    ask(credential, "/v2/x", kind)
    url = credential.base_url.replace("http://", "http://ada:secret@")
    assert isinstance(transmitted(kind, PreparedRequest("GET", f"{url}/v2/x", {}), credential=credential), Answer)
    assert len(seen) == 2
    assert not any(name.lower() == "authorization" for headers in seen for name in headers)


@pytest.mark.conforms("versioning.one_server")
@pytest.mark.parametrize("kind", ["blocking", "asynchronous"])
def test_a_redirect_is_not_followed_so_the_key_stays_with_its_service(server, kind):
    credential, seen = server
    with pytest.raises(Exception, match="302"):
        ask(credential, "/v2/moved", kind)
    assert len(seen) == 1


@both_kinds
@pytest.mark.parametrize(
    ("environment", "url", "dialled"),
    [
        ({}, "https://api.example.com", "api.example.com:443"),
        ({"HTTPS_PROXY": "http://proxy.example.com:3128"}, "https://api.example.com", "proxy.example.com:3128"),
        ({"HTTPS_PROXY": "proxy.example.com:3128"}, "https://api.example.com", "proxy.example.com:3128"),
        ({"ALL_PROXY": "http://proxy.example.com:1"}, "https://api.example.com", "proxy.example.com:1"),
        (
            {"HTTPS_PROXY": "http://p.example.com:1", "NO_PROXY": "example.com"},
            "https://api.example.com",
            "api.example.com:443",
        ),
        ({"HTTP_PROXY": "http://p.example.com:1"}, "http://localhost:8320", "localhost:8320"),
        ({"HTTPS_PROXY": "http://p.example.com:1"}, "https://localhost:8320", "localhost:8320"),
        ({"ALL_PROXY": "http://p.example.com:1"}, "http://localhost:8320", "localhost:8320"),
        ({"HTTP_PROXY": "http://p.example.com:1"}, "https://api.example.com", "api.example.com:443"),
    ],
)
def test_a_proxy_of_the_environment_is_used_except_for_this_machine(monkeypatch, kind, environment, url, dialled):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    looked_up = []

    def nowhere(host, port, *_more, **_named):
        looked_up.append(f"{host.decode() if isinstance(host, bytes) else host}:{port}")
        raise socket.gaierror("no name resolves in tests")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    failure = transmitted(kind, PreparedRequest("GET", f"{url}/v2/x", {}), credential=Credential(url, "k"))
    assert isinstance(failure, TransportFailure)
    assert not failure.sent
    assert set(looked_up) == {dialled}


@pytest.mark.parametrize(("lookup", "most"), [(False, 6), (True, 3)])
def test_a_service_that_is_not_there_is_given_up_after_a_few_attempts(unused_port, monkeypatch, lookup, most):
    pauses = []
    monkeypatch.setattr(clients.time, "sleep", pauses.append)
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
    request = clients.build_request(prepared, 3.0)
    headers = dict(request.headers)
    assert headers["host"] == "service.example:8080"
    assert headers.get("content-length") == length
    assert b"".join(request.stream) == (content or b"")
    bare = httpx.Request(method, prepared.url, headers=prepared.headers, content=content)
    assert sorted(headers.items()) == sorted(bare.headers.items())


class Chunks(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body as it arrives; an exception among its chunks is raised."""

    def __init__(self, chunks, pause: float = 0.0) -> None:
        self.chunks, self.pause, self.read = chunks, pause, 0

    def __iter__(self):
        for chunk in self.chunks:
            time.sleep(self.pause)
            self.read += 1
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk

    async def __aiter__(self):
        for chunk in self:
            yield chunk


def transmitted(kind: str, request=REQUEST, seconds=5.0, credential=SERVICE, handler=None) -> Answer | TransportFailure:
    """What becomes of one request, whose answer is made by the handler, if there is one."""
    given = httpx.MockTransport(handler) if handler else None
    if kind == "blocking":
        with Client(credential, state=KeyState(), transport=given) as client:
            return client.transmit(request, seconds)

    async def main() -> Answer | TransportFailure:
        async with AsyncClient(credential, state=KeyState(), transport=given) as client:
            return await client.transmit(request, seconds)

    return asyncio.run(main())


def received(kind: str, encoding: str, chunks, pause: float = 0.0, seconds: float = 5.0) -> Answer | TransportFailure:
    """What becomes of an answer whose body arrives in these chunks."""
    stream = chunks if isinstance(chunks, Chunks) else Chunks(chunks, pause)
    headers = [("X-Two", "1"), ("x-two", "2"), *([("Content-Encoding", encoding)] if encoding else [])]
    return transmitted(kind, seconds=seconds, handler=lambda _: httpx.Response(200, headers=headers, stream=stream))


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[at : at + size] for at in range(0, len(body), size)]


def bare_deflate(text: bytes) -> bytes:
    return zlib.compress(text, wbits=-zlib.MAX_WBITS)


@both_kinds
@pytest.mark.parametrize(
    ("encoding", "compress", "size"),
    [
        (encoding, compress, size)
        for encoding, compress in (
            ("gzip", gzip.compress),
            ("GZIP", gzip.compress),
            ("deflate", zlib.compress),
            ("deflate", bare_deflate),
            ("identity", bytes),
            ("", bytes),
        )
        for size in (1, 7, 10_000)
        if (compress, size) != (bare_deflate, 1)
    ],
)
def test_an_answer_is_read_in_any_encoding_and_in_chunks_of_any_size(kind, encoding, compress, size):
    text = b'{"data": "' + "Käse ".encode() * 500 + b'"}'
    answer = received(kind, encoding, cut(compress(text), size))
    assert isinstance(answer, Answer)
    assert answer.body == text
    assert answer.headers["x-two"] == "1, 2"


@both_kinds
def test_deflate_without_a_header_whose_first_byte_comes_alone_may_have_been_acted_upon(kind):
    """httpx tells the two forms apart by the first chunk."""
    failure = received(kind, "deflate", cut(bare_deflate(b"{}" * 500), 1))
    assert isinstance(failure, TransportFailure)
    assert failure.sent


@both_kinds
@pytest.mark.parametrize("encoding", ["zzz", "br", "zstd", "gzip, gzip", "gzip, identity"])
def test_a_body_in_an_encoding_that_was_not_asked_for_is_left_as_it_is(kind, encoding):
    body = gzip.compress(gzip.compress(b"{}"))
    answer = received(kind, encoding, cut(body, 7))
    assert isinstance(answer, Answer)
    assert answer.body == body


@both_kinds
def test_a_small_body_that_grows_without_end_is_given_up_at_the_limit(kind, monkeypatch):
    monkeypatch.setattr(clients, "MAX_REPLY_BYTES", 2 * 1024**2)
    bomb = Chunks(cut(gzip.compress(bytes(64 * 1024**2)), 512))
    failure = received(kind, "gzip", bomb)
    assert failure == TransportFailure(True, say("reply_too_large", megabytes=2), permanent=True)
    assert bomb.read < len(bomb.chunks) / 8


@both_kinds
@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_what_cannot_be_decompressed_is_a_failure_after_sending(kind, encoding):
    failure = received(kind, encoding, [b"\x1f\x8bnot compressed at all"])
    assert failure == TransportFailure(True, say("why_dropped"))


# A gzip header may hold a file name of any length, and no byte of the body comes of it.
ENDLESS_NAME = (b"\x1f\x8b\x08\x08\0\0\0\0\0\xff", *(b"a" for _ in range(100)))


@both_kinds
@pytest.mark.parametrize(("encoding", "chunks"), [("", [b"a"] * 100), ("gzip", ENDLESS_NAME)])
def test_a_body_that_trickles_is_given_up_at_the_deadline(kind, encoding, chunks):
    started = time.monotonic()
    assert received(kind, encoding, chunks, pause=0.05, seconds=0.3) == TransportFailure(True, say("why_timeout"))
    assert time.monotonic() - started < 3


NOTHING_LEFT = [
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.ProxyError,
    httpx.LocalProtocolError,
]
MAYBE_SENT = [
    httpx.ReadError,
    httpx.WriteError,
    httpx.CloseError,
    httpx.ReadTimeout,
    httpx.WriteTimeout,
    httpx.RemoteProtocolError,
    httpx.DecodingError,
    httpx.TooManyRedirects,
    httpx.NetworkError,
    httpx.ProtocolError,
    httpx.TimeoutException,
    httpx.TransportError,
    httpx.RequestError,
    httpx.InvalidURL,
]


def raising(error: Exception):
    def handler(_: httpx.Request) -> httpx.Response:
        raise error

    return handler


@both_kinds
@pytest.mark.parametrize("error", [*NOTHING_LEFT, *MAYBE_SENT])
def test_only_what_fails_before_the_first_byte_was_never_sent(kind, error):
    failure = transmitted(kind, handler=raising(error("so")))
    assert isinstance(failure, TransportFailure)
    assert failure.sent == (error not in NOTHING_LEFT)
    assert (failure.why == say("why_timeout")) == issubclass(error, httpx.TimeoutException)


@both_kinds
@pytest.mark.parametrize("error", [*NOTHING_LEFT, *MAYBE_SENT])
def test_whatever_fails_after_the_answer_has_begun_was_sent(kind, error):
    failure = received(kind, "", [b"{", error("so")])
    assert isinstance(failure, TransportFailure)
    assert failure.sent


def test_every_exception_of_httpx_is_told_apart_here():
    kinds = {one for one in vars(httpx).values() if isinstance(one, type) and issubclass(one, httpx.RequestError)}
    assert kinds == {*NOTHING_LEFT, *MAYBE_SENT} - {httpx.InvalidURL}
    assert set(clients.NEVER_SENT) == set(NOTHING_LEFT)


@both_kinds
@pytest.mark.parametrize("location", ["http://[", "mailto:ada@example.com", "https://exa mple.com:x/", "\0", "/there"])
def test_a_redirect_to_nowhere_was_an_answer_to_what_was_sent(kind, location):
    result = transmitted(kind, handler=lambda _: httpx.Response(302, headers={"location": location}))
    assert result.sent if isinstance(result, TransportFailure) else result.status == 302


def proxy_that_refuses(heads: list[str]) -> socket.socket:
    """Take one connection, remember what it asks for, and refuse it."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            heads.append(connection.recv(65536).decode())
            connection.sendall(b"HTTP/1.1 502 No\r\ncontent-length: 0\r\n\r\n")

    threading.Thread(target=serve, daemon=True).start()
    return listening


@both_kinds
def test_a_proxy_may_ask_for_a_name_and_a_password(kind, monkeypatch):
    heads: list[str] = []
    with proxy_that_refuses(heads) as listening:
        monkeypatch.setenv("HTTPS_PROXY", f"http://ada:p%40ss@127.0.0.1:{listening.getsockname()[1]}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        failure = transmitted(kind)
    assert isinstance(failure, TransportFailure)
    assert not failure.sent
    assert heads[0].startswith("CONNECT service.example:443 ")
    assert f"basic {base64.b64encode(b'ada:p@ss').decode()}".lower() in heads[0].lower()
    assert "x-api-key" not in heads[0].lower()


def test_certificates_are_loaded_once_and_not_for_plain_http(monkeypatch):
    loaded = []
    monkeypatch.setattr(httpx, "create_ssl_context", lambda: loaded.append(1) or ssl.create_default_context())
    clients.ssl_context.cache_clear()
    Client(Credential("http://127.0.0.1:1", "k"), state=KeyState()).close()
    with Client(SERVICE, state=KeyState(), transport=httpx.MockTransport(lambda _: httpx.Response(200))):
        assert not loaded
    for _ in range(3):
        Client(SERVICE, state=KeyState()).close()
    clients.ssl_context.cache_clear()
    assert len(loaded) == 1


@pytest.mark.parametrize("body", [{"error": "Wartung"}, {"data": [], "error": "Wartung"}])
def test_a_page_that_is_passed_on_undecoded_is_not_taken_for_a_list_when_it_tells_an_error(body: object) -> None:
    answering = httpx.MockTransport(lambda _: httpx.Response(200, json=body))
    with Client(SERVICE, state=KeyState(), transport=answering) as client, pytest.raises(Refused, match="Wartung"):
        client.call(Call("GET", "/v2/banking/transactions", keep_raw=True))


@pytest.mark.parametrize("body", [b'{"data": []}', b'{"data": [{"id": "1", "error": "x"}]}', b"{", b""])
def test_any_other_page_is_passed_on_as_it_came(body: bytes) -> None:
    answering = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    with Client(SERVICE, state=KeyState(), transport=answering) as client:
        assert client.call(Call("GET", "/v2/banking/transactions", keep_raw=True)).body == body
