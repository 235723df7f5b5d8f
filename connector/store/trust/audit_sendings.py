"""Matches every write that was sent to its policy and its approval, by what the audit log itself says of them.

| what is missing | what it means |
|---|---|
| sent | the database has a run that was sent, and the log has no entry of that |
| approval | the policy of that moment wanted another person's yes, and there is none, or it had lapsed |
| digest | what was approved is another request than what was sent |
| person | whoever asked has approved it |
| policy | it was sent under a policy that the log does not know |

Entries that older versions have written do not say enough: what can neither be matched nor be found wrong is counted as
not known. Clocks of hosts differ a little, so a policy counts for some minutes around its time.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from sqlalchemy import Connection, RowMapping, select

from connector.core.writes.policy import CURRENCY, Money, PaidBefore, Policy
from connector.store.schema import UNSEALED, audit, runs

Missing = Literal["sent", "approval", "digest", "person", "policy"]
AMOUNTS = ("most_each", "most_per_day", "most_per_payee", "approve_above")
SENT_STATES = ("sending", "done", "unknown", "settled")
"""States of runs that were sent, if any request of theirs may have reached the service."""
ENDS = ("run.rejected", "run.withdrawn", "run.expired", "run.void")
"""After these, nothing of a run is sent any more."""
NOT_MADE = ("run.refused", "run.cancelled", *ENDS)
CLOCKS_DIFFER = 300.0
"""Seconds by which the times of two entries may be wrong, to one another."""
MAX_WAIT = 3600.0
"""Seconds for which a write may wait after its policy was read, where nothing is paid."""
MAX_FINDINGS = 100
READ = frozenset(("policy.changed", "run.asked", "run.approved", "run.released", "run.sent", "run.settled", *NOT_MADE))


def policy_told(policy: Policy) -> dict[str, Any]:
    """Return a policy as the log keeps it: whole, but of the payees only how many there are."""
    return {**policy.as_dict(), "known_payees": len(policy.known_payees)}


def policy_digest(told: Mapping[str, Any]) -> str:
    """Return what a policy is known by, from what the log keeps of it; what is as usual is no part of it."""
    usual = policy_told(Policy())
    plain = {name: _plain(name, value) for name, value in told.items()}
    kept = {name: value for name, value in plain.items() if value != _plain(name, usual.get(name))}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, default=str).encode()).hexdigest()


def _plain(name: str, value: Any) -> Any:
    return format(Decimal(str(value)).normalize(), "f") if name in AMOUNTS and value is not None else value


@dataclass(frozen=True, slots=True)
class SendingFinding:
    """A run that was sent, and what is missing for that."""

    run: str
    missing: Missing


@dataclass(frozen=True, slots=True)
class Sendings:
    """What was found out about the writes of a workspace."""

    checked: int
    """How many have all that they need."""
    not_known: int
    """How many nobody can tell of, since older versions have recorded them."""
    findings: tuple[SendingFinding, ...]


@dataclass(slots=True)
class _Entry:
    """What is needed of an entry."""

    what: str
    subject: str
    at: float
    actor: str
    person: str
    details: Mapping[str, Any]
    place: int
    """In the order of the log."""


@dataclass(slots=True)
class SendingsCheck:
    """Takes the entries of a chain, and says in the end what is missing."""

    workspace: str
    recorded: frozenset[str]
    """The runs that the database says were sent, read before the entries are."""
    since: Mapping[str, float]
    """When those were made."""
    _policies: list[tuple[float, str | None, Policy]] = field(default_factory=list)
    _of_run: dict[str, list[_Entry]] = field(default_factory=lambda: defaultdict(list))
    _sent: list[_Entry] = field(default_factory=list)
    _first_at: float | None = None

    @classmethod
    def of(cls, connection: Connection, workspace: str) -> SendingsCheck:
        """Begin to check a workspace."""
        was_sent = select(runs.c.id, runs.c.made_at).where(
            runs.c.workspace == workspace, runs.c.sendings >= 1, runs.c.state.in_(SENT_STATES)
        )
        since = {row.id: row.made_at for row in connection.execute(was_sent)}
        return cls(workspace, frozenset(since), since)

    def look_at(self, row: RowMapping) -> None:
        """Take in an entry that is signed."""
        if self._first_at is None:
            self._first_at = row["at"]
        if row["what"] not in READ:
            return
        details = json.loads(row["details"])
        entry = _Entry(row["what"], row["subject"], row["at"], row["actor"], row["person"], details, len(self._sent))
        if entry.what == "policy.changed":
            self._policies.append((entry.at, *_policy_in(details)))
            return
        self._of_run[entry.subject].append(entry)
        if entry.what == "run.sent":
            self._sent.append(entry)

    def result(self, connection: Connection) -> Sendings:
        """Say what was found out."""
        self._policies.sort(key=lambda one: one[0])
        findings, not_known, checked = list[SendingFinding](), 0, 0
        unsealed = select(audit.c.subject).where(
            UNSEALED, audit.c.workspace == self.workspace, audit.c.what == "run.sent"
        )
        told = {entry.subject for entry in self._sent} | set(connection.execute(unsealed).scalars())
        for run in sorted(self.recorded - told):
            if self._first_at is None or self.since[run] < self._first_at:
                not_known += 1
            else:
                findings.append(SendingFinding(run, "sent"))
        unapproved = self._unapproved()
        used = Counter[tuple[str, str]]()
        for entry in self._sent:
            missing = self._missing(entry, unapproved, used)
            if missing is None:
                not_known += 1
            elif missing:
                findings.append(SendingFinding(entry.subject, missing))
            else:
                checked += 1
        return Sendings(checked, not_known, tuple(findings[:MAX_FINDINGS]))

    def _missing(
        self, sent: _Entry, before: _Unapproved, used: Counter[tuple[str, str]]
    ) -> Missing | Literal[""] | None:
        """Return what is missing, empty when nothing is, None when nobody can tell."""
        digest = sent.details.get("digest")
        if digest is None:
            return None
        policies = list(self._in_force(sent))
        known = [policy for told, policy in policies if told is not None]
        if "policy" in sent.details:
            known = [policy for told, policy in policies if told == sent.details["policy"]]
            if not known:
                return None if any(told is None for told, _ in policies) else "policy"
        if sent.details.get("approved"):
            return self._approved(sent, known, before, used)
        if not known and sent.details.get("agent"):
            return None
        return "approval" if known and all(before.reasons(sent, policy) for policy in known) else ""

    def _approved(
        self, sent: _Entry, known: Sequence[Policy], before: _Unapproved, used: Counter[tuple[str, str]]
    ) -> Missing | Literal[""] | None:
        own, digest = self._of_run[sent.subject], str(sent.details["digest"])
        said = [entry for entry in own if entry.what == "run.approved"]
        right = [entry for entry in said if entry.details.get("digest") == digest]
        ended = [entry for entry in own if entry.what in ENDS and sent.at - entry.at > CLOCKS_DIFFER]
        if ended and not any(entry.at > ended[-1].at for entry in right):
            return "approval"
        if len(right) > used[sent.subject, digest]:
            used[sent.subject, digest] += 1
            asked = [entry for entry in own if entry.what == "run.asked"]
            if not asked:
                return None
            return "" if any(_is_another(asked[-1], entry) for entry in right) else "person"
        released = [entry for entry in own if entry.what == "run.released"]
        if released and "digest" not in released[-1].details:
            return None
        if any(entry.details["digest"] == digest for entry in released):
            attended = replace(sent, details={**sent.details, "agent": False})
            return "approval" if known and all(before.reasons(attended, one) for one in known) else ""
        return "digest" if said and not right else "approval"

    def _in_force(self, sent: _Entry) -> Iterator[tuple[str | None, Policy]]:
        """Yield the policies that may have been in force: digest, None where it is not known, and values."""
        earliest = sent.at - (CLOCKS_DIFFER if "policy" in sent.details else MAX_WAIT)
        before = [one for one in self._policies if one[0] < earliest]
        around = [one for one in self._policies if earliest <= one[0] <= sent.at + CLOCKS_DIFFER]
        if before:
            around.insert(0, before[-1])
        else:
            yield policy_digest({}), Policy()
            yield from [(None, Policy())] if not around else []  # set before the log began
        for _, told, policy in around:
            yield told, policy

    def _unapproved(self) -> _Unapproved:
        sums = _Unapproved()
        for entry in self._sent:
            ends = [one for one in self._of_run[entry.subject] if _says_not_made(one) and one.at >= entry.at - 1]
            ended = min((one.at for one in ends), default=None)
            if entry.details.get("currency") == CURRENCY and not entry.details.get("approved"):
                sums.add(entry, ended)
        return sums


@dataclass(slots=True)
class _Unapproved:
    """Payments in EUR that nobody else has approved, each with when it was said that it was not made."""

    _by_payee: dict[tuple[str, str, str], list[tuple[_Entry, float | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, entry: _Entry, ended: float | None) -> None:
        """Take one in."""
        for key in _payees(entry):
            self._by_payee[key].append((entry, ended))

    def reasons(self, sent: _Entry, policy: Policy) -> Collection[str]:
        """Return why a policy wants a write approved, from what the log says."""
        details = sent.details
        agent = str(details.get("action")) if details.get("agent") else None
        try:
            money = Money(Decimal(details["amount"]), str(details.get("currency")), "")
        except (KeyError, InvalidOperation):
            return policy.approval_reasons(None, unattended_agent=agent)
        before = PaidBefore(Decimal(0), self._sum_before(sent), bool(details.get("changed_payee")))
        return policy.approval_reasons(money, unattended_agent=agent, before=before)

    def _sum_before(self, sent: _Entry) -> Decimal:
        """Return what went to the same payee on the day, by the IBAN or the name."""
        same = {
            other.place: Decimal(other.details["amount"])
            for key in _payees(sent)
            for other, ended in self._by_payee[key]
            if other.place < sent.place
            and other.subject != sent.subject
            and (ended is None or ended > sent.at + CLOCKS_DIFFER)
        }
        return sum(same.values(), Decimal(0))


def _payees(entry: _Entry) -> list[tuple[str, str, str]]:
    details = entry.details
    return [(str(details.get("day")), name, details[name]) for name in ("payee", "payee_name") if details.get(name)]


def _policy_in(details: Mapping[str, Any]) -> tuple[str | None, Policy]:
    told = details.get("policy")
    if not isinstance(told, Mapping):
        return None, Policy()
    values: dict[str, Any] = {name: None if told.get(name) is None else Decimal(str(told[name])) for name in AMOUNTS}
    values |= {"agents": tuple(told.get("agents") or ()), "changed_payees": told.get("changed_payees") or "warn"}
    return policy_digest(told), Policy(**values)


def _says_not_made(entry: _Entry) -> bool:
    return entry.what in NOT_MADE or (entry.what == "run.settled" and entry.details.get("happened") is False)


def _is_another(asked: _Entry, said: _Entry) -> bool:
    """Whether another person has approved than the one who asked; of an agent, with another token."""
    if asked.details.get("reasons") == ["agent"]:
        return asked.actor != said.actor
    return asked.actor != said.actor and _person(asked) != _person(said)


def _person(entry: _Entry) -> str:
    return " ".join((entry.person or entry.actor).split()).casefold()
