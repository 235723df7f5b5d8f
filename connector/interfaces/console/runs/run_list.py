"""Finds the runs that a person asks for, and tells each in one line. The search reads what is encrypted at rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from connector.core.data.localize import ZONE
from connector.core.manifest.model import Action
from connector.core.problems import Problem
from connector.core.service_facts import payment_states
from connector.core.values.written_dates import read_day
from connector.interfaces.console.console_context import ConsoleContext, NoCredential
from connector.interfaces.console.figures.spreadsheet_file import spreadsheet_file
from connector.interfaces.console.frame.input_facts import InputFacts, input_facts
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.runs.run_details import RunDetails, action_of, is_payment
from connector.interfaces.console.runs.run_standing import RunReader, Standing
from connector.runtime.requests import rights
from connector.store.runs import approvals, search
from connector.store.runs import payment_records as stored_states
from connector.store.runs.runs import KINDS, STATES, Run
from connector.store.runs.search import Wanted

if TYPE_CHECKING:
    from sqlalchemy import Connection

PAGE_SIZE, EXPORT_SIZE = 50, 5000
MAX_FACTS = 4


@dataclass(frozen=True, slots=True)
class Filters:
    """What a person asks for, as it stands in the address of the page."""

    text: str = ""
    state: str = ""
    action: str = ""
    kind: str = "write"
    since: str = ""
    until: str = ""
    before: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Filters:
        """Read them from an address; what is not known there is left out."""
        known = {name: given[name][:200] for name in cls.__slots__ if given.get(name)}
        return cls(**known)

    def as_query(self) -> dict[str, str]:
        """Return those that differ from the default, for the address."""
        plain = Filters()
        return {name: getattr(self, name) for name in self.__slots__ if getattr(self, name) != getattr(plain, name)}

    @property
    def readable(self) -> bool:
        """Whether its days are days: what cannot be read does not count as left empty."""
        return all(not day or _midnight(day) is not None for day in (self.since, self.until))

    def wanted(self) -> Wanted:
        """Return what the store is asked for."""
        until = _midnight(self.until)
        return Wanted(
            state=self.state if self.state in STATES else None,
            action=self.action or None,
            kind=next((kind for kind in KINDS if kind == self.kind), None),
            since=_midnight(self.since),
            until=until + timedelta(days=1) if until else None,
            before=self.before or None,
        )


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run in a list."""

    run: Run
    title: str
    facts: InputFacts
    standing: Standing

    @property
    def summary(self) -> str:
        """The first few inputs, which say what it is about."""
        return " · ".join([fact.value for fact in self.facts.facts if not fact.is_id][:MAX_FACTS])


async def find_runs(console: ConsoleContext, filters: Filters, localize: Localizer, limit: int) -> list[RunLine]:
    """Return the runs of the visitor's workspace, the newest first."""
    workspace, teller = await console.workspace(), _Teller(console, localize)
    try:
        credential_id: str | None = await console.credential_id()
    except NoCredential:
        credential_id = None
    words = filters.text.casefold().split()

    def matches(run: Run) -> bool:
        text = teller.searchable(run)
        return all(word in text for word in words)

    def read(connection: Connection) -> list[RunLine]:
        found = search.newest(connection, workspace, filters.wanted(), limit, matches if words else None)
        details = [_details(connection, console, run) for run in found]
        ids = [one.payment_id for one in details if one.payment_id and is_payment(console, one.action)]
        known = stored_states.statuses(connection, credential_id, ids) if ids and credential_id else {}
        return [teller.line(one, known.get(one.payment_id or "")) for one in details]

    return await console.read(read)


def as_csv(lines: list[RunLine], localize: Localizer, head: Iterable[Sequence[str]] = ()) -> bytes:
    """Return runs as a table for a spreadsheet, below the lines of `head`."""
    heads = [localize(f"runs_column_{name}") for name in ("at", "action", "about", "state", "who", "key", "id")]
    return spreadsheet_file([*head, heads, *(_cells(line, localize) for line in lines)], localize.lang)


def _cells(line: RunLine, localize: Localizer) -> list[str]:
    run = line.run
    about = "; ".join(f"{fact.label}: {fact.value}" for fact in line.facts.facts)
    who = run.person or run.actor or ""
    return [localize.moment(run.made_at), line.title, about, line.standing.word, who, run.key or "", run.id]


class _Teller:
    """Tells runs in one language."""

    def __init__(self, console: ConsoleContext, localize: Localizer) -> None:
        self._console, self._localize = console, localize
        self._reader = RunReader(localize, console.connector.library, payment_states())

    def line(self, one: RunDetails, payment: str | None) -> RunLine:
        standing = self._reader.standing(one, payment, is_payment=is_payment(self._console, one.action))
        return RunLine(one.run, self._title(one.action, one.run), self._facts(one.action, one.run), standing)

    def searchable(self, run: Run) -> str:
        action = action_of(self._console, run)
        seen = _visible(self._console, run)
        parts = [self._title(action, run), run.id, run.key, run.person, run.actor, self._facts(action, seen).text]
        output = seen.outcome.get("output") if isinstance(seen.outcome, dict) else None
        parts.append(str(output) if output is not None else "")
        return " ".join(str(part or "") for part in parts).casefold()

    def _title(self, action: Action | None, run: Run) -> str:
        return self._localize.of(action.title) if action is not None else run.action

    def _facts(self, action: Action | None, run: Run) -> InputFacts:
        return input_facts(action.inputs if action is not None else (), run.inputs, self._localize)


def _details(connection: Connection, console: ConsoleContext, run: Run) -> RunDetails:
    approval = approvals.find(connection, run.id) if run.state in {"awaiting_approval", "rejected", "expired"} else None
    unresolved = run.is_unresolved(console.state.context.now())
    return RunDetails(_visible(console, run), action_of(console, run), approval, (), unresolved=unresolved)


def _visible(console: ConsoleContext, run: Run) -> Run:
    return rights.visible_run(console.actor, run, console.connector.actions, console.connector.moving_paths)


def _midnight(day: str) -> datetime | None:
    try:
        return datetime.combine(read_day(day), time(), ZoneInfo(ZONE))
    except (Problem, OverflowError):
        return None
