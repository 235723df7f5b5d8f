"""What an answer to a write proves, row by row: nothing is made twice, and what is told of it is so.

The service acts or not and then answers any status. Where it acts and answers with its own honest refusal nobody can
see that; `docs/assumptions.md` says so, and only what is told then may be wrong.
"""

from __future__ import annotations

from itertools import product

import pytest

from connector.core.errors import KontorError, LikelyRepeat, OutcomeUnknown, RateLimited
from connector.runtime.writes import write
from connector.store.runs import alerts, runs
from tests.runtime.writes.test_writes import account_of, connector, credential, data, entry, payment, session
from tests.store.postgres import postgres_server, postgres_url
from tests.support.proof_rows import LEDGER_CODE, ROWS, TURNS, Row, acted, answers, inputs_of, name_of, prove, sent

__all__ = ["connector", "credential", "data", "postgres_server", "postgres_url", "session"]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(write, "FIND_DELAYS", (0.0,))


@pytest.mark.long
@pytest.mark.parametrize("turn", TURNS, ids=name_of)
@pytest.mark.parametrize("acts", [False, True], ids=["did nothing", "acted"])
def test_nothing_is_made_twice_whatever_the_answer(session, sandbox, acts, turn):
    row, actions = turn
    sandbox.order("/clock", speed=1)
    for action in actions:
        inputs = inputs_of(action, session)

        def run(again: bool = False, action: str = action, inputs: dict[str, object] = inputs) -> str:
            return heard(session, action, inputs, key=f"lauf-{action}", again=again)

        prove(run, sandbox, action, row, acts)


def heard(session, action: str, inputs, **more) -> str:
    try:
        session.invoke(action, inputs, **more)
    except KontorError as error:
        return error.outcome
    return "done"


@pytest.mark.parametrize("acts", [False, True])
def test_the_limiter_turns_a_write_away_three_times_at_most_and_then_nobody_knows(session, sandbox, acts, monkeypatch):
    """Also over several calls under one key: the number stands in the run."""
    monkeypatch.setattr(session.client.clock, "real", lambda seconds: 0.0)
    answers(sandbox, "create_cash_book_entry", ROWS[13], acts, times=None)
    assert ROWS[13].proves == "limited"
    inputs = entry("Beleg 9")
    unlimited(session, monkeypatch)
    first = heard(session, "create_cash_book_entry", inputs, key="lauf-9")
    assert (first, sent(sandbox, "create_cash_book_entry")) == ("not_sent", 2)
    assert heard(session, "create_cash_book_entry", inputs, key="lauf-9") == "unknown"
    assert sent(sandbox, "create_cash_book_entry") == 3
    sandbox.heal()
    assert heard(session, "create_cash_book_entry", inputs, key="lauf-9") == "unknown"
    assert sent(sandbox, "create_cash_book_entry") == 3


def unlimited(session, monkeypatch) -> None:
    """Let the client's own limiter wait for nothing."""
    monkeypatch.setattr(session.state.governor, "block", lambda seconds, now: None)
    monkeypatch.setattr(session.state.governor, "update_from_headers", lambda *given, **more: None)


def test_a_write_that_the_limiter_turned_away_once_is_sent_again_in_the_same_call(session, sandbox, monkeypatch):
    unlimited(session, monkeypatch)
    answers(sandbox, "initiate_payment", ROWS[13], acts=False)
    assert heard(session, "initiate_payment", payment(account_of(session), 8), key="lauf-8") == "done"
    assert (sent(sandbox, "initiate_payment"), acted(sandbox, "initiate_payment")) == (2, 1)


def test_a_payment_that_was_made_before_the_limiter_answered_is_found_and_not_sent_again(session, sandbox, monkeypatch):
    unlimited(session, monkeypatch)
    answers(sandbox, "initiate_payment", ROWS[13], acts=True, times=None)
    result = session.invoke("initiate_payment", payment(account_of(session), 7), key="lauf-7")
    assert result.output["id"]
    assert (sent(sandbox, "initiate_payment"), acted(sandbox, "initiate_payment")) == (1, 1)


def test_many_described_refusals_do_not_use_up_a_key(session, sandbox):
    inputs = entry("Beleg 12")
    answers(sandbox, "create_cash_book_entry", ROWS[0], acts=False, times=5)
    outcomes = [heard(session, "create_cash_book_entry", inputs, key="lauf-12") for _ in range(6)]
    assert outcomes == ["refused"] * 5 + ["done"]


def test_the_remedy_and_link_of_a_ledger_code_are_shown_though_the_outcome_is_unknown(session, sandbox):
    answers(sandbox, "create_cash_book_entry", Row(502, LEDGER_CODE, None), acts=False)
    with pytest.raises(OutcomeUnknown) as caught:
        session.invoke("create_cash_book_entry", entry("Beleg 13"), key="lauf-13")
    assert caught.value.reconnect_url == "https://dash.example/r/1"
    assert "session.settle" in caught.value.remedy.en


