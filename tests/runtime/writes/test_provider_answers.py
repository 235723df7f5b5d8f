"""An error that the accounting provider reports inside a success is never told as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connector import Connector, Credential
from connector.core.errors import LikelyRepeat, OutcomeUnknown
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox


@pytest.fixture
def session(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Any]:
    connector = Connector(str(tmp_path))
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        yield session
    connector.close()


def entry(*amounts: str) -> dict[str, Any]:
    return {
        "ledger_connection": NORDLICHT,
        "kassenname": "Ladenkasse",
        "transaktionsdatum": "2026-11-14T10:00",
        "belegzeilen": [{"betrag": amount} for amount in amounts],
    }


@pytest.mark.conforms("provider_result.cash_book")
def test_a_write_is_parked_with_what_the_provider_says(sandbox: RunningSandbox, session: Any) -> None:
    sandbox.order("/settings", provider_answer="error")
    with pytest.raises(OutcomeUnknown, match="Buchungsperiode ist geschlossen") as caught:
        session.invoke("create_cash_book_entry", entry("12,50", "7,50"), key="lauf-1")
    assert not caught.value.retryable
    assert "session.settle" in caught.value.remedy.en
    assert len(sandbox.world.ledger.cash_entries) == 1, "some of the lines may stand"
    [run] = session.runs(state="unknown")
    assert "Buchungsperiode ist geschlossen" in run.outcome["message"]
    sandbox.order("/settings", provider_answer="success")
    with pytest.raises(OutcomeUnknown, match="Buchungsperiode ist geschlossen"):
        session.invoke("create_cash_book_entry", entry("12,50", "7,50"), key="lauf-1")
    with pytest.raises(LikelyRepeat):
        session.invoke("create_cash_book_entry", entry("12,50", "7,50"))
    assert len(sandbox.world.ledger.cash_entries) == 1


def test_anything_unusual_is_a_warning_on_the_result(sandbox: RunningSandbox, session: Any) -> None:
    sandbox.order("/settings", provider_answer="unusual")
    result = session.invoke("create_cash_book_entry", entry("12,50"))
    assert [warning.de for warning in result.warnings] == [
        "Der Buchhaltungsanbieter antwortete: Ladenkasse: Das Gegenkonto ist ungewöhnlich."
    ]
    sandbox.order("/settings", provider_answer="success")
    assert session.invoke("create_cash_book_entry", entry("13,50")).warnings == ()


def test_a_warning_is_told_again_to_whoever_repeats_the_key(sandbox: RunningSandbox, session: Any) -> None:
    sandbox.order("/settings", provider_answer="unusual")
    first = session.invoke("create_cash_book_entry", entry("12,50"), key="lauf-1")
    sandbox.order("/settings", provider_answer="success")
    again = session.invoke("create_cash_book_entry", entry("12,50"), key="lauf-1")
    assert (again.replayed, again.output, again.warnings) == (True, first.output, first.warnings)
    assert len(again.warnings) == 1
