"""What a service may answer to a write, row by row, and what then must hold through whichever face it was sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from connector.runtime.session import Session
from tests.support.filled_in import required_inputs
from tests.support.running_sandbox import RunningSandbox

LEDGER_CODE = '{"error": "no", "code": "ledger_connection_invalid", "reconnectUrl": "https://dash.example/r/1"}'
PATHS = {
    "initiate_payment": "/v2/banking/payments",
    "create_cash_book_entry": "/v2/ledger-duo/kassenbuch-advanced",
    "save_person_account": "/v2/ledger-rewe/personenkonto",
    "create_collective_invoice": "/v2/mobility/customers/*/invoice",
}


@dataclass(frozen=True)
class Row:
    """An answer, and what it proves: `described`, `assumed`, `limited` or nothing."""

    status: int
    content: str
    proves: str | None
    limit_headers: str = "usual"

    @property
    def empties_window(self) -> bool:
        """Whether its headers say that nothing may be sent for minutes."""
        return self.limit_headers == "refused"


ROWS = [
    Row(403, LEDGER_CODE, "described"),
    Row(401, '{"error": "Not allowed."}', "described"),
    Row(400, '{"error": "Invalid API key"}', "described"),
    Row(403, '{"error": "no", "message": "Header \'x-api-key: <key>\' required"}', "described"),
    Row(400, '{"error": "Missing required parameter: connection_id"}', "described"),
    *(Row(status, '{"error": "no"}', "assumed") for status in (400, 402, 403, 404, 405, 413, 415, 422)),
    Row(429, '{"error": "slow down"}', "limited", "refused"),
    Row(429, '{"error": "slow down"}', None),
    Row(429, '{"error": "slow down"}', None, "none"),
    Row(429, '{"error": "slow down", "data": {"id": "1"}}', None, "refused"),
    *(Row(status, '{"error": "no"}', None) for status in (301, 303, 307, 308, 406, 408, 409, 410, 418, 500, 502, 503)),
    Row(502, LEDGER_CODE, None),
    *(Row(status, "<html>no</html>", None) for status in (400, 401, 402, 403, 404, 422)),
    *(Row(400, f'{{"error": "no", "{key}": {{}}}}', None) for key in ("data", "id", "ledgerAntwort", "platform")),
    Row(403, "", None),
    Row(404, '{"message": "no"}', None),
    Row(422, '[{"error": "no"}]', None),
]
IDS = [f"{row.status}-{row.proves}-{number}" for number, row in enumerate(ROWS)]

TURNS = [
    (row, actions) for row in ROWS for actions in ([[path] for path in PATHS] if row.empties_window else [[*PATHS]])
]
"""Each row with all actions in turn, or with one at a time where it ends all sending for minutes."""


def name_of(turn: tuple[Row, list[str]]) -> str:
    row, (first, *others) = turn
    return f"{IDS[ROWS.index(row)]}-{'all' if others else first}"


def inputs_of(action: str, session: Session) -> dict[str, Any]:
    """Return what a service takes for this action."""
    return required_inputs(session._shared.catalog.action(action), session)


def acted(sandbox: RunningSandbox, action: str) -> int:
    tail = PATHS[action].rsplit("/", 1)[1]
    return sum(row["acted"] for row in sandbox.requests() if row["method"] == "POST" and row["path"].endswith(tail))


def sent(sandbox: RunningSandbox, action: str) -> int:
    tail = PATHS[action].rsplit("/", 1)[1]
    return sum(row["method"] == "POST" and row["path"].endswith(tail) for row in sandbox.requests())


def answers(sandbox: RunningSandbox, action: str, row: Row, acts: bool, times: int | None = 1) -> None:
    sandbox.order(
        "/faults",
        kind="answer_after" if acts else "answer_before",
        times=times,
        match={"method": "POST", "path": PATHS[action]},
        status=row.status,
        content=row.content,
        limit_headers=row.limit_headers,
    )


def prove(run: Callable[[bool], str], sandbox: RunningSandbox, action: str, row: Row, acts: bool) -> None:
    """Let the service act or not and answer so; run the write under one key until nothing more can come of it.

    `run` sends it, with or without the word `again`, and returns `done` or the outcome that was told.
    """
    before = acted(sandbox, action)

    def made() -> int:
        return acted(sandbox, action) - before

    answers(sandbox, action, row, acts)
    first = run(False)
    listed = acts and action == "initiate_payment"
    # Where nothing may be asked for minutes, a client that counts for itself asks nothing.
    expected = ["unknown" if row.proves is None else "not_sent"]
    expected = (expected if row.empties_window else []) + ["done"] if listed else expected
    if row.proves is None:
        assert first in expected
        assert run(False) == first
        assert made() == int(acts)
    elif row.proves == "limited":
        assert first in expected
    elif listed:
        assert first == "done"  # its list shows it
        assert made() == 1
    elif not acts:
        assert first == "refused"
        assert run(False) == ("done" if row.proves == "described" else "refused")
        assert made() == int(row.proves == "described")
        if row.proves == "assumed":
            assert run(True) == "done"
            assert made() == 1
    elif row.proves == "assumed":
        assert first == "refused"  # false, as the assumptions say
        assert run(False) == "refused"
        assert made() == 1
