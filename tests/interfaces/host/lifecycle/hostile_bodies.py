"""Bodies that are sent to do harm: each as it goes over the wire, and what the host answers."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field

ACCEPT = "application/json, text/event-stream"
MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Hostile:
    """One body, made when it is needed; `answers` are the statuses that it may get, none where nothing is answered."""

    name: str
    body: bytes = b""
    times: int = 1
    begin: bytes = b""
    end: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    answers: tuple[int, ...] = (400,)

    def parts(self) -> Iterator[bytes]:
        """The body in parts of about 64 kilobytes."""
        yield self.begin
        at_once = max(1, 65_536 // max(1, len(self.body)))
        for _ in range(self.times // at_once):
            yield self.body * at_once
        yield self.body * (self.times % at_once) + self.end

    @property
    def size(self) -> int:
        return len(self.begin) + len(self.body) * self.times + len(self.end)

    def head(self, path: str, token: str) -> bytes:
        """Request line and headers, with the length of the body unless another is given."""
        headers = {
            "host": "h",
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "accept": ACCEPT,
        }
        if not {"content-length", "transfer-encoding"} & set(self.headers):
            headers["content-length"] = str(self.size)
        lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in {**headers, **self.headers}.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


RUN = b'{"inputs": {"x": '
CHUNKED = {"transfer-encoding": "chunked"}
HOSTILE = [
    Hostile("lists in lists without an end", b"[", 1_000_000, answers=(400, 413)),
    Hostile("lists in lists", b"[", 5000, end=b"]" * 5000),
    Hostile("objects in objects", b'{"a":', 50_000, end=b"1" + b"}" * 50_000),
    Hostile("four million empty objects", b"{},", 4_000_000, RUN + b"[", b"{}]}}", answers=(413,)),
    Hostile("four million lines", b"{}\n", 4_000_000, answers=(413,)),
    Hostile("ten million numbers", b"1,", 10_000_000, RUN + b"[", b"1]}}", answers=(413,)),
    Hostile("a million texts", b'"",', 1_000_000, RUN + b"[", b'""]}}', answers=(413,)),
    Hostile("a name a million times", b'"a":1,', 1_000_000, b"{", b'"b":1}', answers=(413,)),
    Hostile("a name twice among many", b'"a":1,', 90_000, b"{", b'"b":1}'),
    Hostile("a number of four million digits", b"1", 4_000_000, RUN, b"}}", answers=(413,)),
    Hostile("thousands of long numbers", b"9" * 4299 + b",", 7000, RUN + b"[", b"1]}}", answers=(413,)),
    Hostile("an exponent beyond reason", b"1e999999999", 1, RUN, b"}}"),
    Hostile("a text of thirty megabytes", b"x" * 1024, 30_000, RUN + b'"', b'"}}', answers=(422,)),
    Hostile("a text of brackets", b"[" * 1024, 15_000, RUN + b'"', b"]" * 15_360_000 + b'"}}', answers=(422,)),
    Hostile("a text of escapes", b"\\u00e4", 5_000_000, RUN + b'"', b'"}}', answers=(413,)),
    Hostile("a JSON text in a text", b'{\\"a\\":1},', 300_000, RUN + b'"[', b'{}]"}}', answers=(422,)),
    Hostile("nothing but blanks", b" " * 1024, 32_000, answers=(200,)),
    Hostile("no UTF-8", b"\xff\xfe\xc3", 100_000, RUN + b'"', b'"}}'),
    Hostile("half a character", b'"\\ud800"', 1, RUN, b"}}"),
    Hostile("UTF-8 with a mark", b"\xef\xbb\xbf{}"),
    Hostile("UTF-16 with a mark", '{"inputs": {}}'.encode("utf-16")),
    Hostile("zeros", b"\x00" * 1024, 1000),
    Hostile("a bomb", gzip.compress(b"[" * MEGABYTE * 50), headers={"content-encoding": "gzip"}, answers=(415,)),
    Hostile("a terabyte announced", b"{", headers={"content-length": str(2**40)}, answers=(413,)),
    Hostile("a length below zero", b"{}", headers={"content-length": "-1"}),
    Hostile("a length that is no number", b"{}", headers={"content-length": "two"}),
    Hostile("a length and chunks", b"0\r\n\r\n", headers={"content-length": "5", **CHUNKED}),
    Hostile("a chunk without an end", b"ffffffffffffffff\r\n", 1, headers=CHUNKED, answers=()),
    Hostile("chunks of one byte", b"1\r\n{\r\n", 200_000, headers=CHUNKED),
    Hostile("half a body", b'{"inputs": {', headers={"content-length": "1000"}, answers=()),
]
