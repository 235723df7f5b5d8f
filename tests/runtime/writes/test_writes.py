"""Keys, runs and unknown outcomes: nothing is paid or booked twice, and nothing told that is not so."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from msgspec import structs
from sqlalchemy import update

from connector import Connector, Credential
from connector.core.errors import (
    InputError,
    KontorError,
    LikelyRepeat,
    NotFound,
    OutcomeUnknown,
    ServiceDown,
    StoreDown,
)
from connector.core.messages import say
from connector.core.service.wire import Wire
from connector.core.timing import Clock
from connector.core.writes.policy import Policy
from connector.runtime.writes import find_payment, write
from connector.store.rates import usage
from connector.store.runs import runs
from connector.store.schema import runs as run_rows
from connector.store.trust import workspaces
from tests.store.postgres import postgres_server, postgres_url
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import organisation_with_a_payment

__all__ = ["postgres_server", "postgres_url"]

PAYMENTS = 500


@pytest.fixture(params=["sqlite", "postgresql"])
def data(request, tmp_path) -> str:
    return str(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def connector(sandbox, data):
    sandbox.order("/limits", limit=1_000_000)
    sandbox.order("/credits", balance=1_000_000)
    connector = Connector(data)
    yield connector
    connector.close()


@pytest.fixture
def credential(sandbox) -> Credential:
    return Credential(sandbox.url, "sandbox-key", quelle="n8n")


@pytest.fixture
def session(connector, credential):
    with connector.open(credential) as session:
        session.state.governor.limit = 1_000_000
        yield session


def payment(account: str, number: int) -> dict[str, object]:
    return {
        "account_id": account,
        "creditor_name": "Reifen Voss KG",
        "creditor_iban": "DE02120300000000202051",
        "amount": f"{number // 100 + 1}.{number % 100:02}",
        "description": f"Rechnung {number}",
    }


def entry(text: str, betrag: str = "119.00") -> dict[str, object]:
    line = {"belegtext": text, "gegenkonto": "8400", "belegNummer": "K-1", "betrag": betrag}
    return {
        "ledger_connection": NORDLICHT,
        "kassenname": "Ladenkasse",
        "betrag": betrag,
        "transaktionsdatum": "2026-11-14T10:00",
        "belegzeilen": [line],
    }


class Tomorrow(Clock):
    """A clock that is a day ahead."""

    def utcnow(self) -> datetime:
        return super().utcnow() + timedelta(days=1)


def account_of(session) -> str:
    return str(session.options("bank_accounts", {"payments_only": True}).options[0].value)


@pytest.mark.slow
async def test_500_payments_with_lost_answers_and_retrying_callers_are_made_once_at_most_and_told_truly(
    connector, credential, sandbox, monkeypatch
):
    monkeypatch.setattr(write, "FIND_DELAYS", (0.05,))
    for seed, kind in enumerate(("drop_after", "drop_before", "error_500", "error_500_after", "malformed")):
        match = {"method": "POST", "path": "/v2/banking/payments"}
        sandbox.order("/faults", kind=kind, times=None, probability=0.08, seed=seed, match=match)
    existing = {item["id"] for item in sandbox.api.get("/v2/banking/payments").json()["data"]}
    gate = asyncio.Semaphore(25)
    results, doubts = {}, {}

    async with connector.open(credential) as session:
        session.state.governor.limit = 1_000_000
        account = (await session.options("bank_accounts", {"payments_only": True})).options[0].value

        async def pay(number: int) -> None:
            async with gate:
                for _ in range(2):
                    try:
                        key = f"run-{number}/pay"
                        results[number] = await session.invoke("initiate_payment", payment(account, number), key=key)
                        return
                    except OutcomeUnknown as error:
                        doubts[number] = error

        await asyncio.gather(*(pay(number) for number in range(PAYMENTS)))
        parked = {run.key for run in await session.runs(state="unknown")}

    sandbox.heal()
    made = [item for item in sandbox.api.get("/v2/banking/payments").json()["data"] if item["id"] not in existing]
    by_key = {item["custom_fields"]["kontor_key"]: item for item in made}
    assert len(by_key) == len(made)
    for number, result in results.items():
        mine = by_key[f"run-{number}/pay"]
        assert result.output["id"] == mine["id"]
        assert mine["description"] == f"Rechnung {number}"
    assert any(result.replayed for result in results.values())
    assert set(results) | {number for number in doubts if f"run-{number}/pay" in parked} == set(range(PAYMENTS))
    assert parked.isdisjoint(by_key)  # what was made was found
    assert 20 < len(parked) < 150  # cut off before anything was done: nobody can prove it, so a person decides


async def test_cash_book_entries_with_lost_answers_are_booked_once_at_most_and_the_doubtful_ones_are_parked(
    connector, credential, sandbox
):
    for seed, kind in enumerate(("drop_after", "drop_before", "error_500_after")):
        match = {"path": "/v2/ledger-duo/kassenbuch-advanced"}
        sandbox.order("/faults", kind=kind, times=None, probability=0.15, seed=seed, match=match)
    told: dict[str, str] = {}
    doubts: list[OutcomeUnknown] = []
    async with connector.open(credential) as session:
        session.state.governor.limit = 1_000_000

        async def book(number: int) -> None:
            for _ in range(3):
                try:
                    await session.invoke("create_cash_book_entry", entry(f"Beleg {number}"), key=f"b{number}")
                    told[f"b{number}"] = "done"
                except OutcomeUnknown as error:
                    doubts.append(error)
                    told[f"b{number}"] = "doubtful"

        await asyncio.gather(*(book(number) for number in range(100)))
        parked = {run.key for run in await session.runs(state="unknown")}
    booked = Counter(item.belegtext for item in sandbox.world.ledger.cash_entries)
    assert max(booked[f"Beleg {number}"] for number in range(100)) == 1
    assert parked == {key for key, outcome in told.items() if outcome == "doubtful"}
    assert 10 < len(parked) < 90
    assert not any(error.retryable for error in doubts)
    for key, outcome in told.items():
        if outcome == "done":
            assert booked[f"Beleg {key[1:]}"] == 1


def test_the_same_key_with_the_same_inputs_returns_the_first_result(session, sandbox):
    first = session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    before = len(sandbox.requests())
    again = session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    assert (again.output, again.replayed, again.credits.cost) == (first.output, True, 0)
    assert len(sandbox.requests()) == before


def test_the_same_key_with_other_inputs_or_another_action_is_a_conflict(session, sandbox):
    session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    before = len(sandbox.requests())
    for action, inputs in [("create_cash_book_entry", entry("anders")), ("start_bank_connect", {})]:
        with pytest.raises(InputError) as caught:
            session.invoke(action, inputs, key="k")
        assert caught.value.field == "key"
    assert len(sandbox.requests()) == before


def test_a_key_counts_for_one_workspace_only(connector, credential, session, sandbox):
    session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    with connector.open(credential, workspace="kunde-b") as other:
        assert not other.invoke("create_cash_book_entry", entry("einmal"), key="k").replayed


def test_another_api_key_or_spelling_of_the_base_url_changes_nothing(connector, session, sandbox):
    session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    for other in (
        Credential(sandbox.url, "sandbox-key-2"),
        Credential(sandbox.url.replace("127.0.0.1", "localhost") + "/", "sandbox-key"),
    ):
        with connector.open(other) as again:
            assert again.invoke("create_cash_book_entry", entry("einmal"), key="k").replayed


def test_a_shared_host_keeps_unknown_keys_apart(sandbox, tmp_path):
    shared = Connector(str(tmp_path), separate_keys=True)
    other = organisation_with_a_payment(sandbox)
    made = []
    for key in ("sandbox-key", other, "sandbox-key"):
        with shared.open(Credential(sandbox.url, key)) as session:
            inputs = payment(account_of(session), 21)
            made.append(session.invoke("initiate_payment", inputs, key="k").replayed)
    assert made == [False, False, True]
    shared.close()


def test_a_refused_write_may_be_tried_again_under_its_key(session, sandbox):
    sandbox.order(f"/ledger-connections/{NORDLICHT}", **{"break": "ledger_endpoint_not_authorized"})
    with pytest.raises(KontorError) as caught:
        session.invoke("create_cash_book_entry", entry("später"), key="k")
    assert caught.value.outcome == "refused"
    sandbox.order(f"/ledger-connections/{NORDLICHT}", **{"break": None})
    assert not session.invoke("create_cash_book_entry", entry("später"), key="k").replayed


def test_two_callers_with_one_key_at_the_same_moment_book_once(session, sandbox):
    sandbox.order("/faults", kind="slow", times=1, seconds=0.4, match={"path": "/v2/ledger-duo/kassenbuch-advanced"})
    results = []
    threads = [
        threading.Thread(
            target=lambda: results.append(session.invoke("create_cash_book_entry", entry("gleichzeitig"), key="k"))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert sum(not result.replayed for result in results) == 1
    assert sum(item.belegtext == "gleichzeitig" for item in sandbox.world.ledger.cash_entries) == 1


def test_runs_survive_the_process(connector, credential, sandbox, data):
    with connector.open(credential) as session:
        session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    connector.close()
    later = Connector(data)
    with later.open(credential) as session:
        assert session.invoke("create_cash_book_entry", entry("einmal"), key="k").replayed
    later.close()


def test_a_write_without_a_key_is_parked_too_when_its_answer_is_lost(session, sandbox):
    sandbox.order("/faults", kind="drop_after", times=1, match={"path": "/v2/ledger-duo/kassenbuch-advanced"})
    with pytest.raises(OutcomeUnknown) as caught:
        session.invoke("create_cash_book_entry", entry("ohne Schlüssel"))
    [parked] = session.runs(state="unknown")
    assert (parked.id, parked.key) == (caught.value.details["run"], None)
    assert parked.inputs["belegzeilen"][0]["belegtext"] == "ohne Schlüssel"
    assert parked.id in caught.value.remedy.de


def test_whoever_repeats_what_was_refused_is_told_so_and_for_how_long_it_is_held_back(connector, credential):
    now, policy = datetime.now(UTC), Policy().changed({"repeat_minutes": 45}, ())
    connector.database.write(lambda c: workspaces.save_policy(c, "default", policy, now)).result()
    transport = httpx.MockTransport(lambda request: httpx.Response(400, json={"error": "Konto gesperrt"}))
    with connector.open(credential, transport=transport) as session:
        with pytest.raises(KontorError) as refused:
            session.invoke("create_cash_book_entry", entry("gesperrt"))
        assert refused.value.outcome == "refused"
        with pytest.raises(LikelyRepeat) as repeated:
            session.invoke("create_cash_book_entry", entry("gesperrt"))
    for lang, minutes, remedy in (("en", "last 45 minutes", "--again"), ("de", "letzten 45 Minuten", "--again")):
        said, told = repeated.value.message.in_(lang), repeated.value.remedy.in_(lang, "cli")
        assert minutes in said
        assert "Konto gesperrt" in said
        assert remedy in told
        assert "nothing to do" not in told
        assert "nichts zu tun" not in told


def test_a_write_without_a_key_waits_for_a_dead_process_that_sent_the_same_and_is_told_that_nobody_knows(
    connector, session
):
    made = session.invoke("create_cash_book_entry", entry("abgestürzt")).run
    gone = {"state": "sending", "owner": "gone", "outcome": None}
    change = update(run_rows).where(run_rows.c.id == made).values(gone)
    connector.database.write(lambda connection: connection.execute(change)).result()
    connector.shared.beat_observer("default").dead_after = 0.2
    with pytest.raises(LikelyRepeat) as caught:
        session.invoke("create_cash_book_entry", entry("abgestürzt"))
    assert (caught.value.reason, caught.value.details["run"]) == ("equals_unknown", made)
    assert [run.id for run in session.runs(state="unknown")] == [made]


@pytest.mark.parametrize("happened", [True, False])
def test_a_person_settles_what_is_parked(session, sandbox, happened):
    sandbox.order("/faults", kind="drop_after", times=1, match={"path": "/v2/ledger-duo/kassenbuch-advanced"})
    with pytest.raises(OutcomeUnknown):
        session.invoke("create_cash_book_entry", entry("Zweifel"), key="k")
    with pytest.raises(OutcomeUnknown):
        session.invoke("create_cash_book_entry", entry("Zweifel"), key="k")
    session.settle("k", happened, "in der Kasse nachgesehen")
    assert session.runs(state="unknown") == []
    assert session.invoke("create_cash_book_entry", entry("Zweifel"), key="k").replayed is happened
    with pytest.raises(InputError):
        session.settle("k", happened)


def test_a_payment_whose_answer_was_lost_is_found_and_not_sent_again(session, sandbox, monkeypatch):
    monkeypatch.setattr(write, "FIND_DELAYS", (0.05,))
    sandbox.order("/faults", kind="drop_after", times=1, match={"method": "POST", "path": "/v2/banking/payments"})
    account = account_of(session)
    result = session.invoke("initiate_payment", payment(account, 7), key="lauf-7")
    assert result.replayed
    posts = [row for row in sandbox.requests() if row["method"] == "POST" and row["path"] == "/v2/banking/payments"]
    assert len(posts) == 1
    assert posts[0]["body"]["custom_fields"]["kontor_key"] == "lauf-7"
    assert "custom_fields" not in result.output, "our marks are not the user's"


def payments_sent(sandbox) -> int:
    return sum(row["method"] == "POST" and row["path"] == "/v2/banking/payments" for row in sandbox.requests())


@pytest.mark.conforms("payments.kept_by_webhook")
def test_a_payment_that_the_list_shows_late_is_not_sent_again(session, sandbox, monkeypatch):
    monkeypatch.setattr(write, "FIND_DELAYS", (0.05,))
    shown: list[bool] = []
    read = find_payment.items_in
    monkeypatch.setattr(find_payment, "items_in", lambda reply: read(reply) if shown else [])
    sandbox.order("/faults", kind="drop_after", times=1, match={"method": "POST", "path": "/v2/banking/payments"})
    inputs = payment(account_of(session), 11)
    for _ in range(2):
        with pytest.raises(OutcomeUnknown):
            session.invoke("initiate_payment", inputs, key="lauf-11")
    shown.append(True)
    assert session.invoke("initiate_payment", inputs, key="lauf-11").replayed
    assert payments_sent(sandbox) == 1


def test_a_payment_that_is_not_found_stays_unknown_until_a_person_settles_it(session, sandbox, monkeypatch):
    monkeypatch.setattr(write, "FIND_DELAYS", (0.05,))
    sandbox.order("/faults", kind="drop_before", times=1, match={"method": "POST", "path": "/v2/banking/payments"})
    inputs = payment(account_of(session), 12)
    for _ in range(3):
        with pytest.raises(OutcomeUnknown):
            session.invoke("initiate_payment", inputs, key="lauf-12")
    assert payments_sent(sandbox) == 1
    session.settle("lauf-12", happened=False)
    assert not session.invoke("initiate_payment", inputs, key="lauf-12").replayed
    assert payments_sent(sandbox) == 2  # the first was cut off before anything was done


@pytest.mark.parametrize("trouble", [pytest.param("error_500", marks=pytest.mark.slow), "rate_limited"])
def test_a_lost_answer_is_unknown_even_when_looking_fails_too(session, sandbox, monkeypatch, trouble):
    monkeypatch.setattr(write, "FIND_DELAYS", (0.05,))
    inputs = payment(account_of(session), 13)
    sandbox.order("/faults", kind="drop_after", times=1, match={"method": "POST", "path": "/v2/banking/payments"})
    send = session.client.transmit

    def transmit(request, seconds):
        try:
            return send(request, seconds)
        finally:
            if request.method == "POST":  # from now on, every look fails
                if trouble == "rate_limited":
                    session.state.governor.block(600, session.clock.monotonic())
                else:
                    sandbox.order("/faults", kind="error_500", times=None, match={"path": "/v2/banking/payments"})

    monkeypatch.setattr(session.client, "transmit", transmit)
    with pytest.raises(OutcomeUnknown) as caught:
        session.invoke("initiate_payment", inputs, key="lauf-13")
    assert caught.value.outcome == "unknown"
    with pytest.raises(OutcomeUnknown):
        session.invoke("initiate_payment", inputs, key="lauf-13")
    assert payments_sent(sandbox) == 1


def test_a_payment_is_not_sent_when_looking_first_fails(session, sandbox):
    inputs = payment(account_of(session), 14)
    sandbox.order("/faults", kind="error_500", times=None, match={"method": "GET", "path": "/v2/banking/payments"})
    with pytest.raises(KontorError) as caught:
        session.invoke("initiate_payment", inputs, key="lauf-14")
    assert caught.value.outcome == "not_sent"
    assert payments_sent(sandbox) == 0
    sandbox.heal()
    assert not session.invoke("initiate_payment", inputs, key="lauf-14").replayed


def test_a_new_database_finds_what_an_earlier_one_paid(session, credential, sandbox, tmp_path):
    inputs = payment(account_of(session), 15)
    first = session.invoke("initiate_payment", inputs, key="lauf-15")
    new = Connector(str(tmp_path / "restored"))
    with new.open(credential) as later:
        again = later.invoke("initiate_payment", inputs, key="lauf-15")
        assert (again.output["id"], again.replayed, again.credits.cost) == (first.output["id"], True, 0)
        with pytest.raises(InputError):
            later.invoke("initiate_payment", {**inputs, "amount": "99.00"}, key="lauf-15")
        assert later.invoke("initiate_payment", inputs, key="lauf-15").replayed
    new.close()
    assert payments_sent(sandbox) == 1


def test_a_keyed_payment_costs_two_requests_more_than_a_bare_one(session, sandbox):
    account = account_of(session)
    session.invoke("initiate_payment", payment(account, 15))  # from then on the payee is known
    before = len(sandbox.requests())
    session.invoke("initiate_payment", payment(account, 16), key="lauf-16")
    assert [row["method"] for row in sandbox.requests()[before:]] == ["GET", "GET", "POST"]
    before = len(sandbox.requests())
    session.invoke("initiate_payment", payment(account, 17))
    assert [row["method"] for row in sandbox.requests()[before:]] == ["POST"]


@pytest.mark.parametrize("place", ["last page", "middle"])
@pytest.mark.parametrize("page_size", [1, 7, 10, 25, 33, 37])
def test_the_look_of_a_new_database_finds_a_payment_on_pages_of_any_size(
    credential, sandbox, tmp_path, page_size, place
):
    """The last page of the newest first holds the oldest payment, so others are younger; or as many are older."""
    payments = sandbox.world.banking.payments
    with Connector(str(tmp_path / "first")).open(credential) as session:
        inputs = payment(account_of(session), 15)
        first = session.invoke("initiate_payment", inputs, key="lauf-15").output["id"]
    like, number = payments[first], int(first)
    payments.clear()
    for other in [*range(number - (40 if place == "middle" else 0), number), *range(number, number + 41)]:
        made = like.created_at + timedelta(seconds=other - number - 60)
        marks = like.custom_fields if other == number else None
        payments[str(other)] = structs.replace(like, id=str(other), created_at=made, custom_fields=marks)
    sandbox.order("/settings", payments_page_size=page_size)
    with Connector(str(tmp_path / "restored")).open(credential) as later:
        again = later.invoke("initiate_payment", inputs, key="lauf-15")
    assert (again.output["id"], again.replayed) == (first, True)
    assert payments_sent(sandbox) == 1


@pytest.mark.parametrize("state", ["claimed", "sending"])
def test_what_a_dead_process_left_is_sent_only_if_it_had_not_begun_to_send(session, sandbox, monkeypatch, state):
    monkeypatch.setattr(write, "DEAD_AFTER_SECONDS", 0.5)
    inputs = payment(account_of(session), 17)

    class Killed(BaseException):
        pass

    send, start = session.client.transmit, write._start

    def transmit(request, seconds):
        if request.method == "POST":
            raise Killed
        return send(request, seconds)

    def killed(*given, **more):
        if state == "claimed":
            raise Killed
        start(*given, **more)

    monkeypatch.setattr(session.client, "transmit", transmit)
    monkeypatch.setattr(write, "_start", killed)
    with pytest.raises(Killed):
        session.invoke("initiate_payment", inputs, key="lauf-17")
    monkeypatch.undo()
    monkeypatch.setattr(write, "DEAD_AFTER_SECONDS", 0.5)
    assert session.find_run("lauf-17").state == state
    if state == "claimed":
        assert not session.invoke("initiate_payment", inputs, key="lauf-17").replayed
        assert payments_sent(sandbox) == 1
    else:
        with pytest.raises(OutcomeUnknown):
            session.invoke("initiate_payment", inputs, key="lauf-17")
        assert payments_sent(sandbox) == 0


def test_a_stopped_process_does_not_send_what_another_has_taken_over(session, sandbox, monkeypatch):
    monkeypatch.setattr(write, "DEAD_AFTER_SECONDS", 0.3)
    inputs = payment(account_of(session), 18)
    permit, others = write.Sending.wait_for_permit, []

    def wait_for_permit(sending):
        yield from permit(sending)
        if sending._call.writes and not others:  # stopped with its permit in hand, before its claim became a sending
            others.append(None)
            others.append(session.invoke("initiate_payment", inputs, key="lauf-18"))

    monkeypatch.setattr(write.Sending, "wait_for_permit", wait_for_permit)
    late = session.invoke("initiate_payment", inputs, key="lauf-18")
    assert (late.output["id"], late.replayed, others[1].replayed) == (others[1].output["id"], True, False)
    assert payments_sent(sandbox) == 1


@pytest.mark.parametrize("key", ["lauf-19", None])
def test_a_payment_that_was_made_before_the_limiter_turned_it_away_is_found_and_not_sent_again(
    session, sandbox, monkeypatch, key
):
    inputs, transmit, sent = payment(account_of(session), 19), session.client.transmit, []

    def limited(request, seconds):
        answer = transmit(request, seconds)
        if request.method != "POST":
            return answer
        sent.append(request)
        headers = {"ratelimit-remaining": "0", "ratelimit-reset": "1"}
        return replace(answer, status=429, headers=headers, body=b'{"error": "slow down"}')

    monkeypatch.setattr(session.client, "transmit", limited)
    result = session.invoke("initiate_payment", inputs, key=key)
    assert (len(sent), payments_sent(sandbox), result.replayed) == (1, 1, True)


@pytest.mark.parametrize("place", ["_find_before_sending", "wait_for_permit"])
def test_a_process_that_was_frozen_before_it_sent_tells_what_another_has_made_meanwhile(
    session, sandbox, monkeypatch, place
):
    monkeypatch.setattr(write, "DEAD_AFTER_SECONDS", 0.3)
    inputs, others = payment(account_of(session), 22), []
    home = write if place == "_find_before_sending" else write.Sending
    original = getattr(home, place)

    def frozen(given):
        if others or (home is write.Sending and not given._call.writes):
            return (yield from original(given))
        others.append(None)
        others.append(session.invoke("initiate_payment", inputs, key="lauf-22"))
        raise ServiceDown(say("why_timeout"), outcome="not_sent")  # its time was over when it went on

    monkeypatch.setattr(home, place, frozen)
    late = session.invoke("initiate_payment", inputs, key="lauf-22")
    assert (late.output["id"], late.replayed, payments_sent(sandbox)) == (others[1].output["id"], True, 1)


def test_a_database_that_cannot_record_a_write_lets_nothing_leave(session, sandbox, monkeypatch):
    def full(*_args, **_more):
        raise sqlite3.OperationalError("database or disk is full")

    inputs = payment(account_of(session), 19)
    monkeypatch.setattr(runs, "start_sending", full)
    monkeypatch.setattr(runs, "insert", full)
    for key in ("lauf-19", None):
        with pytest.raises(StoreDown) as caught:
            session.invoke("initiate_payment", inputs, key=key)
        assert caught.value.outcome == "not_sent"
    assert payments_sent(sandbox) == 0


@pytest.mark.parametrize("error", [sqlite3.OperationalError("database or disk is full"), RuntimeError("it is closed")])
def test_a_database_that_cannot_record_the_outcome_does_not_change_it(session, sandbox, monkeypatch, error):
    def full(*_args, **_more):
        raise error

    inputs = payment(account_of(session), 20)
    monkeypatch.setattr(runs, "finish", full)
    assert session.invoke("initiate_payment", inputs, key="lauf-20").output["id"]


def test_equal_amounts_written_differently_are_the_same_inputs(session, sandbox):
    inputs = {**payment(account_of(session), 21), "amount": "12.5"}
    first = session.invoke("initiate_payment", inputs, key="lauf-21")
    again = session.invoke("initiate_payment", {**inputs, "amount": "12.50"}, key="lauf-21")
    assert (again.output["id"], again.replayed) == (first.output["id"], True)


def test_a_write_without_a_key_that_equals_a_recent_one_is_held_back_unless_meant(session, sandbox):
    first = session.invoke("create_cash_book_entry", entry("doppelt"))
    with pytest.raises(LikelyRepeat) as caught:
        session.invoke("create_cash_book_entry", entry("doppelt"))
    assert (caught.value.outcome, caught.value.details["run"]) == ("not_sent", first.run)
    session.invoke("create_cash_book_entry", entry("doppelt"), again=True)
    session.invoke("create_cash_book_entry", entry("anders"))
    booked = Counter(item.belegtext for item in sandbox.world.ledger.cash_entries)
    assert (booked["doppelt"], booked["anders"]) == (2, 1)


def test_of_two_equal_writes_at_the_same_moment_one_passes(session, sandbox):
    outcomes = []

    def book():
        try:
            session.invoke("create_cash_book_entry", entry("Doppelklick"))
            outcomes.append("done")
        except LikelyRepeat:
            outcomes.append("held")

    threads = [threading.Thread(target=book) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(outcomes) == {"done": 1, "held": 5}


def test_a_refused_write_may_be_repeated_at_once_without_a_key(session, sandbox):
    sandbox.order(f"/ledger-connections/{NORDLICHT}", **{"break": "ledger_endpoint_not_authorized"})
    with pytest.raises(KontorError):
        session.invoke("create_cash_book_entry", entry("gleich wieder"))
    sandbox.order(f"/ledger-connections/{NORDLICHT}", **{"break": None})
    session.invoke("create_cash_book_entry", entry("gleich wieder"))


def test_a_write_equal_to_an_unknown_one_is_refused_until_that_is_settled(session, sandbox):
    sandbox.order("/faults", kind="drop_after", times=1, match={"path": "/v2/ledger-duo/kassenbuch-advanced"})
    with pytest.raises(OutcomeUnknown):
        session.invoke("create_cash_book_entry", entry("Zweifel"), key="lauf-1")
    for more in ({"key": "lauf-2"}, {}, {"again": True}):
        with pytest.raises(LikelyRepeat):
            session.invoke("create_cash_book_entry", entry("Zweifel"), **more)
    session.settle("lauf-1", happened=False)
    assert not session.invoke("create_cash_book_entry", entry("Zweifel"), key="lauf-2").replayed


async def test_an_unknown_payment_is_found_later_without_anybody_asking_for_it(
    connector, credential, sandbox, monkeypatch
):
    monkeypatch.setattr(write, "FIND_DELAYS", ())
    sandbox.order("/faults", kind="drop_after", times=2, match={"method": "POST", "path": "/v2/banking/payments"})
    async with connector.open(credential) as session:
        account = (await session.options("bank_accounts", {"payments_only": True})).options[0].value
        for number, key in ((31, "lauf-31"), (32, None)):
            with pytest.raises(OutcomeUnknown):
                await session.invoke("initiate_payment", payment(account, number), key=key)
        assert await session.look_again() == 2
        reserved = connector.database.read(lambda c: usage.reservations(c, session.credential.fingerprint))
        assert list(reserved.values()) == [3, 3], "what was found late has cost its credits too"
        assert await session.runs(state="unknown") == []
        assert (await session.invoke("initiate_payment", payment(account, 31), key="lauf-31")).replayed
    assert payments_sent(sandbox) == 2


async def test_a_run_whose_owner_died_while_sending_becomes_unknown(connector, credential, sandbox):
    connector.shared.beat_observer("default").dead_after = 0.2
    now = datetime.now(UTC)
    dead = runs.NewRun("dead", "default", "k", credential.fingerprint, "create_cash_book_entry", "2:d", b"{}", "gone")
    connector.database.write(lambda connection: runs.insert(connection, dead, "sending", now)).result()
    async with connector.open(credential) as session:
        await session.look_again()
        assert (await session.find_run("k")).state == "sending"
        await asyncio.sleep(0.3)
        await session.look_again()
        assert (await session.find_run("k")).state == "unknown"


def test_a_write_that_may_be_repeated_is_simply_sent_again_under_its_key(session, sandbox):
    url = {"webhook_url": "https://hooks.example.com/kontor"}
    sandbox.order("/faults", kind="drop_after", times=1, match={"method": "PUT"})
    with pytest.raises(OutcomeUnknown) as caught:
        session.invoke("set_webhook_url", url, key="k")
    assert caught.value.retryable
    assert session.invoke("set_webhook_url", url, key="k").output["webhook_url"] == url["webhook_url"]
    assert session.runs(state="unknown") == []


def test_a_payment_is_found_again_at_a_service_without_a_date_filter(connector, sandbox, monkeypatch):
    monkeypatch.setattr(write, "FIND_DELAYS", (0.05,))
    wire = Wire.with_overrides({"payments": {"created_from": None}})
    sandbox.order("/faults", kind="drop_after", times=1, match={"method": "POST", "path": "/v2/banking/payments"})
    with connector.open(Credential(sandbox.url, "sandbox-key", wire=wire)) as session:
        assert session.invoke("initiate_payment", payment(account_of(session), 9), key="lauf-9").replayed


@pytest.mark.conforms("payment.custom_fields")
def test_custom_fields_of_the_caller_are_kept_beside_the_key_which_no_face_shows(session, sandbox):
    inputs = {**payment(account_of(session), 8), "custom_fields": {"vorgang": "EK-12"}}
    result = session.invoke("initiate_payment", inputs, key="lauf-8")
    id, own = result.output["id"], {"vorgang": "EK-12"}
    (sent,) = [one for one in sandbox.api.get("/v2/banking/payments").json()["data"] if one["id"] == id]
    assert sent["custom_fields"].keys() == {"vorgang", "kontor_key", "kontor_digest"}
    listed = session.invoke("list_payments").output["items"]
    polled = session.poll("new_payment", start="all").items
    called = session.invoke("call_api", {"path": "/v2/banking/payments"}).output["data"]
    for rows in (listed, polled, called):
        assert [one["custom_fields"] for one in rows if one["id"] == id] == [own]
    again = session.invoke("initiate_payment", inputs, key="lauf-8")
    assert again.replayed
    shown = (result.output, again.output, session.invoke("get_payment", {"id": id}).output)
    assert [one["custom_fields"] for one in shown] == [own] * 3
    outcome = session.find_run(result.run).outcome
    assert "kontor_" not in str(outcome)
    with pytest.raises(InputError) as caught:
        session.invoke("initiate_payment", {**inputs, "custom_fields": {"kontor_key": "mine"}})
    assert caught.value.field == "custom_fields"


@pytest.mark.parametrize("key", ["", "  ", "a" * 201, "~mine", "new\nline"])
def test_a_key_that_cannot_serve_is_refused(session, key):
    with pytest.raises(InputError) as caught:
        session.invoke("create_cash_book_entry", entry("x"), key=key)
    assert caught.value.field == "key"


def test_runs_hold_no_api_key(session, sandbox, tmp_path):
    session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    with pytest.raises(NotFound):
        session.invoke("create_cash_book_entry", {**entry("x"), "kassenname": "Nirgendwo"}, key="k2")
    session._shared.close()
    assert all(b"sandbox-key" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_payment_for_today_is_replayed_tomorrow_and_a_new_one_for_today_is_refused(connector, credential, session):
    today = Clock().berlin_today()
    order = {**payment(account_of(session), 7), "execution_date": today.isoformat()}
    first = session.invoke("initiate_payment", order, key="for-today")
    with connector.open(credential, clock=Tomorrow()) as later:
        again = later.invoke("initiate_payment", order, key="for-today")
        assert again.replayed
        assert again.output["id"] == first.output["id"]
        with pytest.raises(InputError) as refused:
            later.invoke("initiate_payment", order, key="another")
    assert (refused.value.field, refused.value.reason, refused.value.outcome) == (
        "execution_date",
        "not_past.past",
        "not_sent",
    )
