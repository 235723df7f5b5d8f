"""The words of an intent as sequences of calls, for every way to run an action (`intents/sequences.yaml`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from connector.core.callers import WORDS
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

FILE = Path(__file__).parent / "intents" / "sequences.yaml"
ACTIONS = {
    "initiate_payment": "/v2/banking/payments",
    "create_cash_book_entry": "/v2/ledger-duo/kassenbuch-advanced",
}
"""The writes that are tried, and where they go: one that can be looked up, and one that cannot."""
INPUTS: dict[str, dict[str, Any]] = {
    "initiate_payment": {
        "account_id": MAIN_ACCOUNT,
        "creditor_name": "Reifen Voss KG",
        "creditor_iban": "DE02120300000000202051",
        "amount": "297.50",
    },
    "create_cash_book_entry": {
        "ledger_connection": NORDLICHT,
        "kassenname": "Ladenkasse",
        "transaktionsdatum": "2026-05-04T10:30:00+02:00",
        "belegzeilen": [{"betrag": "-41.65"}],
    },
}
Words = dict[str, Any]
"""What one call means."""


@dataclass(frozen=True)
class CallSequence:
    """Calls of one write, and what became of them."""

    name: str
    action: str
    calls: tuple[Words, ...]
    writes: int
    last: str | None
    at_once: bool
    agents_may: bool

    @property
    def inputs(self) -> dict[str, Any]:
        return INPUTS[self.action]

    def is_sayable(self, can_say: Callable[[Words], bool]) -> bool:
        """Whether a way to run actions has the words for all of its calls."""
        return all(can_say(words) for words in self.calls)


def sequences() -> list[CallSequence]:
    """All of them; where no action is named, once for each."""
    found = []
    for one in yaml.safe_load(FILE.read_text(encoding="utf-8")):
        assert all(set(words) <= set(WORDS) for words in one["calls"]), one["name"]
        for action in [one["action"]] if "action" in one else ACTIONS:
            found.append(
                CallSequence(
                    f"{action}: {one['name']}",
                    action,
                    tuple(one["calls"]),
                    one["writes"],
                    one.get("last"),
                    one.get("at_once", False),
                    one.get("agents_may", False),
                )
            )
    return found


def sayable(can_say: Callable[[Words], bool]) -> list[CallSequence]:
    """Those for which a way to run actions has the words."""
    return [one for one in sequences() if one.is_sayable(can_say)]


def hold(sequence: CallSequence, told: Sequence[str], sandbox: RunningSandbox) -> None:
    """Holds what the calls were told, and what the service has seen, to the sequence."""
    path = ACTIONS[sequence.action]
    writes = [one for one in sandbox.requests() if (one["method"], one["path"]) == ("POST", path)]
    assert len(writes) == sequence.writes, (sequence.name, told)
    if sequence.last is not None:
        assert told[-1] == sequence.last, (sequence.name, told)
    else:
        assert list(told).count("done") == sequence.writes, (sequence.name, told)


def outcome_of(kind: str | None, outcome: str | None) -> str:
    """What an error tells, in the words of the sequences."""
    assert outcome == "not_sent", (kind, outcome)
    return "likely_repeat" if kind == "likely_repeat" else "unsent"


def ids(sequences: Iterable[CallSequence]) -> list[str]:
    return [one.name for one in sequences]
