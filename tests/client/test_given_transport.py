"""A transport of httpx that the caller brings: `Connector.open(credential, transport=…)`."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from connector import Connector
from connector.core.errors import InputError, OutcomeUnknown
from connector.core.service.credential import Credential

both_kinds = pytest.mark.parametrize("kind", ["blocking", "asynchronous"])
SERVICE = Credential("https://service.example", "k")


def invoke(kind: str, connector: Connector, transport, action: str, inputs, key=None):
    """Run an action in a session of its own."""
    if kind == "blocking":
        with connector.open(SERVICE, transport=transport) as session:
            return session.invoke(action, inputs, key=key)

    async def main():
        async with connector.open(SERVICE, transport=transport) as session:
            return await session.invoke(action, inputs, key=key)

    return asyncio.run(main())


class Closing(httpx.MockTransport):
    """Knows whether it was closed."""

    closed = False

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


@both_kinds
def test_a_callers_transport_stays_open_and_may_be_used_again(kind, tmp_path):
    given = Closing(lambda _: httpx.Response(200, json={"data": []}))
    connector = Connector(str(tmp_path))
    for _ in range(2):
        assert invoke(kind, connector, given, "list_bank_accounts", {}).output == {"items": []}
        assert not given.closed
    connector.close()


async def test_sessions_on_a_callers_transport_do_not_use_the_shared_client(tmp_path):
    given = httpx.MockTransport(lambda _: httpx.Response(200, json={"data": []}))
    connector = Connector(str(tmp_path))
    async with connector.open(SERVICE) as other, connector.open(SERVICE, transport=given) as session:
        shared = other.client._join()
        await session.invoke("list_bank_accounts")
        assert shared.users == 1
        assert session.client._shared is None
    connector.close()


@both_kinds
@pytest.mark.parametrize("error", [RuntimeError, OSError, KeyError, httpx.StreamError])
def test_a_write_during_which_a_transport_raises_anything_else_is_unknown_and_not_sent_again(kind, error, tmp_path):
    posted = []

    def handler(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            posted.append(request)
            raise error("a fault of the transport")
        return httpx.Response(200, json={"data": []})

    line = {"belegtext": "Büromaterial", "gegenkonto": "4930", "belegNummer": "K-1", "betrag": "1.00"}
    inputs = {
        "ledger_connection": "162243e8-9b05-5c37-84ec-bd61cd0049d1",
        "waehrung": "EUR",
        "kassenname": "Hauptkasse",
        "betrag": "1.00",
        "transaktionsdatum": "2026-11-15T10:00:00+01:00",
        "belegzeilen": [line],
    }
    connector = Connector(str(tmp_path))
    for _ in range(2):
        with pytest.raises(OutcomeUnknown):
            invoke(kind, connector, httpx.MockTransport(handler), "create_cash_book_entry", inputs, key="k1")
    connector.close()
    assert len(posted) == 1


@pytest.mark.parametrize(
    ("kind", "wanted", "given"),
    [
        ("blocking", "httpx.BaseTransport", httpx.AsyncHTTPTransport),
        ("blocking", "httpx.BaseTransport", object),
        ("asynchronous", "httpx.AsyncBaseTransport", httpx.HTTPTransport),
        ("asynchronous", "httpx.AsyncBaseTransport", object),
    ],
)
def test_a_transport_of_the_wrong_kind_is_refused_by_name(kind, wanted, given, tmp_path):
    with pytest.raises(InputError) as caught:
        invoke(kind, Connector(str(tmp_path)), given(), "list_bank_accounts", {})
    error = caught.value
    assert error.field == "transport"
    assert all(wanted in text and given.__name__ in text for text in (error.message.en, error.message.de))
    assert error.message.en != error.message.de
    assert error.remedy
    assert error.remedy.de
