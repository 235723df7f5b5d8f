"""Nothing is sent that somebody else has decided about meanwhile, and no equal write slips past a dead one."""

from __future__ import annotations

from functools import partial

import pytest

from connector.client import clients
from connector.core.callers import CallSource
from connector.core.errors import KontorError, LikelyRepeat, OutcomeUnknown
from connector.core.messages import say
from connector.core.writes import marks
from connector.runtime.writes import write
from connector.runtime.writes.attempt import cancelled
from connector.store.runs import runs
from tests.runtime.writes.test_writes import (
    account_of,
    connector,
    credential,
    data,
    entry,
    payment,
    payments_sent,
    session,
)
from tests.store.postgres import postgres_server, postgres_url

__all__ = ["connector", "credential", "data", "postgres_server", "postgres_url", "session"]


def bookings_sent(sandbox) -> int:
    return sum(row["method"] == "POST" and row["acted"] for row in sandbox.requests())


@pytest.mark.parametrize("key", ["lauf-30", None])
@pytest.mark.parametrize("fault", ["rate_limited", "never connected"])
def test_a_retry_after_a_person_has_cancelled_the_run_is_not_sent(session, sandbox, monkeypatch, key, fault):
    """The sender hears that nothing was accepted, is stopped before its next attempt, and goes on too late."""
    inputs = payment(account_of(session), 30)
    send, attempts = session.client.transmit, []

    def stopped(request, seconds):
        if request.method == "POST":
            attempts.append(request)
            if len(attempts) == 1:
                limited = {"ratelimit-remaining": "0", "ratelimit-reset": "1"}
                answer = clients.Answer(429, limited, b"{}") if fault == "rate_limited" else None
                return answer or clients.TransportFailure(False, say("why_no_route"))
        return send(request, seconds)

    def sleep(seconds):
        if len(attempts) == 1 and not gone:
            [run] = session.runs(state="claimed")
            gone.append(run)
            database, now = session._shared.database, session.clock.utcnow()
            cancel = partial(runs.cancel, found=run, outcome=cancelled().as_dict(), by=CallSource("console"))
            assert database.write(lambda c: cancel(c, now=now)).result()

    gone: list[runs.Run] = []
    monkeypatch.setattr(session.client, "transmit", stopped)
    monkeypatch.setattr(clients.time, "sleep", sleep)
    with pytest.raises(KontorError) as caught:
        session.invoke("initiate_payment", inputs, key=key)
    assert (len(gone), caught.value.outcome) == (1, "not_sent")
    assert payments_sent(sandbox) == 0


@pytest.mark.parametrize("again", [False, True])
def test_an_equal_write_waits_for_one_whose_owner_has_died_and_is_then_held_back(session, sandbox, monkeypatch, again):
    monkeypatch.setattr(write, "DEAD_AFTER_SECONDS", 0.3)
    inputs = entry("gestorben")
    cleaned = session._shared.catalog.inputs(session._shared.catalog.action("create_cash_book_entry")).clean(inputs)
    dead = runs.NewRun(
        runs.new_id(session.clock.utcnow()),
        "default",
        "tot",
        session.credential.fingerprint,
        "create_cash_book_entry",
        marks.digest("create_cash_book_entry", cleaned),
        b"{}",
        "0" * runs.PROCESS_CHARACTERS + "-1",
    )
    session._shared.database.write(lambda c: runs.insert(c, dead, "sending", session.clock.utcnow())).result()
    before = bookings_sent(sandbox)
    with pytest.raises(LikelyRepeat) as caught:
        session.invoke("create_cash_book_entry", inputs, key=None if again else "anders", again=again)
    assert (caught.value.details, caught.value.outcome) == ({"run": dead.id}, "not_sent")
    assert bookings_sent(sandbox) == before
    assert session.find_run("tot").state == "unknown"
    session.settle("tot", happened=False)
    assert session.invoke("create_cash_book_entry", inputs, key="danach").output


def test_a_write_without_a_key_may_be_made_once_a_person_has_said_that_the_first_did_not_happen(session, sandbox):
    sandbox.order("/faults", kind="drop_before", times=1, match={"path": "/v2/ledger-duo/kassenbuch-advanced"})
    with pytest.raises(OutcomeUnknown) as lost:
        session.invoke("create_cash_book_entry", entry("verloren"))
    session.settle(lost.value.details["run"], happened=False)
    assert session.invoke("create_cash_book_entry", entry("verloren")).output


def test_a_run_without_a_heartbeat_is_listed_as_unknown_after_half_a_minute(session):
    lost = runs.NewRun("0" * 32, "default", "alt", "f" * 16, "create_cash_book_entry", "2:x", b"{}", "gone")
    now = session.clock.utcnow()
    for seconds, listed in ((10, []), (31, ["alt"])):
        then = now.fromtimestamp(now.timestamp() - seconds, now.tzinfo)
        session._shared.database.write(lambda c, then=then: runs.insert(c, lost, "sending", then)).result()
        assert [run.key for run in session.runs(state="unknown")] == listed
        session._shared.database.write(lambda c: c.execute(runs.runs.delete())).result()