def test_an_assumed_refusal_says_so_and_is_replayed_in_both_languages(session, sandbox):
    answers(sandbox, "create_cash_book_entry", Row(422, '{"error": "Der Beleg passt nicht."}', "assumed"), acts=False)
    inputs = entry("Beleg 14")
    with pytest.raises(KontorError) as first:
        session.invoke("create_cash_book_entry", inputs, key="lauf-14")
    with pytest.raises(KontorError) as second:
        session.invoke("create_cash_book_entry", inputs, key="lauf-14")
    assert (first.value.proof, second.value.proof) == ("assumed", "assumed")
    assert first.value.message == second.value.message
    assert type(first.value) is type(second.value)
    assert second.value.as_dict("de")["message"] == first.value.message.de
    assert "again" in second.value.remedy.en
    assert second.value.details["replayed"] is True
    assert sent(sandbox, "create_cash_book_entry") == 1


def test_without_a_key_an_assumed_refusal_holds_back_what_is_equal(session, sandbox):
    answers(sandbox, "create_cash_book_entry", Row(422, '{"error": "no"}', "assumed"), acts=True)
    inputs = entry("Beleg 15")
    assert heard(session, "create_cash_book_entry", inputs) == "refused"
    with pytest.raises(LikelyRepeat):
        session.invoke("create_cash_book_entry", inputs)
    assert heard(session, "create_cash_book_entry", inputs, again=True) == "done"


@pytest.mark.parametrize("how", ["the same key", "the host's sweep"])
async def test_a_payment_that_appears_after_it_was_told_as_refused_corrects_the_run_and_raises_an_alarm(
    connector, credential, sandbox, how
):
    sandbox.order("/settings", payments_lag=3600)
    answers(sandbox, "initiate_payment", Row(422, '{"error": "no"}', "assumed"), acts=True)
    async with connector.open(credential) as session:
        session.state.governor.limit = 1_000_000
        account = (await session.options("bank_accounts", {"payments_only": True})).options[0].value
        inputs = payment(account, 16)
        with pytest.raises(KontorError) as caught:
            await session.invoke("initiate_payment", inputs, key="lauf-16")
        assert (caught.value.outcome, caught.value.proof) == ("refused", "assumed")
        sandbox.order("/settings", payments_lag=0)
        if how == "the same key":
            assert (await session.invoke("initiate_payment", inputs, key="lauf-16")).replayed
        else:
            assert await session.look_again() == 1
        run = await session.find_run("lauf-16")
        assert (run.state, run.outcome["output"]["amount"] is not None) == ("done", True)
    read = connector.database.read
    [alarm] = read(lambda c: alerts.alarms(c, run.workspace, run.made_at))
    assert (alarm.kind, alarm.subject) == ("done_after_refusal", run.id)
    assert acted(sandbox, "initiate_payment") == 1


def test_a_refused_payment_is_looked_for_no_longer_than_fifteen_minutes(session, sandbox, connector):
    answers(sandbox, "initiate_payment", Row(422, '{"error": "no"}', "assumed"), acts=False)
    assert heard(session, "initiate_payment", payment(account_of(session), 18), key="lauf-18") == "refused"
    run = session.find_run("lauf-18")
    read = connector.database.read
    assert [one.id for one in read(lambda c: runs.looked_for(c, run.workspace, run.changed_at))] == [run.id]
    later = run.changed_at.fromtimestamp(run.changed_at.timestamp() + 901, run.changed_at.tzinfo)
    assert not read(lambda c: runs.looked_for(c, run.workspace, later))


@pytest.mark.parametrize(("status", "acts"), [*product((409, 422), (False, True))])
def test_the_wire_file_says_which_statuses_are_believed(connector, sandbox, status, acts):
    from connector import Credential
    from connector.core.service.wire import Wire

    wire = Wire.with_overrides({"refusal": {"believed": [409]}})
    with connector.open(Credential(sandbox.url, "sandbox-key", wire=wire)) as session:
        answers(sandbox, "create_cash_book_entry", Row(status, '{"error": "no"}', None), acts)
        told = heard(session, "create_cash_book_entry", entry("Beleg 19"), key="lauf-19")
    assert told == ("refused" if status == 409 else "unknown")


def test_a_429_of_somebody_else_is_no_proof_and_no_rate_limit(session, sandbox):
    answers(sandbox, "create_cash_book_entry", Row(429, "<html>busy</html>", None, "none"), acts=True)
    with pytest.raises(OutcomeUnknown):
        session.invoke("create_cash_book_entry", entry("Beleg 20"), key="lauf-20")
    assert acted(sandbox, "create_cash_book_entry") == 1


def test_the_limiters_429_is_told_as_not_sent_with_the_time_to_come_back(session, sandbox):
    answers(sandbox, "create_cash_book_entry", ROWS[13], acts=False)
    with pytest.raises(RateLimited) as caught:
        session.invoke("create_cash_book_entry", entry("Beleg 21"), key="lauf-21")
    assert caught.value.outcome == "not_sent"
    assert caught.value.retry_at is not None
