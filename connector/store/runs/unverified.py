"""What grants something and does not verify: all of it, since when that is known, and how it is cleared.

| what | cleared |
|---|---|
| token | revoked, or deleted where it was inserted; approvals that its holder has asked for or given lapse |
| policy | replaced by one that allows no payment, until an admin sets it |
| approval, or what its run would send | expires, and its run with it |
| workspace, API key of a workspace | as the register knows it; deleted where it was inserted |
| stored API key | revoked and erased, or deleted where it was inserted |
| target of a subscription | the subscription ends |
| what was paid on a day | counts as it stands now |
| the register itself | begins anew without what does not verify, which is then shown; no workspace pays |

Clearing never grants what was not granted before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, or_, select, union

from connector.core.callers import CallSource
from connector.core.errors import RightMissing
from connector.core.messages import say
from connector.core.writes.policy import ClosedPolicy
from connector.store.database.statements import insert_if_absent
from connector.store.runs import approvals, payment_records, runs
from connector.store.schema import approvals as approval_table
from connector.store.schema import credentials as credential_table
from connector.store.schema import policies, rights_noticed, rights_register, tokens, workspace_keys, workspaces
from connector.store.triggers import subscriptions
from connector.store.trust import audit, credentials, register_rows
from connector.store.trust import rights_register as register
from connector.store.trust import workspaces as workspace_store
from connector.store.trust.audit_sendings import policy_told
from connector.store.trust.granting_rows import (
    APPROVALS,
    CREDENTIALS,
    KINDS,
    PAYMENT_DAYS,
    POLICIES,
    TARGETS,
    TOKENS,
    WORKSPACE_KEYS,
    WORKSPACES,
    Kind,
)
from connector.store.trust.rights_register import Finding

RUNS = "runs"
"""The kind of what a run that waits for approval would send."""
BY_NAME: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
CLEARED = "cleared"
MAX_SUBJECT = 300


def all_findings(connection: Connection, workspace: str | None = None) -> list[Finding]:
    """Return whatever does not verify; for one workspace, of others perhaps less."""
    found = {one.subject: one for one in register.findings(connection)}
    for home, day in payment_records.altered_days(connection, workspace):
        one = Finding("altered", PAYMENT_DAYS.name, (home, day), home)
        found.setdefault(one.subject, one)
    for approval in approvals.in_state(connection, "open", workspace):
        run = runs.find(connection, approval.workspace, approval.run)
        if run is None or run.is_altered:
            one = Finding("missing" if run is None else "altered", RUNS, (approval.run,), approval.workspace)
            found.setdefault(one.subject, one)
    return list(found.values())


def note(connection: Connection, found: Iterable[Finding], now: datetime) -> None:
    """Remember since when these are known, and forget what verifies again."""
    subjects = {one.subject[:MAX_SUBJECT] for one in found}
    connection.execute(delete(rights_noticed).where(rights_noticed.c.subject.not_in(subjects)))
    for subject in subjects:
        insert_if_absent(connection, rights_noticed, {"subject": subject, "noticed_at": now.timestamp()})


def noticed(connection: Connection) -> dict[str, datetime]:
    """Return since when what does not verify is known, by its subject."""
    rows = connection.execute(select(rights_noticed))
    return {row.subject: datetime.fromtimestamp(row.noticed_at, UTC) for row in rows}


def clear(connection: Connection, found: Finding, by: CallSource, now: datetime) -> str:
    """Let a row that does not verify grant nothing and be shown no more; return what became of it."""
    became = _clear(connection, found, by, now)
    details = {"kind": found.kind, "reason": found.reason, "became": became}
    home = found.workspace or None
    audit.record_by(
        connection, by, workspace=home, what="rights.cleared", subject=found.subject, details=details, now=now
    )
    return became


def _clear(connection: Connection, found: Finding, by: CallSource, now: datetime) -> str:
    if found.kind == rights_register.name:
        return _begin_anew(connection, by, now)
    if found.kind in {APPROVALS.name, RUNS}:
        return _expire(connection, found.identity[0], now)
    kind, identity = BY_NAME[found.kind], found.identity
    if kind is POLICIES:
        return _close(connection, identity[0], by, now)
    if kind is PAYMENT_DAYS:
        payment_records.seal_day(connection, *identity)
        return "counted"
    if kind is TARGETS and found.reason != "missing":
        subscriptions.end(connection, identity[0], CLEARED, now)
        return "ended"
    if kind is TOKENS:
        _lapse_approvals(connection, identity, now)
    if found.reason == "altered" and kind is TOKENS:
        register.end(connection, kind, identity, {"revoked_at": now.timestamp()})
        return "revoked"
    if found.reason == "altered" and kind is CREDENTIALS:
        values = {"revoked_at": now, "sealed_key": credentials.ERASED, "chosen_at": None}
        register.end(connection, kind, identity, values)
        return "revoked"
    if found.reason != "inserted" and kind in {WORKSPACES, WORKSPACE_KEYS}:
        register.put(connection, kind, _as_known(kind, found, now))
        return "restored"
    register.remove(connection, kind, identity)
    return "deleted"


def _as_known(kind: Kind, found: Finding, now: datetime) -> dict[str, Any]:
    at = now.timestamp()
    if kind is WORKSPACES:
        return {"name": found.identity[0], "made_at": at}
    return {"fingerprint": found.identity[0], "workspace": found.workspace, "added_at": at, "organization": None}


def _expire(connection: Connection, run: str, now: datetime) -> str:
    """Let nobody decide about a run any more."""
    if not register.end(connection, APPROVALS, (run,), {"state": "expired"}):
        register.remove(connection, APPROVALS, (run,))
    remedy = say("approval_again_remedy")
    refusal = RightMissing(say("approval_lapsed", id=run), remedy=remedy, outcome="not_sent", reason="expired")
    runs.end_waiting(connection, run, "expired", refusal.as_dict(), now)
    return "expired"


def _lapse_approvals(connection: Connection, token: tuple[str, ...], now: datetime) -> None:
    """End what waits and was asked for or approved with a token: who is behind it is not sure any more."""
    home, name = token
    by = or_(approval_table.c.asked_by == name, approval_table.c.decided_by == name)
    own = (by, approval_table.c.state.in_(("open", "approved")))
    where = (*own, approval_table.c.workspace == home) if home else own
    for run in connection.execute(select(approval_table.c.run).where(*where)).scalars().all():
        _expire(connection, run, now)


def _begin_anew(connection: Connection, by: CallSource, now: datetime) -> str:
    """Begin the register anew with what verifies of it, and close every policy: what was set is not sure any more."""
    register_rows.begin_anew(connection)
    names = (
        *(select(workspaces.c.name), select(policies.c.workspace), select(tokens.c.workspace)),
        *(select(workspace_keys.c.workspace), select(credential_table.c.workspace)),
    )
    for workspace in connection.execute(union(*names)).scalars().all():
        if workspace:
            _close(connection, workspace, by, now)
    return "begun"


def _close(connection: Connection, workspace: str, by: CallSource, now: datetime) -> str:
    """Set a policy that allows no payment."""
    policy = ClosedPolicy()
    workspace_store.save_policy(connection, workspace, policy, now)
    details = {"changed": [], "policy": policy_told(policy)}
    audit.record_by(connection, by, workspace=workspace, what="policy.changed", details=details, now=now)
    return "closed"
