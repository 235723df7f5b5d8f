"""Why an attempt failed is stored in English and shown in the language of whoever reads it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from connector.core.messages import say
from connector.durable.outbox.reasons import NAMES, is_known, reason_text
from connector.durable.sending import sender as sender_module
from connector.durable.sending.sender import Attempt, Sender
from connector.durable.subscriptions import delivery_failure

VALUES = {
    "size": "4194304",
    "seconds": "15",
    "address": "127.0.0.1",
    "source": "KONTOR_DATA_KEY",
    "path": "/x",
    "why": "y",
}


@pytest.mark.parametrize("name", NAMES)
def test_every_reason_that_is_stored_reads_back_in_both_languages(name: str) -> None:
    said = say(name, **VALUES)
    assert is_known(said.en)
    assert reason_text(said.en) == said
    assert said.de in delivery_failure(None, said.en).de


def test_what_a_target_said_and_what_older_versions_stored_stay_as_they_are() -> None:
    assert delivery_failure(500, "Maintenance until noon").de == (
        "Die Adresse antwortete mit Status 500: Maintenance until noon"
    )
    assert delivery_failure(None, "SomethingOdd: x").de == "Die Adresse hat nicht geantwortet: SomethingOdd: x"
    assert delivery_failure(301, "redirects are not followed").de.endswith("Weiterleitungen werden nicht befolgt")


@pytest.fixture
def hanging_up() -> Iterator[str]:
    """A target that ends every connection before it answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            while True:
                try:
                    taken, _ = listening.accept()
                except OSError:
                    return
                taken.recv(1024)
                taken.close()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        listening.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def silent() -> Iterator[str]:
    """A target that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"


def attempt(url: str, *, private: bool = True, body: bytes = b"{}") -> Attempt:
    async def send() -> Attempt:
        async with Sender(allow_private=private, seconds=0.5) as sender:
            return await sender.send(url, body, {})

    return asyncio.run(send())


def german(attempt: Attempt) -> str:
    return delivery_failure(attempt.status, attempt.error).de


def test_what_the_sender_meets_is_told_in_german(hanging_up: str, silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert german(attempt(hanging_up)) == "Die Verbindung zur Adresse brach ab, bevor eine Antwort kam."
    assert german(attempt(silent)) == "Nicht zugestellt: keine Antwort innerhalb von 0.5 Sekunden"
    assert german(attempt("http://127.0.0.1:9/")) == "Die Adresse ist nicht erreichbar."
    assert german(attempt("https://127.0.0.1/", private=False)) == f"Nicht zugestellt: {say('target_private').de}"
    monkeypatch.setattr(sender_module, "MAX_BODY_BYTES", 1)
    assert german(attempt(silent)) == "Nicht zugestellt: größer als 1 Bytes"
