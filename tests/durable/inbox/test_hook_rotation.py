"""The token of the webhook URL: replaced without losing an event, and the former one is refused afterwards."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from connector.core.errors import InputError, OutcomeUnknown, Refused
from connector.core.messages import Text
from connector.durable.inbox import registration
from connector.durable.inbox.hook_rotation import PutUrl, rotate_hooks
from connector.durable.inbox.registration import WebhookUrlTaken, put_url
from connector.store.trust import audit, audit_chain
from tests.durable.inbox.hub_host import HubHost
from tests.durable.inbox.test_registration import kept, set_at_service, url_at_service

REFUSED = Text("no", "nein")


async def rotate(hub: HubHost, workspace: str = "default", put: PutUrl = put_url) -> list[str]:
    """Rotate at once: a hook is cached for some seconds, and the tests advance the clock instead."""
    return await rotate_hooks(hub.context, workspace, put, cached_for=0.0)


def send(url: str | None, number: int) -> int:
    body = json.dumps({"event": "tax_audit", "data": {"number": number}})
    return httpx.post(str(url), content=body, trust_env=False).status_code


async def test_the_former_token_is_valid_until_the_service_knows_the_new_one(hub: HubHost) -> None:
    before = url_at_service(hub)
    answered: list[int] = []

    async def send_and_put(session: Any, connector: Any, url: str | None) -> None:
        answered.extend((send(before, 1), send(url, 2)))
        await put_url(session, connector, url)

    assert await rotate(hub, put=send_and_put) == [hub.credential_id]
    after = url_at_service(hub)
    assert answered == [200, 200]
    assert after != before
    assert kept(hub).state == "active"
    hub.clock.advance(10)
    assert send(after, 3) == 200
    assert send(before, 4) == 404
    assert (await registration.ensure(hub.context, hub.credential_id)).state == "active"
    assert url_at_service(hub) == after


async def test_a_rotation_is_in_the_audit_log(hub: HubHost) -> None:
    await rotate(hub)
    hub.write(audit_chain.seal)
    entries = hub.database.read(lambda connection: audit.listed(connection, "default"))
    assert [entry.what for entry in entries] == ["webhook_url.set", "hook.rotated"]
    assert str(url_at_service(hub)).rpartition("/")[2] not in str(entries)


async def test_a_rotation_that_the_service_refuses_leaves_the_former_token(hub: HubHost) -> None:
    async def refuse(*_: Any) -> None:
        raise Refused(REFUSED)

    before, hook = url_at_service(hub), kept(hub)
    with pytest.raises(Refused):
        await rotate(hub, put=refuse)
    assert kept(hub) == hook
    assert send(before, 1) == 200


@pytest.mark.parametrize("arrived", [True, False])
async def test_after_a_lost_answer_both_tokens_are_valid_until_the_next_rotation(hub: HubHost, arrived: bool) -> None:
    before = url_at_service(hub)

    async def lose(session: Any, connector: Any, url: str | None) -> None:
        if arrived:
            await put_url(session, connector, url)
        raise OutcomeUnknown(REFUSED)

    with pytest.raises(OutcomeUnknown):
        await rotate(hub, put=lose)
    hub.clock.advance(10)
    assert send(before, 1) == send(url_at_service(hub), 2) == 200
    await rotate(hub)
    hub.clock.advance(10)
    assert send(before, 3) == 404
    assert send(url_at_service(hub), 4) == 200


async def test_a_foreign_url_is_not_replaced_and_no_url_cannot_be(hub: HubHost) -> None:
    set_at_service(hub, "http://127.0.0.1:9/somebody-else")
    with pytest.raises(WebhookUrlTaken):
        await rotate(hub)
    with pytest.raises(InputError):
        await rotate(hub, "elsewhere")


async def test_what_waits_to_be_forwarded_is_forwarded_after_a_rotation(hub_host: HubHost, subscriber: Any) -> None:
    from connector.durable.inbox.ingest import Intake
    from tests.durable.inbox.hub_host import on_socket

    set_at_service(hub_host, subscriber.url)
    with on_socket(Intake(hub_host.database, clock=hub_host.clock)) as url:
        hub_host.context.public_url = url
        await registration.ensure(hub_host.context, hub_host.credential_id, takeover=True, pass_on=True)
        assert send(url_at_service(hub_host), 1) == 200
        await rotate_hooks(hub_host.context, "default")
        while await hub_host.deliver():
            pass
    assert len(subscriber.headers) == 1
