"""The timeline tells when the rate window held up calls and when it was over, and ordinary calls write nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from connector import Connector, Credential
from connector.client.governor import Governor
from connector.client.key_states import key_state
from connector.core.errors import RateLimited
from connector.core.timing import Clock
from connector.interfaces.console.flows.timeline import happening_line
from connector.runtime.records.rate_windows import ABOUT, LEAST_SECONDS
from connector.store.triggers import timeline
from connector.store.triggers.timeline import Happening
from tests.support.running_sandbox import RunningSandbox

KEY = "sandbox-key"


class SteppingClock(Clock):
    """Passes only as far as a test says."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds

    def utcnow(self) -> datetime:
        return datetime(2026, 11, 16, 10, 0, tzinfo=UTC) + timedelta(seconds=self.seconds - 1000)


@pytest.fixture
def connector(tmp_path: Path) -> Iterator[Connector]:
    connector = Connector(str(tmp_path))
    assert connector.database.read(lambda connection: timeline.listed(connection, [ABOUT])) == []
    yield connector
    connector.close()


def entries(connector: Connector, credential: Credential) -> list[Happening]:
    about = [ABOUT + credential.fingerprint]
    return connector.database.read(lambda connection: timeline.listed(connection, about))[::-1]


def test_an_entry_a_minute_at_most_and_none_without_a_wait(connector: Connector) -> None:
    credential, clock = Credential("http://127.0.0.1:9", KEY), SteppingClock()
    state = connector.shared.key_state(credential)

    def tell(news: Any, seconds: float = 30.0) -> list[str]:
        state.tell_rate(news, seconds, clock)
        return [one.what for one in entries(connector, credential)]

    assert tell("free") == [], "nothing was held up"
    assert tell("used_up") == ["rate.used_up"]
    for _ in range(500):
        clock.seconds += 0.1
        assert tell("used_up") == ["rate.used_up"]
    clock.seconds += LEAST_SECONDS
    assert tell("free") == ["rate.used_up", "rate.free"]
    clock.seconds += LEAST_SECONDS
    assert tell("free") == ["rate.used_up", "rate.free"]
    assert tell("refused", 45.0) == ["rate.used_up", "rate.free", "rate.refused"]
    first, free, last = (happening_line(one) for one in entries(connector, credential))
    assert first.text.en == "The rate window is used up: requests wait until 2026-11-16 11:00."
    assert last.text.de.startswith("Der Dienst hat eine Anfrage abgelehnt (429): Anfragen warten bis 16.11.2026")
    assert [one.tone for one in (first, free, last)] == ["bad", "good", "bad"]


def test_a_closed_connector_listens_no_more(tmp_path: Path) -> None:
    connector, credential = Connector(str(tmp_path)), Credential("http://127.0.0.1:9", "another-key")
    assert connector.database
    state = connector.shared.key_state(credential)
    connector.close()
    assert state.rate_listener is None
    state.tell_rate("used_up", 1.0, SteppingClock())


@pytest.fixture
def busy(sandbox: RunningSandbox) -> Iterator[Credential]:
    credential = Credential(sandbox.url, KEY)
    key_state(credential).governor = Governor(limit=40)
    yield credential
    key_state(credential).governor = Governor()


def test_a_refusal_of_the_service_is_told_and_a_call_that_leaves_at_once_is_not(
    connector: Connector, busy: Credential, sandbox: RunningSandbox
) -> None:
    with connector.open(busy) as session:
        session.invoke("list_payments", {})
        assert entries(connector, busy) == []
        sandbox.order("/faults", kind="rate_limited", times=1)
        with pytest.raises(RateLimited):
            session.invoke("list_payments", {})
    [refused] = entries(connector, busy)
    assert refused.what == "rate.refused"
    assert refused.details["until"] > refused.at.isoformat()[:19]


def test_a_used_up_window_is_told_with_its_end(connector: Connector, busy: Credential, sandbox: RunningSandbox) -> None:
    with connector.open(busy) as session:
        governor = session.state.governor
        now = session.clock.monotonic()
        governor.block(80.0, now)
        with pytest.raises(RateLimited):
            session.invoke("list_payments", {})
    [told] = entries(connector, busy)
    assert told.what == "rate.used_up"
    wait = (datetime.fromisoformat(told.details["until"]) - told.at).total_seconds()
    assert 60 < wait <= 80
