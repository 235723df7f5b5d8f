"""Connections to PostgreSQL that give up in time: on locks, slow statements, and a server that does not answer."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

T = TypeVar("T")
ANSWER_SECONDS = 9.0
"""How long a statement may take until this process gives the connection up. The server's own limits need a server that
runs; this one ends a wait for a server that is frozen or unreachable."""
SESSION = {
    "lock_timeout": "3s",
    "statement_timeout": "10s",  # for what the server goes on with after this process gave up
    "idle_in_transaction_session_timeout": "5s",  # a process that is frozen inside a transaction loses its locks
}
CONNECTING = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "kontor",
}


class DeadlineConnection(psycopg.Connection[Any]):
    """A connection that is closed when the server does not answer in time."""

    answer_seconds = ANSWER_SECONDS

    def wait(self, gen: PQGen[T], *args: Any, **options: Any) -> T:
        """Wait for the server's answer, for `answer_seconds` at most."""
        try:
            return super().wait(_until(gen, time.monotonic() + self.answer_seconds), *args, **options)
        except _NoAnswer:
            self.pgconn.finish()  # what the server makes of the statement is unknown: never use it again
            raise


class _NoAnswer(psycopg.OperationalError):
    """The server did not answer in time."""


def connect(*arguments: Any, **parameters: Any) -> DeadlineConnection:
    """Connect, with our limits for the session. What the URL says about connecting goes first."""
    connection = DeadlineConnection.connect(*arguments, **{**CONNECTING, **parameters})
    connection.autocommit = True
    settings = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in SESSION.items())
    connection.execute(f"SELECT {settings}".encode())
    connection.autocommit = False
    return connection


def _until(gen: PQGen[T], deadline: float) -> Generator[Any, Any, T]:
    """Pass on the generator by which psycopg waits; it is asked ten times a second even when nothing arrives."""
    try:
        state = next(gen)
        while True:
            ready = yield state
            if not ready and time.monotonic() > deadline:
                raise _NoAnswer("the server did not answer in time")
            state = gen.send(ready)
    except StopIteration as done:
        result: T = done.value
        return result
