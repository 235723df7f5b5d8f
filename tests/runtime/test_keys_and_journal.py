"""Keys, the journal and parked outcomes: nothing is paid or booked twice."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter

import pytest
from filled_in import NORDLICHT

from connector import Connector, Credential
from connector.core.errors import InputError, KontorError, NotFound, OutcomeUnknown
from connector.core.wire import Wire
from connector.runtime import invoke

PAYMENTS = 500


@pytest.fixture
def connector(desk, tmp_path):
    desk.order("/limits", limit=1_000_000)
    desk.order("/credits", balance=1_000_000)
    connector = Connector(str(tmp_path))
    yield connector
    connector.close()


@pytest.fixture
def credential(desk) -> Credential:
    return Credential(desk.url, "sandbox-key", quelle="n8n")


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


def account_of(session) -> str:
    return str(session.options("bank_accounts", {"payments_only": True}).options[0].value)


async def test_500_payments_with_lost_answers_and_retrying_callers_are_500_payments(
    connector, credential, desk, monkeypatch
):
    monkeypatch.setattr(invoke, "READ_BACK_DELAYS", (0.05, 0.1, 0.2))
    monkeypatch.setattr(invoke, "ABSENCE_ASSUMED_AFTER", 0.5)
    for seed, kind in enumerate(("drop_after", "drop_before", "error_500", "error_500_after", "malformed")):
        match = {"method": "POST", "path": "/v2/banking/payments"}
        desk.order("/faults", kind=kind, times=None, probability=0.08, seed=seed, match=match)
    existing = {item["id"] for item in desk.api.get("/v2/banking/payments").json()["data"]}
    gate = asyncio.Semaphore(25)
    results = {}
    doubts: list[OutcomeUnknown] = []

    async with connector.open(credential) as session:
        session.state.governor.limit = 1_000_000
        account = (await session.options("bank_accounts", {"payments_only": True})).options[0].value

        async def pay(number: int) -> None:
            async with gate:
                for _ in range(30):
                    try:
                        key = f"run-{number}/pay"
                        results[number] = await session.invoke("initiate_payment", payment(account, number), key=key)
                        return
                    except OutcomeUnknown as error:
                        doubts.append(error)

        await asyncio.gather(*(pay(number) for number in range(PAYMENTS)))

    desk.clear_faults()
    made = [item for item in desk.api.get("/v2/banking/payments").json()["data"] if item["id"] not in existing]
    assert len(made) == PAYMENTS
    by_key = {item["custom_fields"]["kontor_key"]: item for item in made}
    assert len(by_key) == PAYMENTS
    for number, result in results.items():
        mine = by_key[f"run-{number}/pay"]
        assert result.output["id"] == mine["id"]
        assert mine["description"] == f"Rechnung {number}"
    assert any(result.replayed for result in results.values())
    assert all(error.retryable for error in doubts)


async def test_cash_book_entries_with_lost_answers_are_booked_once_at_most_and_the_doubtful_ones_are_parked(
    connector, credential, desk
):
    for seed, kind in enumerate(("drop_after", "drop_before", "error_500_after")):
        match = {"path": "/v2/ledger-duo/kassenbuch-advanced"}
        desk.order("/faults", kind=kind, times=None, probability=0.15, seed=seed, match=match)
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
        parked = {item.key for item in await session.parked()}
    booked = Counter(item.belegtext for item in desk.world.ledger.cash_entries)
    assert max(booked[f"Beleg {number}"] for number in range(100)) == 1
    assert parked == {key for key, outcome in told.items() if outcome == "doubtful"}
    assert 10 < len(parked) < 90
    assert not any(error.retryable for error in doubts)
    for key, outcome in told.items():
        if outcome == "done":
            assert booked[f"Beleg {key[1:]}"] == 1


def test_the_same_key_with_the_same_inputs_returns_the_first_result(session, desk):
    first = session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    before = len(desk.record())
    again = session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    assert (again.output, again.replayed, again.credits.cost) == (first.output, True, 0)
    assert len(desk.record()) == before


def test_the_same_key_with_other_inputs_or_another_action_is_a_conflict(session, desk):
    session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    before = len(desk.record())
    for action, inputs in [("create_cash_book_entry", entry("anders")), ("start_bank_connect", {})]:
        with pytest.raises(InputError) as caught:
            session.invoke(action, inputs, key="k")
        assert caught.value.field == "key"
    assert len(desk.record()) == before


def test_a_key_counts_for_one_credential_only(connector, session, desk):
    session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    with connector.open(Credential(desk.url, "sandbox-key-2")) as other:
        assert not other.invoke("create_cash_book_entry", entry("einmal"), key="k").replayed


def test_a_refused_write_may_be_tried_again_under_its_key(session, desk):
    desk.order(f"/ledger-connections/{NORDLICHT}", **{"break": "ledger_endpoint_not_authorized"})
    with pytest.raises(KontorError) as caught:
        session.invoke("create_cash_book_entry", entry("später"), key="k")
    assert caught.value.outcome == "refused"
    desk.order(f"/ledger-connections/{NORDLICHT}", **{"break": None})
    assert not session.invoke("create_cash_book_entry", entry("später"), key="k").replayed


def test_two_callers_with_one_key_at_the_same_moment_book_once(session, desk):
    desk.order("/faults", kind="slow", times=1, seconds=0.4, match={"path": "/v2/ledger-duo/kassenbuch-advanced"})
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
    assert sum(item.belegtext == "gleichzeitig" for item in desk.world.ledger.cash_entries) == 1


def test_the_journal_survives_the_process(connector, credential, desk, tmp_path):
    with connector.open(credential) as session:
        session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    connector.close()
    later = Connector(str(tmp_path))
    with later.open(credential) as session:
        assert session.invoke("create_cash_book_entry", entry("einmal"), key="k").replayed
    later.close()


def test_a_write_without_a_key_is_parked_too_when_its_answer_is_lost(session, desk):
    desk.order("/faults", kind="drop_after", times=1, match={"path": "/v2/ledger-duo/kassenbuch-advanced"})
    with pytest.raises(OutcomeUnknown) as caught:
        session.invoke("create_cash_book_entry", entry("ohne Schlüssel"))
    [parked] = session.parked()
    assert parked.key == caught.value.details["key"]
    assert parked.inputs["belegzeilen"][0]["belegtext"] == "ohne Schlüssel"
    assert parked.key in caught.value.remedy.de


@pytest.mark.parametrize("happened", [True, False])
def test_a_person_settles_what_is_parked(session, desk, happened):
    desk.order("/faults", kind="drop_after", times=1, match={"path": "/v2/ledger-duo/kassenbuch-advanced"})
    with pytest.raises(OutcomeUnknown):
        session.invoke("create_cash_book_entry", entry("Zweifel"), key="k")
    with pytest.raises(OutcomeUnknown):
        session.invoke("create_cash_book_entry", entry("Zweifel"), key="k")
    session.settle("k", happened, "in der Kasse nachgesehen")
    assert session.parked() == []
    assert session.invoke("create_cash_book_entry", entry("Zweifel"), key="k").replayed is happened
    with pytest.raises(InputError):
        session.settle("k", happened)


def test_a_payment_whose_answer_was_lost_is_found_and_not_sent_again(session, desk, monkeypatch):
    monkeypatch.setattr(invoke, "READ_BACK_DELAYS", (0.05,))
    desk.order("/faults", kind="drop_after", times=1, match={"method": "POST", "path": "/v2/banking/payments"})
    account = account_of(session)
    result = session.invoke("initiate_payment", payment(account, 7), key="lauf-7")
    assert result.replayed
    posts = [row for row in desk.record() if row["method"] == "POST" and row["path"] == "/v2/banking/payments"]
    assert len(posts) == 1
    assert result.output["custom_fields"] == {"kontor_key": "lauf-7"}


def payments_sent(desk) -> int:
    return sum(row["method"] == "POST" and row["path"] == "/v2/banking/payments" for row in desk.record())


def test_a_payment_that_the_list_shows_late_is_not_sent_again(session, desk, monkeypatch):
    monkeypatch.setattr(invoke, "READ_BACK_DELAYS", (0.05,))
    monkeypatch.setattr(invoke, "ABSENCE_ASSUMED_AFTER", 3.0)
    monkeypatch.setattr(invoke, "LATER_READ_BACK_DELAY", 0.5)
    shown_at = time.monotonic() + 1.5
    read = invoke.items_in
    monkeypatch.setattr(invoke, "items_in", lambda reply: read(reply) if time.monotonic() > shown_at else [])
    desk.order("/faults", kind="drop_after", times=1, match={"method": "POST", "path": "/v2/banking/payments"})
    inputs = payment(account_of(session), 11)
    with pytest.raises(OutcomeUnknown):
        session.invoke("initiate_payment", inputs, key="lauf-11")
    assert session.invoke("initiate_payment", inputs, key="lauf-11").replayed
    assert payments_sent(desk) == 1


def test_a_payment_that_was_never_made_is_sent_again_once_that_is_believed(session, desk, monkeypatch):
    monkeypatch.setattr(invoke, "READ_BACK_DELAYS", (0.05,))
    monkeypatch.setattr(invoke, "ABSENCE_ASSUMED_AFTER", 1.0)
    desk.order("/faults", kind="drop_before", times=1, match={"method": "POST", "path": "/v2/banking/payments"})
    inputs = payment(account_of(session), 12)
    with pytest.raises(OutcomeUnknown):
        session.invoke("initiate_payment", inputs, key="lauf-12")
    doubted = time.monotonic()
    assert not session.invoke("initiate_payment", inputs, key="lauf-12").replayed
    assert time.monotonic() - doubted > 0.8
    assert payments_sent(desk) == 2  # the first was cut off before anything was done


def test_a_doubt_of_long_ago_needs_no_waiting():
    assert sum(invoke._read_back_delays(0.0)) == pytest.approx(invoke.ABSENCE_ASSUMED_AFTER)
    assert invoke._read_back_delays(3600.0) == invoke.READ_BACK_DELAYS


def test_a_write_that_may_be_repeated_is_simply_sent_again_under_its_key(session, desk):
    url = {"webhook_url": "https://hooks.example.com/kontor"}
    desk.order("/faults", kind="drop_after", times=1, match={"method": "PUT"})
    with pytest.raises(OutcomeUnknown) as caught:
        session.invoke("set_webhook_url", url, key="k")
    assert caught.value.retryable
    assert session.invoke("set_webhook_url", url, key="k").output["webhook_url"] == url["webhook_url"]
    assert session.parked() == []


def test_a_payment_is_found_again_at_a_service_without_a_date_filter(connector, desk, monkeypatch):
    monkeypatch.setattr(invoke, "READ_BACK_DELAYS", (0.05,))
    wire = Wire.with_overrides({"payments": {"created_from": None}})
    desk.order("/faults", kind="drop_after", times=1, match={"method": "POST", "path": "/v2/banking/payments"})
    with connector.open(Credential(desk.url, "sandbox-key", wire=wire)) as session:
        assert session.invoke("initiate_payment", payment(account_of(session), 9), key="lauf-9").replayed


def test_custom_fields_of_the_caller_are_kept_beside_the_key(session):
    inputs = {**payment(account_of(session), 8), "custom_fields": {"vorgang": "EK-12"}}
    output = session.invoke("initiate_payment", inputs, key="lauf-8").output
    assert output["custom_fields"] == {"vorgang": "EK-12", "kontor_key": "lauf-8"}


@pytest.mark.parametrize("key", ["", "  ", "a" * 201, "~mine", "new\nline"])
def test_a_key_that_cannot_serve_is_refused(session, key):
    with pytest.raises(InputError) as caught:
        session.invoke("create_cash_book_entry", entry("x"), key=key)
    assert caught.value.field == "key"


def test_the_journal_holds_no_api_key(session, desk, tmp_path):
    session.invoke("create_cash_book_entry", entry("einmal"), key="k")
    with pytest.raises(NotFound):
        session.invoke("create_cash_book_entry", {**entry("x"), "kassenname": "Nirgendwo"}, key="k2")
    session._connector.close()
    assert all(b"sandbox-key" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
