"""Events on their way in: who is answered what, and that a 200 means on disk."""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from connector.core.limits import MAX_EVENT_BODY_BYTES
from connector.core.timing import RateLimit, TokenBuckets
from connector.durable.inbox.envelope import read_envelope
from connector.durable.inbox.ingest import Intake
from connector.store import open_database
from connector.store.triggers import deliveries, events, hooks
from connector.store.triggers.hooks import Hook
from tests.durable.inbox.hub_host import HubHost

HERE = Path(__file__).parent
EVENT = {"event": "refresh_complete", "data": {"connection_id": "7100"}, "received_at": "2026-11-15T10:00:00Z"}


def save_hook(database, state: hooks.State = "active", **more: object) -> str:
    """A hook of a credential that nobody needs to open; gives its token."""
    token = secrets.token_urlsafe(32)
    values = {"former_url": None, "pass_on": False, "checked_at": None, "heard_at": None, "trouble": None, **more}
    hook = Hook(token_digest=hooks.digest(token), credential_id="c1", sealed_url="sealed", state=state, **values)
    database.write(lambda connection: hooks.save(connection, hook)).result()
    return token


@pytest.fixture
def database(tmp_path):
    database = open_database(str(tmp_path))
    yield database
    database.close()


def stored(database, state: str | None = None) -> list[events.Event]:
    return list(reversed(database.read(lambda connection: events.listed(connection, "c1", 100_000, state))))


async def give(intake: Intake, token: str, body: object, **more: str) -> int:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return await intake.receive(token, content, more.get("kind", "application/json"), more.get("source", "203.0.113.1"))


@pytest.mark.conforms("events.retries")
async def test_an_event_is_on_disk_before_it_is_answered(database):
    woken = []
    intake = Intake(database, wake=lambda: woken.append(True))
    assert await give(intake, save_hook(database), EVENT) == 200
    (event,) = stored(database)
    assert (event.event, event.state, event.repeats) == ("refresh_complete", "new", 0)
    assert json.loads(event.body) == EVENT
    assert woken
    hook = database.read(lambda connection: hooks.of_credential(connection, "c1"))
    assert hook is not None
    assert hook.heard_at == event.arrived_at


async def test_an_unknown_token_is_not_found_and_a_released_one_neither(database):
    intake = Intake(database)
    released = save_hook(database, state="released")
    assert await give(intake, "guessed", EVENT) == 404
    assert await give(intake, "\ud800", EVENT) == 404
    assert await give(intake, released, EVENT) == 404
    assert stored(database) == []


@pytest.mark.conforms("events.envelope")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"event"',
        b"{}",
        b'{"event": 5}',
        b'{"event": " "}',
        b'{"event": "x", "data": [1]}',
        b'{"event": "x", "data": {"a": NaN}}',
        b'{"event": "x", "data": ' + b"[" * 9_999,
        b'{"event": "x"} and more',
        b'{"event": "x", "data": {"a": "\xff"}}',
    ],
)
async def test_what_is_no_envelope_is_refused(database, body):
    intake = Intake(database)
    assert await give(intake, save_hook(database), body) == 400
    assert stored(database) == []


async def test_a_form_is_refused_and_a_missing_content_type_is_not(database):
    intake, token = Intake(database), save_hook(database)
    assert await give(intake, token, EVENT, kind="application/x-www-form-urlencoded") == 200
    assert await give(intake, token, EVENT, kind="multipart/form-data; boundary=x") == 400
    assert await give(intake, token, EVENT, kind="") == 200


async def test_a_body_beyond_the_bound_is_too_large(database):
    intake, token = Intake(database), save_hook(database)
    filler = "x" * MAX_EVENT_BODY_BYTES
    assert await give(intake, token, {"event": "x", "data": {"filler": filler}}) == 413
    assert await give(intake, token, {"event": "x", "data": {"filler": filler[:-100]}}) == 200


async def test_too_many_from_one_source_are_turned_away_and_others_are_not(database):
    intake, token = Intake(database, per_source=RateLimit(0.001, 3)), save_hook(database)
    answers = [await give(intake, token, {**EVENT, "received_at": str(n)}, source="198.51.100.7") for n in range(5)]
    assert answers == [200, 200, 200, 429, 429]
    assert await give(intake, token, EVENT, source="198.51.100.8") == 200


