"""A mail server that keeps what it is given: enough SMTP for n8n."""

from __future__ import annotations

import email
import email.policy
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from threading import Thread


class Mailbox(socketserver.ThreadingTCPServer):
    """Takes every mail."""

    daemon_threads = allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.mails: list[EmailMessage] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Talk(socketserver.StreamRequestHandler):
    server: Mailbox

    def handle(self) -> None:
        self._say("220 ready")
        for line in self.rfile:
            verb = line[:4].upper().strip()
            if verb == b"DATA":
                self._say("354 go on")
                self._take()
            self._say("221 bye" if verb == b"QUIT" else "250 well")
            if verb == b"QUIT":
                return

    def _take(self) -> None:
        lines: list[bytes] = []
        for line in self.rfile:
            if line == b".\r\n":
                break
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        mail = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
        assert isinstance(mail, EmailMessage)
        self.server.mails.append(mail)

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def mailbox() -> Iterator[Mailbox]:
    with Mailbox() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
