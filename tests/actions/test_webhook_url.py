"""The webhook URL comes out under one name, whatever the service's answer looks like."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from actions.banking import get_webhook_url, set_webhook_url
from connector import Connector, Credential
from connector.errors import NotFound

URL = "https://hooks.muster.example/kontor"
TELLING = [{"data": {"webhook_url": URL}}, {"webhook_url": URL}, {"url": URL}, URL]


@pytest.mark.parametrize("reply", TELLING)
def test_the_url_is_found_in_every_plausible_answer(reply: Any) -> None:
    assert get_webhook_url.shape(reply) == {"webhook_url": URL}
    assert set_webhook_url.shape(reply) == {"webhook_url": URL}


@pytest.mark.parametrize("reply", [None, {}, {"data": None}, {"webhook_url": None}, {"webhook_url": ""}])
def test_none_set_is_told_as_null(reply: Any) -> None:
    assert get_webhook_url.shape(reply) == {"webhook_url": None}


class _NothingHere(BaseHTTPRequestHandler):
    """A service that knows no URL, and says so with 404."""

    def do_GET(self) -> None:
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def test_a_service_that_finds_none_has_none_set_and_any_other_404_stays_an_error() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _NothingHere) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with Connector().open(Credential(f"http://127.0.0.1:{server.server_address[1]}", "a-key")) as session:
            assert session.invoke("get_webhook_url").output == {"webhook_url": None}
            with pytest.raises(NotFound):
                session.invoke("list_bank_accounts")
        server.shutdown()


def test_an_unreadable_answer_is_not_taken_for_none_set() -> None:
    with pytest.raises(ValueError, match="webhook URL"):
        get_webhook_url.shape({"ok": True})


@pytest.mark.parametrize("reply", [{"ok": True}, {}, None, {"data": None}, 7])
def test_a_url_that_was_set_is_a_success_and_never_reads_as_unset(reply: Any) -> None:
    assert set_webhook_url.shape(reply) == {"answer": reply}
