"""Without an input, all bank connections are watched that are known: from payments, events, and connects begun here."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector, Credential
from connector.core.values import json
from connector.sandbox.banking.demo import DISABLED, ENDING_SOON, EXPIRED, UNFINISHED
from connector.store.triggers import events
from connector.store.triggers.events import IncomingEvent
from tests.durable.poller.engine_host import BANK, EngineHost
from tests.support.running_sandbox import RunningSandbox

TRIGGERS = ("consent_expires_soon", "bank_connection_needs_attention")


def event(id: str, connection_id: str) -> IncomingEvent:
    data = {"connection_id": connection_id, "error_class": "InvalidCredentials"}
    body = json.encode({"event": "connection_error", "data": data, "received_at": "2026-05-04T08:00:00Z"}).decode()
    return IncomingEvent(id, f"e-{connection_id}", "connection_error", body)


def tell(host: EngineHost, connection_id: str, state: str = "fired") -> None:
    """Lets an event about a bank connection have come in, with this decision about it."""
    host.write(lambda c: events.insert(c, [event(host.credential_id, connection_id)], host.now()))
    [newest, *_] = host.read(lambda c: events.listed(c, host.credential_id))
    host.write(lambda c: events.set_state(c, [newest.id], state, host.now()))


async def test_a_host_watches_what_payments_and_events_have_named_with_one_request_each(
    engine_host: EngineHost, sandbox: RunningSandbox
) -> None:
    flows = [await engine_host.subscribe(trigger) for trigger in TRIGGERS]
    tell(engine_host, EXPIRED)
    await engine_host.poll()
    before = len(sandbox.requests())
    await engine_host.poll_all()
    asked = [row["path"].rsplit("/", 1)[1] for row in sandbox.requests()[before:] if "/connections/" in row["path"]]
    assert sorted(asked) == sorted(set(asked)), "both flows share the requests"
    [consent, attention] = ({item["id"]: item["_known_from"] for item in engine_host.bodies(flow)} for flow in flows)
    assert consent[EXPIRED] == attention[EXPIRED] == "events"
    assert BANK in engine_host.cursor(flows[0]).cursor
    sandbox.order(f"/bank-connections/{BANK}/expire-consent")
    await engine_host.poll_all()
    assert engine_host.bodies(flows[0])[-1]["id"] == BANK
    assert engine_host.bodies(flows[0])[-1]["_known_from"] == "payments"


@pytest.mark.parametrize("state", ["new", "forged", "unknown", "unconfirmed"])
async def test_an_event_that_nobody_confirmed_makes_nothing_known(engine_host: EngineHost, state: Any) -> None:
    flow = await engine_host.subscribe("consent_expires_soon")
    tell(engine_host, EXPIRED, state)
    await engine_host.poll()
    assert EXPIRED not in str(engine_host.cursor(flow).cursor)


async def test_a_connect_that_was_begun_here_is_watched_until_it_is_gone(
    engine_host: EngineHost, sandbox: RunningSandbox
) -> None:
    session = await engine_host.context.session(engine_host.credential_id)
    begun = await session.invoke("start_bank_connect", {"provider_code": "n26_de"})
    flow = await engine_host.subscribe("bank_connection_needs_attention")
    await engine_host.poll()
    assert begun.output["connection_id"] in str(engine_host.cursor(flow).cursor)
    sandbox.order("/clock", advance=20 * 60)
    await engine_host.poll_all()
    assert begun.output["connection_id"] not in str(engine_host.cursor(flow).cursor)
    assert engine_host.cursor(flow).trouble is None


def test_without_a_host_payments_tell_which_there_are_and_the_answer_says_so(
    sandbox: RunningSandbox, tmp_path: Any
) -> None:
    connector = Connector(str(tmp_path))
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        named = {row["connection_id"] for row in session.invoke("list_payments").output["items"]}
        first = session.poll("consent_expires_soon", {"days": 365}, start="all")
        all_watched = first.as_dict()["watched"]
        assert {watched["id"] for watched in all_watched} == named
        assert {watched["known_from"] for watched in all_watched} == {"payments"}
        assert {item["id"] for item in first.items} <= named
        assert BANK in {item["id"] for item in first.items}
        assert first.credits.cost == 0
        again = session.poll("consent_expires_soon", {"days": 365}, cursor=first.cursor)
        assert again.items == ()
        polled = session.poll("consent_expires_soon", {"days": 365, "connection_id": EXPIRED}, cursor=again.cursor)
        assert [item["id"] for item in polled.items] == ([] if EXPIRED in named else [EXPIRED])
    connector.close()
    assert {ENDING_SOON, DISABLED, UNFINISHED} - named, "what no payment names is not known without a host"
