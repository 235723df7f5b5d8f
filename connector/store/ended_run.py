"""The outcome of a run that was made, and its entry in the audit log if it has none yet.

For PostgreSQL both are one statement, which also takes many such runs at once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, text

from connector.store import audit, runs
from connector.store.audit_key import cached_key
from connector.store.compiled_statement import CompiledStatement
from connector.store.direct_change import DirectChange, sealed

NewEntry = Callable[[], audit.NewRow]
"""Makes the entry, in the thread that writes it."""
AUDIT = "audit_"
"""Begins the names of the parameters of an entry."""

_UPDATE = (
    "UPDATE runs SET state = one.to_state, outcome = one.with_outcome, changed_at = one.at"
    " FROM unnest(CAST(:of_id AS text[]), CAST(:of_owner AS text[]), CAST(:to_state AS text[]),"
    " CAST(:with_outcome AS text[]), CAST(:at AS double precision[]))"
    " AS one (of_id, of_owner, to_state, with_outcome, at)"
    " WHERE runs.id = one.of_id AND runs.owner = one.of_owner AND runs.state IN ('sending', 'claimed', 'unknown')"
)
_COLUMNS = (*audit.SIGNED, audit.SIGNATURE)
_VALUES = ", ".join(f"CAST(:{AUDIT}{name} AS {'double precision' if name == 'at' else 'text'}[])" for name in _COLUMNS)
_END = CompiledStatement(postgresql=text(_UPDATE))
_END_AND_TELL = CompiledStatement(
    postgresql=text(
        f"WITH ended AS ({_UPDATE}) INSERT INTO audit ({', '.join(_COLUMNS)})"  # noqa: S608 - names of columns
        f" SELECT * FROM unnest({_VALUES}) ON CONFLICT DO NOTHING"
    )
)


def ending(run: runs.NewRun, state: runs.State, outcome: Any, now: datetime, entry: NewEntry | None) -> DirectChange:
    """Return the change that records the outcome and writes the entry, where nobody asks whether it did."""
    values = partial(runs.outcome_of, run, state, outcome, now)
    return DirectChange(
        partial(_end, values=values, entry=entry),
        _END if entry is None else _END_AND_TELL,
        partial(_parameters, values=values, entry=entry),
        takes_many=True,
    )


def _end(connection: Connection, values: Callable[[], dict[str, Any]], entry: NewEntry | None) -> None:
    runs.finish_with(connection, values())
    if entry is not None:
        audit.insert_row(connection, entry())


def _parameters(
    connection: Connection, values: Callable[[], dict[str, Any]], entry: NewEntry | None
) -> dict[str, Any] | None:
    ended = sealed(connection, values(), runs.OUTCOME)
    if ended is None or entry is None:
        return ended
    key = cached_key(connection)
    if key is None:
        return None
    return ended | {f"{AUDIT}{name}": value for name, value in audit.signed(entry(), key).items()}
