"""The one webhook URL: never taken by accident, watched, and given back."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from connector import Connector, Credential
from connector.core.errors import InputError, OutcomeUnknown, Refused
from connector.core.messages import say
from connector.durable.inbox import registration
from connector.durable.inbox.check_due import check_due
from connector.durable.inbox.ingest import Intake
from connector.durable.inbox.registration import WebhookUrlTaken, current_url
from connector.store.triggers import hooks, subscriptions
from tests.durable.inbox.hub_host import HubHost, Subscriber, on_socket

FOREIGN = "http://127.0.0.1:9/somebody-else"


def url_at_service(hub_host: HubHost) -> str | None:
    url: str | None = hub_host.sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]
    return url


def set_at_service(hub_host: HubHost, url: str | None) -> None:
    hub_host.sandbox.api.put("/v2/banking/webhook-url", json={"webhook_url": url}).raise_for_status()


def kept(hub_host: HubHost) -> hooks.Hook:
    hook = hub_host.database.read(lambda connection: hooks.of_credential(connection, hub_host.credential_id))
    assert hook is not None
    return hook


def trouble(hub_host: HubHost) -> dict[str, dict[str, str]]:
    trouble: dict[str, dict[str, str]] = json.loads(kept(hub_host).trouble or "{}")
    return trouble


async def check(hub_host: HubHost) -> int:
    hub_host.clock.advance(601)
    return await check_due(hub_host.context, hub_host.clock.utcnow())


@pytest.fixture
def away(hub_host: HubHost) -> HubHost:
    """A host with a public address at which nothing listens."""
    hub_host.context.public_url = "http://127.0.0.1:9"
    return hub_host


@pytest.mark.conforms("events.signing")
async def test_the_hub_registers_an_unguessable_url_of_which_the_store_knows_only_a_digest(away):
    hook = await registration.ensure(away.context, away.credential_id)
    url = url_at_service(away)
    assert url is not None
    token = url.removeprefix("http://127.0.0.1:9/hooks/")
    assert len(token) >= 43
    assert hook.token_digest == hooks.digest(token)
    assert token not in hook.sealed_url
    assert kept(away).state == "active"


async def test_registering_again_changes_nothing(away):
    await registration.ensure(away.context, away.credential_id)
    url = url_at_service(away)
    writes = [request for request in away.sandbox.requests() if request["method"] == "PUT"]
    await registration.ensure(away.context, away.credential_id)
    assert url_at_service(away) == url
    assert [request for request in away.sandbox.requests() if request["method"] == "PUT"] == writes


@pytest.mark.conforms("events.post_to_the_url")
async def test_one_url_two_flows(away):
    """A foreign URL is read first and left alone; the error names its owner and the remedy in both languages."""
    set_at_service(away, FOREIGN)
    with pytest.raises(WebhookUrlTaken) as refusal:
        await registration.ensure(away.context, away.credential_id)
    assert url_at_service(away) == FOREIGN
    assert "127.0.0.1" in refusal.value.message.en
    assert "127.0.0.1" in refusal.value.message.de
    assert refusal.value.remedy.en != refusal.value.remedy.de
    assert "somebody-else" not in str(refusal.value), "the foreign URL may hold a secret"


async def test_a_takeover_on_purpose_remembers_the_former_url_and_url_left_behind_is_given_back(away):
    set_at_service(away, FOREIGN)
    await registration.ensure(away.context, away.credential_id, takeover=True)
    assert kept(away).former_url == FOREIGN
    assert url_at_service(away) != FOREIGN
    assert await registration.release(away.context, away.credential_id)
    assert url_at_service(away) == FOREIGN
    assert kept(away).state == "released"


async def test_without_a_former_url_the_url_is_removed_at_the_end(away):
    await registration.ensure(away.context, away.credential_id)
    assert await registration.release(away.context, away.credential_id)
    assert url_at_service(away) is None
    assert not await registration.release(away.context, away.credential_id)


async def test_a_url_that_is_no_longer_ours_is_not_touched_on_release(away):
    await registration.ensure(away.context, away.credential_id)
    set_at_service(away, FOREIGN)
    assert not await registration.release(away.context, away.credential_id)
    assert url_at_service(away) == FOREIGN


async def test_url_left_behind(away):
    """When the last subscription has ended, the next look gives the URL back."""
    set_at_service(away, FOREIGN)
    await registration.ensure(away.context, away.credential_id, takeover=True)
    subscription, _ = away.subscribe("payment_settled")
    await check(away)
    assert kept(away).state == "active"
    away.write(lambda connection: subscriptions.end(connection, subscription, "deleted", away.clock.utcnow()))
    await check(away)
    assert kept(away).state == "released"
    assert url_at_service(away) == FOREIGN


async def test_drift_is_noticed_and_told_in_both_languages_and_clears_when_it_is_mended(away):
    await registration.ensure(away.context, away.credential_id)
    away.subscribe("payment_settled")
    ours = url_at_service(away)
    set_at_service(away, FOREIGN)
    assert await check(away) == 1
    assert kept(away).state == "drifted"
    assert "replaced" in trouble(away)["message"]["en"]
    assert "ersetzt" in trouble(away)["message"]["de"]
    set_at_service(away, None)
    await check(away)
    assert "removed" in trouble(away)["message"]["en"]
    set_at_service(away, ours)
    await check(away)
    assert (kept(away).state, kept(away).trouble) == ("active", None)


async def test_a_hook_is_looked_at_every_ten_minutes_only(away):
    await registration.ensure(away.context, away.credential_id)
    away.subscribe("payment_settled")
    assert await check_due(away.context, away.clock.utcnow()) == 0
    assert await check(away) == 1
    assert await check_due(away.context, away.clock.utcnow()) == 0


async def test_after_a_drift_the_url_is_taken_back_only_on_purpose(away):
    await registration.ensure(away.context, away.credential_id)
    set_at_service(away, FOREIGN)
    with pytest.raises(WebhookUrlTaken):
        await registration.ensure(away.context, away.credential_id)
    await registration.ensure(away.context, away.credential_id, takeover=True)
    assert kept(away).state == "active"
    assert kept(away).former_url == FOREIGN


async def test_a_hook_that_hears_nothing_while_payments_change_is_reported(away):
    from connector.durable.inbox.decide import report_payment

    await registration.ensure(away.context, away.credential_id)
    away.subscribe("payment_settled")
    id = away.pay()
    away.move(id, "settled")
    away.clock.advance(3600)
    session = await away.context.session(away.credential_id)
    payment = (await session.invoke("get_payment", {"id": id})).output
    await report_payment(away.context, away.credential_id, payment, away.clock.utcnow())
    await check(away)
    assert kept(away).state == "active"
    assert "no event has arrived" in trouble(away)["message"]["en"]


async def test_trouble_with_the_service_is_kept_and_the_hook_stays(away):
    await registration.ensure(away.context, away.credential_id)
    away.subscribe("payment_settled")
    away.sandbox.order("/faults", kind="wrong_content_type", times=None, match={"path": "/v2/banking/webhook-url"})
    assert await check(away) == 1
    assert kept(away).state == "active"
    assert trouble(away)["message"]["de"]


async def test_an_answer_that_got_lost_is_found_by_reading_back(away):
    away.sandbox.order("/faults", kind="drop_after", times=1, match={"method": "PUT"})
    await registration.ensure(away.context, away.credential_id)
    assert kept(away).state == "active"
    session = await away.context.session(away.credential_id)
    assert await session.runs(state="unknown") == []


async def test_a_url_that_could_not_be_set_is_not_called_active(away):
    away.sandbox.order("/faults", kind="error_500", times=1, match={"method": "PUT"})
    with pytest.raises(OutcomeUnknown):
        await registration.ensure(away.context, away.credential_id)
    assert kept(away).state == "drifted"
    await registration.ensure(away.context, away.credential_id)
    assert kept(away).state == "active"


@pytest.mark.conforms("webhook_url.public_https")
@pytest.mark.parametrize("url", [None, "", "http://kontor.muster.example"])
async def test_without_a_public_https_address_there_is_no_hub(hub_host, url):
    hub_host.context.public_url = url
    hub_host.context.allow_loopback_hooks = False
    with pytest.raises(InputError) as refusal:
        await registration.ensure(hub_host.context, hub_host.credential_id)
    assert refusal.value.field == "public_url"
    assert url_at_service(hub_host) is None


async def test_events_are_passed_on_to_the_former_owner_as_they_came(hub_host):
    former = Subscriber()
    set_at_service(hub_host, former.url)
    with on_socket(Intake(hub_host.database, clock=hub_host.clock)) as url:
        hub_host.context.public_url = url
        await registration.ensure(hub_host.context, hub_host.credential_id, takeover=True, pass_on=True)
        id = hub_host.pay()
        hub_host.sandbox.order("/events", event="card_blocked", data={"card": "4711"})
        sent = [delivery["envelope"] for delivery in hub_host.sandbox.deliveries()]
        assert await hub_host.deliver() == 2
    taken = list(former.taken.queue)
    former.close()
    assert taken == sent
    assert taken[0]["data"]["payment_id"] == id
    assert not any(name.startswith("webhook-") for name in former.headers[0]), "it is not ours to sign"


async def test_a_former_owner_who_is_gone_gets_nothing_more(hub_host):
    former = Subscriber()
    former.answers = [(410, {})]
    set_at_service(hub_host, former.url)
    with on_socket(Intake(hub_host.database, clock=hub_host.clock)) as url:
        hub_host.context.public_url = url
        await registration.ensure(hub_host.context, hub_host.credential_id, takeover=True, pass_on=True)
        hub_host.pay()
        hub_host.sandbox.deliveries()
        await hub_host.deliver()
    former.close()
    assert not kept(hub_host).pass_on


async def test_passing_on_can_be_asked_for_later_and_is_not_ended_by_a_flow_that_does_not_ask(hub_host):
    hub_host.context.public_url = "https://kontor.example"
    set_at_service(hub_host, "https://former.example/in")
    await registration.ensure(hub_host.context, hub_host.credential_id, takeover=True)
    assert not kept(hub_host).pass_on
    await registration.ensure(hub_host.context, hub_host.credential_id, pass_on=True)
    assert kept(hub_host).pass_on
    await registration.ensure(hub_host.context, hub_host.credential_id)
    assert kept(hub_host).pass_on
    hub_host.context.public_url = "https://moved.example"
    await registration.ensure(hub_host.context, hub_host.credential_id)
    assert (kept(hub_host).pass_on, kept(hub_host).former_url) == (True, "https://former.example/in")


async def test_a_url_that_the_service_would_not_let_go_of_is_still_known_as_ours(away, monkeypatch):
    await registration.ensure(away.context, away.credential_id)
    ours = url_at_service(away)

    async def refuse(*_: object) -> None:
        raise Refused(say("refused", status=400, said="not empty"))

    with monkeypatch.context() as patch:
        patch.setattr(registration, "put_url", refuse)
        await registration.release(away.context, away.credential_id)
    assert url_at_service(away) == ours
    assert "not empty" in trouble(away)["message"]["en"]
    again = await registration.ensure(away.context, away.credential_id)
    assert (again.state, again.former_url) == ("active", None)
    assert url_at_service(away) not in {ours, None}
    await registration.release(away.context, away.credential_id)
    assert url_at_service(away) is None


class _NothingHere(BaseHTTPRequestHandler):
    """A service that knows no URL, and says so with 404."""

    def do_GET(self) -> None:
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


async def test_a_service_that_finds_no_url_has_none_set():
    with ThreadingHTTPServer(("127.0.0.1", 0), _NothingHere) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        async with Connector().open(Credential(f"http://127.0.0.1:{server.server_address[1]}", "a-key")) as session:
            assert await current_url(session) is None
        server.shutdown()