async def test_too_many_for_one_token_are_turned_away(database):
    intake, token = Intake(database, per_token=RateLimit(0.001, 2)), save_hook(database)
    answers = [await give(intake, token, {**EVENT, "received_at": str(n)}, source=str(n)) for n in range(3)]
    assert answers == [200, 200, 429]


async def test_whoever_guesses_tokens_is_soon_turned_away_and_the_service_behind_the_same_proxy_is_not(database):
    intake, token = Intake(database, unknown_tokens=RateLimit(0.001, 3)), save_hook(database)
    assert await give(intake, token, EVENT, source="proxy") == 200
    guesses = [await give(intake, f"guess-{n}", EVENT, source="proxy") for n in range(4)]
    assert guesses == [404, 404, 429, 429]
    assert await give(intake, token, {**EVENT, "received_at": "later"}, source="proxy") == 200


async def test_a_burst_on_a_host_that_does_not_know_the_token_yet_is_taken_in_whole(database):
    intake, token = Intake(database, unknown_tokens=RateLimit(0.001, 1)), save_hook(database)
    bodies = [{**EVENT, "received_at": str(n)} for n in range(300)]
    assert set(await asyncio.gather(*(give(intake, token, body, source="service") for body in bodies))) == {200}
    assert len(stored(database)) == 300


async def test_the_same_event_is_one_row_whatever_moment_it_names(database):
    intake, token = Intake(database), save_hook(database)
    for moment in ("2026-11-15T10:00:00.000000+01:00", "yesterday", '"', "", 5, None, "2026-11-15"):
        for _ in range(2):
            assert await give(intake, token, {**EVENT, "received_at": moment}) == 200
    assert [row.repeats for row in stored(database)] == [1] * 7


def test_a_bucket_fills_up_with_time_and_the_memory_of_callers_is_bounded():
    buckets = TokenBuckets(RateLimit(per_second=1, burst=1), max_callers=2)
    assert buckets.take("a", 0.0)
    assert not buckets.take("a", 0.5)
    assert buckets.take("a", 1.5)
    assert buckets.take("b", 1.5)
    assert buckets.take("c", 1.5)
    assert buckets.take("a", 1.5), "the one not seen longest is forgotten"


@pytest.mark.conforms("events.unknown_are_no_errors")
async def test_an_unknown_event_is_kept_and_answered_200(database):
    intake = Intake(database)
    assert await give(intake, save_hook(database), {"event": "moon_phase\n\x00", "data": {"phase": "full"}}) == 200
    assert stored(database)[0].event == "moon_phase??"


@pytest.mark.conforms("events.retries")
async def test_a_repeat_is_counted_and_answered_200(database):
    intake, token = Intake(database), save_hook(database)
    answers = await asyncio.gather(*(give(intake, token, EVENT) for _ in range(3)))
    assert answers == [200, 200, 200]
    assert await give(intake, token, EVENT) == 200
    (event,) = stored(database)
    assert event.repeats == 3


def test_the_same_content_has_the_same_id_however_it_is_written():
    turned = json.dumps({name: EVENT[name] for name in reversed(EVENT)}, indent=2)
    assert read_envelope(turned).content_id == read_envelope(json.dumps(EVENT)).content_id


def test_two_true_changes_have_two_ids():
    first = read_envelope(json.dumps(EVENT))
    later = read_envelope(json.dumps({**EVENT, "received_at": "2026-11-15T10:00:01Z"}))
    other = read_envelope(json.dumps({**EVENT, "data": {"connection_id": "7101"}}))
    assert len({first.content_id, later.content_id, other.content_id}) == 3


def test_an_amount_keeps_its_digits_in_the_derived_id():
    bodies = [b'{"event":"x","data":{"a":0.10000000000000001}}', b'{"event":"x","data":{"a":0.10000000000000002}}']
    assert len({read_envelope(body).content_id for body in bodies}) == 2


