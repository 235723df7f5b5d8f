"""Reads the JSON Lines record of a history into operations, answers and executions, for the rules of the checker.

Nothing of the connector is imported here: the checker has its own idea of what was asked, done and told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

PAYMENT, CASH_BOOK, PERSON = "initiate_payment", "create_cash_book_entry", "save_person_account"
PATHS = {
    "/v2/banking/payments": PAYMENT,
    "/v2/ledger-duo/kassenbuch-advanced": CASH_BOOK,
    "/v2/ledger-rewe/personenkonto": PERSON,
}
"""The path at the service of each action that the clients use."""
KEY_NAME = "kontor_key"
"""The custom field in which a payment carries its key."""
NOTHING_DONE = ("not_sent", "refused")
"""The outcomes that say that the service did not act."""
ASSUMED = "assumed"
"""A refusal that says of itself that nothing proves it."""
WAITS = "waits"
"""Nothing is sent before another person has approved it."""
STOPPING = ("stop_host", "postgres_frozen", "file_deleted")


@dataclass(frozen=True)
class Answer:
    """What a client heard of an operation."""

    at: float
    heard: str
    """`ok`, `error`, or `nothing` when the client was cut off."""
    reached: bool
    """Whether the operation may have reached Kontor at all."""
    exit: int | None
    status: int | None
    document: Mapping[str, Any]

    @property
    def error(self) -> Mapping[str, Any]:
        """The error as the public surface shows it: nested on the command line, flat over HTTP."""
        nested = self.document.get("error")
        return nested if isinstance(nested, Mapping) else self.document

    @property
    def outcome(self) -> str | None:
        return None if self.heard != "error" else self.error.get("outcome")

    @property
    def kind(self) -> str | None:
        return None if self.heard != "error" else self.error.get("kind")

    @property
    def is_conflict(self) -> bool:
        """Whether the key was said to belong to other inputs."""
        return self.kind == "input" and self.error.get("field") == "key"

    @property
    def output(self) -> Mapping[str, Any]:
        return self.document.get("output") or {}

    @property
    def replayed(self) -> bool:
        return bool(self.document.get("replayed"))


@dataclass(frozen=True)
class Operation:
    """One call of an action by a client."""

    number: int
    lane: str
    action: str
    key: str | None
    mark: str
    """A text in the inputs that stands for them: operations with the same inputs have the same mark."""
    amount: Decimal | None
    again: bool
    final: bool
    at: float
    answer: Answer | None

    @property
    def name(self) -> str:
        what = f"key {self.key}" if self.key else f"no key, {self.mark}"
        return f"operation {self.number} ({self.lane}, {self.action}, {what})"

    @property
    def told(self) -> str:
        """What was told, in one word: ok, waits, not_sent, refused, assumed, unknown or nothing."""
        if self.answer is None or self.answer.heard == "nothing":
            return "nothing"
        if self.answer.outcome == "refused" and self.answer.error.get("proof") == ASSUMED:
            return ASSUMED
        if self.answer.heard == "ok" and self.answer.document.get("state") == "awaiting_approval":
            return WAITS
        return "ok" if self.answer.heard == "ok" else str(self.answer.outcome)


@dataclass(frozen=True)
class Execution:
    """A write that the service executed."""

    sequence: int
    action: str
    arrived: float
    executed: float
    mark: str
    amount: Decimal | None
    custom_fields: Mapping[str, Any]
    result: Mapping[str, Any]

    @property
    def payment_id(self) -> str | None:
        return (self.result.get("data") or {}).get("id") if self.action == PAYMENT else None

    @property
    def name(self) -> str:
        return f"execution {self.sequence} ({self.action}, {self.mark})"


@dataclass(frozen=True)
class Decision:
    """What a person decided about a payment that needs an approval."""

    at: float
    mark: str
    what: str
    """`approves` is recorded before it is said; `rejected` and `revoked` (asker or approver) when that is in force."""


@dataclass
class History:
    """All that was recorded."""

    operations: list[Operation] = field(default_factory=list)
    executions: list[Execution] = field(default_factory=list)
    restores: list[tuple[float, float]] = field(default_factory=list)
    """When the backup was begun that was put back, and when it was in place."""
    list_settings: list[tuple[float, float, bool]] = field(default_factory=list)
    """From when on the payments list lagged by how many seconds, and whether it hid custom fields."""
    policies: list[float] = field(default_factory=list)
    """When large payments began to need an approval."""
    need_approval: list[str] = field(default_factory=list)
    """The marks of payments that do."""
    decisions: list[Decision] = field(default_factory=list)
    stopped: list[tuple[float, float]] = field(default_factory=list)
    """When faults acted that stop a host or its database in the middle of what it does."""
    runs: list[Mapping[str, Any]] = field(default_factory=list)
    """The runs as listed at the end, each with its `state`."""
    unknown_runs: list[str] = field(default_factory=list)
    """The ids of the runs that a host lists as unknown at the end."""
    complete: bool = False

    def by_key(self) -> dict[str, list[Operation]]:
        groups: dict[str, list[Operation]] = defaultdict(list)
        for operation in self.operations:
            if operation.key is not None:
                groups[operation.key].append(operation)
        return groups

    def keyless_by_mark(self) -> dict[str, list[Operation]]:
        groups: dict[str, list[Operation]] = defaultdict(list)
        for operation in self.operations:
            if operation.key is None:
                groups[operation.mark].append(operation)
        return groups

    def executions_of(self, operations: Iterable[Operation]) -> list[Execution]:
        marks = {operation.mark for operation in operations}
        return sorted(
            (execution for execution in self.executions if execution.mark in marks),
            key=lambda execution: execution.arrived,
        )

    def executed_under(self, key: str) -> list[Execution]:
        """Return the executions of a key. Where other keys have the same inputs, payments are told apart by the key
        that they carry, and bookings not at all: they are left out."""
        attempts = [operation for operation in self.operations if operation.key == key]
        shared = {operation.mark for operation in self.operations if operation.key != key} & {
            operation.mark for operation in attempts
        }
        return [
            execution
            for execution in self.executions_of(attempts)
            if execution.mark not in shared or execution.custom_fields.get(KEY_NAME) == key
        ]

    def decisions_about(self, mark: str) -> list[Decision]:
        return [decision for decision in self.decisions if decision.mark == mark]

    def parked(self) -> list[Mapping[str, Any]]:
        """Return the runs of unknown outcome, and those still being sent by a process that has died: these are listed
        as unknown when they have not changed for two minutes."""
        return [run for run in self.runs if run.get("state") in ("unknown", "sending")]


def read(lines: Iterable[Mapping[str, Any]]) -> History:
    """Build the history from the records of its file."""
    history = History()
    invoked: dict[int, Mapping[str, Any]] = {}
    answers: dict[int, Answer] = {}
    backup: float | None = None
    for line in lines:
        match line["event"]:
            case "invoke":
                invoked[line["op"]] = line
            case "answer":
                answers[line["op"]] = _answer(line)
            case "execution":
                history.executions.append(execution_from(line))
            case "backup":
                backup = line["at"]
            case "restored":
                history.restores.append((backup if backup is not None else 0.0, line["at"]))
            case "list":
                history.list_settings.append((line["at"], float(line["lag"]), bool(line["hidden"])))
            case "policy":
                history.policies.append(line["at"])
            case "needs_approval":
                history.need_approval.append(line["mark"])
            case "decision":
                history.decisions.append(Decision(line["at"], line["mark"], line["what"]))
            case "fault" if line["name"] in STOPPING and line["phase"] == "begins":
                history.stopped.append((line["at"], float("inf")))
            case "fault" if line["name"] in STOPPING:
                history.stopped[-1] = (history.stopped[-1][0], line["at"])
            case "runs":
                history.runs += line["runs"]
            case "unknown_runs":
                history.unknown_runs += line["ids"]
            case "end":
                history.complete = True
    history.operations = list(_operations(invoked, answers))
    return history


def _operations(invoked: Mapping[int, Mapping[str, Any]], answers: Mapping[int, Answer]) -> Iterator[Operation]:
    for number, line in sorted(invoked.items()):
        yield Operation(
            number=number,
            lane=line["lane"],
            action=line["action"],
            key=line["key"],
            mark=line["mark"],
            amount=_decimal(line["amount"]),
            again=line["again"],
            final=line["final"],
            at=line["at"],
            answer=answers.get(number),
        )


def _answer(line: Mapping[str, Any]) -> Answer:
    return Answer(
        line["at"], line["heard"], line["reached"], line.get("exit"), line.get("status"), line.get("document") or {}
    )


def execution_from(line: Mapping[str, Any]) -> Execution:
    body = line["body"]
    action = PATHS[line["path"]]
    if action == PAYMENT:
        mark, amount = body.get("description"), body.get("amount")
    elif action == CASH_BOOK:
        mark, amount = body["belegzeilen"][0].get("belegtext"), body.get("betrag")
    else:
        mark, amount = body.get("firmenname"), None
    return Execution(
        sequence=line["sequence"],
        action=action,
        arrived=line["arrived"],
        executed=line["executed"],
        mark=str(mark),
        amount=_decimal(amount),
        custom_fields=body.get("custom_fields") or {},
        result=line["result"],
    )


def _decimal(value: Any) -> Decimal | None:
    return None if value is None else Decimal(str(value))
