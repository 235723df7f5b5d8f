"""An attack on a host, as a process of its own: `python -m … HOST PORT TOKEN HOOK`, until its stdin ends.

Two thousand connections of strangers from 49 addresses that send half heads, half bodies or nothing, and are opened
again when they are closed; and hostile bodies one after the other, with the token of a customer and without one.
"""

from __future__ import annotations

import selectors
import socket
import sys
import threading
import time
from contextlib import suppress
from itertools import count, cycle

from tests.interfaces.host.lifecycle.hostile_bodies import HOSTILE, Hostile

CONNECTIONS = 2000
SOURCES = [f"127.0.0.{number}" for number in range(2, 51)]
SENDERS = 4
OPENED_AGAIN = 500
"""Connections a second that are opened again, once all were open."""
HALVES = (
    b"",
    b"GET /v1/runs HTTP/1.1\r\nhost: h\r\n",
    b"POST /v1/runs HTTP/1.1\r\nhost: h\r\nauthorization: Bearer kontor_wrong\r\ncontent-length: 1000\r\n\r\n{",
    b"POST /console/login HTTP/1.1\r\nhost: h\r\ncontent-length: 1000\r\n\r\ntoken=",
    b"GET /healthz HTTP/1.1\r\nhost: h\r\n\r\n",
)


class SlowConnections:
    """Strangers who hold connections."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._address = address
        self._selector = selectors.DefaultSelector()
        self._halves, self._sources = cycle(HALVES), cycle(SOURCES)
        self.opened = 0

    def run(self, stop: threading.Event) -> None:
        """Keep them all open; send a byte on some of them now and then."""
        while self.opened < CONNECTIONS:
            self._open()
        while not stop.is_set():
            missing = CONNECTIONS - len(self._selector.get_map())
            for _ in range(min(missing, OPENED_AGAIN // 10)):
                self._open()
            until = time.monotonic() + 0.1
            while (left := until - time.monotonic()) > 0:
                for key, _ in self._selector.select(left):
                    self._hear(key)
            self._drip()

    def _open(self) -> None:
        connection = socket.socket()
        connection.setblocking(False)
        connection.bind((next(self._sources), 0))
        with suppress(BlockingIOError):
            connection.connect(self._address)
        self.opened += 1
        self._selector.register(connection, selectors.EVENT_READ | selectors.EVENT_WRITE, next(self._halves))

    def _hear(self, key: selectors.SelectorKey) -> None:
        connection: socket.socket = key.fileobj  # type: ignore[assignment]
        try:
            if key.data is not None:
                connection.send(key.data)
                self._selector.modify(connection, selectors.EVENT_READ, None)
            elif not connection.recv(65_536):
                raise ConnectionResetError
        except BlockingIOError:
            return
        except OSError:
            self._selector.unregister(connection)
            connection.close()

    def _drip(self) -> None:
        for key in list(self._selector.get_map().values())[::50]:
            if key.data is None:
                with suppress(OSError):
                    key.fileobj.send(b"a")  # type: ignore[union-attr]


def send(hostile: Hostile, address: tuple[str, int], path: str, token: str, source: str) -> bytes:
    """Send one body, and return the beginning of its answer; empty when there was none."""
    with socket.create_connection(address, timeout=5, source_address=(source, 0)) as connection:
        try:
            connection.sendall(hostile.head(path, token))
            for part in hostile.parts():
                connection.sendall(part)
        except OSError:
            pass  # it was refused before its end
        with suppress(OSError):
            return connection.recv(65_536)
    return b""


def send_bodies(address: tuple[str, int], paths: list[tuple[str, str]], first: int, stop: threading.Event) -> None:
    """Send one hostile body after the other, those with a path that answers nothing included."""
    bodies = [hostile for hostile in HOSTILE if hostile.answers]
    for number in count(first):
        if stop.is_set():
            return
        path, token = paths[number % len(paths)]
        with suppress(OSError):
            send(bodies[number % len(bodies)], address, path, token, SOURCES[number % len(SOURCES)])


def main(host: str, port: str, token: str, hook: str) -> None:
    """Attack until stdin ends."""
    address = (host, int(port))
    stop = threading.Event()
    run = "/v1/actions/list_bank_accounts/run"
    paths = [(run, token), ("/mcp", token), (hook, ""), (run, "kontor_wrong"), (run, token)]
    slow = SlowConnections(address)
    threads = [threading.Thread(target=slow.run, args=(stop,))]
    threads += [threading.Thread(target=send_bodies, args=(address, paths, 7 * n, stop)) for n in range(SENDERS)]
    for thread in threads:
        thread.start()
    while slow.opened < CONNECTIONS:
        time.sleep(0.05)
    sys.stdout.write("attacking\n")
    sys.stdout.flush()
    sys.stdin.read()
    stop.set()
    for thread in threads:
        thread.join()
    sys.stdout.write(f"{slow.opened}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
