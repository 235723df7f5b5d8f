"""A caller may give up at any step of a write. What was not sent gives its key back at once, and is never unknown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from connector import Connector, Credential
from connector.client import steps
from connector.client.steps import Step, Transmit
from connector.runtime.session import Session
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

BOOKING = {
    "ledger_connection": NORDLICHT,
    "kassenname": "Ladenkasse",
    "transaktionsdatum": "2026-11-14T10:00",
    "belegzeilen": [{"belegtext": "Papier", "gegenkonto": "4930", "betrag": "-41.65"}],
}
PAYMENT = {
    "account_id": "222483902742913301",
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": "297.50",
}
WRITES = {"create_cash_book_entry": BOOKING, "initiate_payment": PAYMENT}
MOST_STEPS = 60


class Interruption:
    """Interrupts a write at its nth step: before the step is carried out, or right after."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._carry_out = steps._carry_out
        self._numbers: Iterator[int] = iter(())
        self._at, self._after = MOST_STEPS, False
        self.is_in_doubt = False
        """Whether it was the request itself: then nobody knows."""
        monkeypatch.setattr(steps, "_carry_out", self._step)

    def order(self, at: int, *, after: bool) -> None:
        self._numbers, self._at, self._after, self.is_in_doubt = count(), at, after, False

    def _step(self, step: Step, transport: Any, store: Any) -> Any:
        if next(self._numbers, None) != self._at:
            return self._carry_out(step, transport, store)
        self.is_in_doubt = isinstance(step, Transmit) and step.request.method == "POST"
        if self._after:
            self._carry_out(step, transport, store)
        raise KeyboardInterrupt


@pytest.fixture
def session(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Session]:
    connector = Connector(str(tmp_path))
    with connector.open(Credential(sandbox.url, "sandbox-key")) as opened:
        opened.invoke("list_payments")
        yield opened
    connector.close()


def acted(sandbox: RunningSandbox) -> int:
    return sum(row["acted"] for row in sandbox.requests() if row["method"] == "POST")


@pytest.mark.parametrize("after", [False, True], ids=["before the step", "after the step"])
@pytest.mark.parametrize(
    "way",
    ["with a key", "without a key", pytest.param("after a 429", marks=pytest.mark.long)],  # that waits for seconds
)
@pytest.mark.parametrize("action", WRITES)
def test_a_write_that_is_interrupted_before_it_left_can_be_made_at_once(
    action: str,
    way: str,
    after: bool,
    session: Session,
    sandbox: RunningSandbox,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interruption, made_again = Interruption(monkeypatch), 0
    for number in range(MOST_STEPS):
        if way == "after a 429":
            sandbox.order("/limits", limit=1000, window=1)
            sandbox.order("/faults", kind="rate_limited", times=1, match={"method": "POST"})
        key = None if way == "without a key" else f"{action} {number}"
        known, before = {run.id for run in session.runs()}, acted(sandbox)
        interruption.order(number, after=after)
        try:
            session.invoke(action, WRITES[action], key=key, again=key is None)
            break
        except KeyboardInterrupt:
            sandbox.heal()
        in_doubt = interruption.is_in_doubt or acted(sandbox) > before
        interruption.order(MOST_STEPS, after=False)
        if in_doubt:
            continue
        states = {run.state for run in session.runs() if run.id not in known}
        assert states <= {"refused"}, number
        session.state.governor.forget()
        session.invoke(action, WRITES[action], key=key, again=key is None)
        assert acted(sandbox) == before + 1, number
        made_again += 1
    else:
        pytest.fail("the write never came to its end")
    assert made_again >= 2
