"""Equal writes that wait for one of unknown outcome: they say for which, are counted, and are decided in one go."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from connector import Connector, Credential
from connector.core.errors import InputError, LikelyRepeat, OutcomeUnknown, RightMissing
from connector.runtime.session import Session
from connector.store.runs import repeats
from tests.store.postgres import postgres_server, postgres_url
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

__all__ = ["postgres_server", "postgres_url"]

BOOKING, PATH = "create_cash_book_entry", "/v2/ledger-duo/kassenbuch-advanced"


@pytest.fixture(params=["sqlite", "postgresql"])
def connector(request: pytest.FixtureRequest, tmp_path: Path, sandbox: RunningSandbox) -> Iterator[Connector]:
    sandbox.order("/limits", limit=1_000_000)
    data = str(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))
    connector = Connector(data)
    yield connector
    connector.close()


@pytest.fixture
def session(connector: Connector, sandbox: RunningSandbox) -> Iterator[Session]:
    with connector.open(Credential(sandbox.url, "sandbox-key", quelle="n8n")) as session:
        session.state.governor.limit = 1_000_000
        yield session


def entry(text: str = "Kaffee", betrag: str = "4.90") -> dict[str, Any]:
    line = {"belegtext": text, "gegenkonto": "8400", "belegNummer": "K-1", "betrag": betrag}
    return {
        "ledger_connection": NORDLICHT,
        "kassenname": "Ladenkasse",
        "betrag": betrag,
        "transaktionsdatum": "2026-11-14T10:00",
        "belegzeilen": [line],
    }


def sent(sandbox: RunningSandbox) -> int:
    return sum(one["method"] == "POST" and one["path"] == PATH for one in sandbox.requests())


def lose_one(session: Session, sandbox: RunningSandbox, **more: Any) -> str:
    """Send a booking whose answer is lost; return its run."""
    sandbox.order("/faults", kind="drop_after", times=1, match={"path": PATH})
    with pytest.raises(OutcomeUnknown) as lost:
        session.invoke(BOOKING, entry(), **more)
    return str(lost.value.details["run"])


def held(session: Session, **more: Any) -> LikelyRepeat:
    with pytest.raises(LikelyRepeat) as refused:
        session.invoke(BOOKING, entry(), **more)
    return refused.value


def test_what_waits_names_the_run_that_it_waits_for_and_is_counted_there(
    session: Session, sandbox: RunningSandbox
) -> None:
    unknown = lose_one(session, sandbox)
    for number in range(28):
        error = held(session, key=f"lauf-{number}")
        assert (error.details["run"], error.outcome) == (unknown, "not_sent")
        assert unknown in error.message.en
    waiting = session.waiting(session.find_run(unknown))
    assert waiting is not None
    assert (waiting.count, waiting.total) == (28, Decimal("137.20"))
    assert list(waiting.runs) == [session.find_run(f"lauf-{number}").id for number in range(28)]
    assert waiting.told.en == "Equal writes that wait for this run: 28, 137.20 in all."
    assert waiting.told.de == "Gleiches, das auf diesen Vorgang wartet: 28, zusammen 137,20."
    assert sent(sandbox) == 1


def test_one_that_tries_again_counts_once_and_a_mere_second_press_not_at_all(
    session: Session, sandbox: RunningSandbox
) -> None:
    unknown = lose_one(session, sandbox)
    for _ in range(3):
        held(session, key="lauf-1")
    held(session)
    held(session, again=True)
    waiting = session.waiting(session.find_run(unknown))
    assert waiting is not None
    assert [session.find_run(id).key for id in waiting.runs] == ["lauf-1", None]
    assert sent(sandbox) == 1


@pytest.mark.parametrize("happened", [True, False])
def test_settled_without_a_word_about_them_each_may_be_run_again(
    session: Session, sandbox: RunningSandbox, happened: bool
) -> None:
    unknown = lose_one(session, sandbox)
    held(session, key="lauf-1")
    held(session, key="lauf-2")
    session.settle(unknown, happened)
    assert sent(sandbox) == 1
    assert not session.invoke(BOOKING, entry(), key="lauf-1").replayed
    waiting = session.waiting(session.find_run(unknown))
    assert waiting is not None
    assert waiting.runs == (session.find_run("lauf-2").id,), "what was run again waits no longer"
    session.settle(unknown, happened, release=False)  # decided later
    with pytest.raises(RightMissing, match="not sent"):
        session.invoke(BOOKING, entry(), key="lauf-2")
    assert session.waiting(session.find_run(unknown)) is None
    assert sent(sandbox) == 2


def test_what_is_not_released_ends_and_its_key_says_so(session: Session, sandbox: RunningSandbox) -> None:
    unknown = lose_one(session, sandbox, key="lauf-0")
    held(session, key="lauf-1")
    session.settle(unknown, True, release=False)
    run = session.find_run("lauf-1")
    assert (run.state, run.outcome["outcome"]) == ("rejected", "not_sent")
    for _ in range(2):
        with pytest.raises(RightMissing) as refused:
            session.invoke(BOOKING, entry(), key="lauf-1")
        assert (refused.value.reason, unknown in refused.value.message.en) == ("not_released", True)
    assert sent(sandbox) == 1
    assert not session.invoke(BOOKING, entry(), key="lauf-2").replayed, "a new key is a new write"


def test_without_a_host_what_is_released_is_sent_by_its_own_callers(session: Session, sandbox: RunningSandbox) -> None:
    unknown = lose_one(session, sandbox)
    held(session, key="lauf-1")
    session.settle(unknown, False, release=True)
    assert sent(sandbox) == 1, "nobody is told of a sending that did not happen yet"
    assert session.find_run("lauf-1").state == "refused"
    assert not session.invoke(BOOKING, entry(), key="lauf-1").replayed
    assert session.waiting(session.find_run(unknown)) is None
    assert sent(sandbox) == 2


def test_a_number_that_has_changed_since_it_was_seen_is_asked_again(session: Session, sandbox: RunningSandbox) -> None:
    unknown = lose_one(session, sandbox)
    for number in range(3):
        held(session, key=f"lauf-{number}")
    with pytest.raises(InputError) as changed:
        session.settle(unknown, False, release=True, waiting=2)
    assert (changed.value.field, changed.value.reason) == ("waiting", "waiting_changed")
    assert session.find_run(unknown).state == "unknown", "nothing of it was recorded"
    assert session.settle(unknown, False, release=True, waiting=3).state == "settled"


def test_what_is_known_cannot_be_settled_otherwise_by_deciding_about_those_that_wait(
    session: Session, sandbox: RunningSandbox
) -> None:
    unknown = lose_one(session, sandbox)
    held(session, key="lauf-1")
    session.settle(unknown, True)
    with pytest.raises(InputError, match="nothing to settle"):
        session.settle(unknown, False, release=True)
    assert session.waiting(session.find_run(unknown)) is not None


def test_another_workspace_does_not_count(connector: Connector, session: Session, sandbox: RunningSandbox) -> None:
    unknown = lose_one(session, sandbox)
    held(session, key="lauf-1")
    assert connector.database.read(lambda c: repeats.count_held(c, "default", unknown)) == 1
    assert connector.database.read(lambda c: repeats.count_held(c, "another", unknown)) == 0