async def test_when_the_store_fails_the_sender_is_told_to_come_again(database, monkeypatch):
    intake, token = Intake(database), save_hook(database)
    real = events.insert

    def fails(connection, arrivals, now):
        if any("bad" in event.body for event in arrivals):
            raise OSError("disk full")
        real(connection, arrivals, now)

    monkeypatch.setattr(events, "insert", fails)
    bodies = [{**EVENT, "received_at": name} for name in ("good", "bad", "fine")]
    assert await asyncio.gather(*(give(intake, token, body) for body in bodies)) == [200, 503, 200]
    assert await give(intake, token, {**EVENT, "received_at": "after"}) == 200
    assert len(stored(database)) == 3


async def test_an_intake_on_a_closed_store_answers_503(tmp_path):
    database = open_database(str(tmp_path))
    intake, token = Intake(database), save_hook(database)
    assert await give(intake, token, EVENT) == 200
    database.close()
    for _ in range(2):
        late = await asyncio.gather(*(give(intake, token, {**EVENT, "received_at": str(n)}) for n in range(3)))
        assert late == [503, 503, 503]


async def test_a_store_that_is_lost_and_comes_back_leaves_no_sender_waiting(database, monkeypatch):
    intake, token = Intake(database), save_hook(database)
    assert await give(intake, token, EVENT) == 200

    def lost(changes, durable, until):
        raise ConnectionError("the database went away")

    with monkeypatch.context() as patch:
        patch.setattr(database._connection, "run", lost)
        late = await asyncio.gather(*(give(intake, token, {**EVENT, "received_at": str(n)}) for n in range(3)))
        assert late == [503, 503, 503]
    assert await give(intake, token, {**EVENT, "received_at": "again"}) == 200


async def test_events_are_passed_on_in_the_transaction_that_keeps_them(database):
    token = save_hook(database, former_url="https://former.example/in", pass_on=True)
    intake = Intake(database)
    assert await give(intake, token, EVENT) == 200
    assert await give(intake, token, EVENT) == 200
    hook = database.read(lambda connection: hooks.of_credential(connection, "c1"))
    (passed,) = database.read(lambda connection: deliveries.listed(connection, None, hook.queue_id))
    assert json.loads(passed.body) == EVENT


@pytest.mark.long
def test_every_200_is_on_disk_after_sigkill(tmp_path):
    """A host of its own is killed in the middle of a stream of events."""
    database = open_database(str(tmp_path))
    token = save_hook(database)
    database.close()
    host = subprocess.Popen(
        [sys.executable, "-m", "tests.durable.inbox.killable_host", str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert host.stdout
    url = host.stdout.readline().strip()
    accepted = asyncio.run(_stream_until_killed(f"{url}/hooks/{token}", host))
    host.wait()
    host.stdout.close()
    database = open_database(str(tmp_path))
    stored_numbers = {json.loads(event.body)["data"]["number"] for event in stored(database)}
    database.close()
    assert len(accepted) >= 100
    assert accepted <= stored_numbers


async def _stream_until_killed(url: str, host: subprocess.Popen[str]) -> set[int]:
    accepted: set[int] = set()

    async def send(first: int) -> None:
        for number in range(first, 100_000, 8):
            body = {"event": "payment_update", "data": {"number": number}}
            try:
                if (await client.post(url, json=body)).status_code == 200:
                    accepted.add(number)
            except httpx.TransportError:
                return
            if len(accepted) >= 150:
                host.send_signal(signal.SIGKILL)

    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        await asyncio.gather(*(send(first) for first in range(8)))
    return accepted


@pytest.mark.conforms("events.post_to_the_url")
async def test_the_hub_answers_the_sandbox_on_a_socket(hub: HubHost):
    hub.pay()
    assert [delivery["state"] for delivery in hub.sandbox.deliveries()] == ["delivered"]
    assert hub.counts()["new"] == 1


async def test_many_senders_at_once_are_all_kept(database):
    token, numbers = save_hook(database), set(range(300))
    intake = Intake(database)
    answers = await asyncio.gather(*(give(intake, token, {"event": "x", "data": {"number": n}}) for n in numbers))
    assert set(answers) == {200}
    assert {json.loads(event.body)["data"]["number"] for event in stored(database)} == numbers
