"""Diagnoses a credential with read-only calls, which are free unless paid ones are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Connection, and_, select

from connector.core.data import localize
from connector.core.errors import KontorError, ReconnectNeeded, RightMissing, ServiceDown
from connector.core.messages import Text, say
from connector.core.service.credential import hidden_in_words, hide_hook_token, hide_paths
from connector.core.values import json
from connector.store.schema import runs
from connector.store.triggers import hooks
from connector.store.trust import credentials
from connector.store.trust.sealing import opened

if TYPE_CHECKING:
    from connector.runtime.connector import Connector
    from connector.runtime.session import Session

_TOKEN = re.compile(r"/hooks/([^/?#]+)$")


def is_hosts_own(connection: Connection, fingerprint: str, url: str) -> bool:
    """Whether it is the URL under which a host on this database takes the events of an API key."""
    found = _TOKEN.search(url)
    hook = hooks.by_token(connection, hooks.digest(found[1])) if found else None
    return hook is not None and credentials.fingerprint_of(connection, hook.credential_id) == fingerprint


def is_set_here(connection: Connection, connector: Connector, fingerprint: str, url: str) -> bool:
    """Whether the URL is the host's own, or was last set from here by a run."""
    return is_hosts_own(connection, fingerprint, url) or _last_set(connection, connector, fingerprint) == url


def shown_url(url: str, *, own: bool) -> str:
    """Return the URL without what lets others send or read events: the host's token, or a foreign path."""
    return hide_hook_token(url) if own else str(hide_paths(url))


def _last_set(connection: Connection, connector: Connector, fingerprint: str) -> str | None:
    action = connector.roles["webhook_url_set"]
    mine = and_(runs.c.credential == fingerprint, runs.c.action == action, runs.c.state == "done")
    newest = connection.execute(
        select(runs.c.id, runs.c.inputs).where(mine).order_by(runs.c.id.desc()).limit(1)
    ).first()
    url = None if newest is None else json.decode(opened(connection, newest.inputs, newest.id)).get("webhook_url")
    return None if url is None else str(url)


MODULES = ("duo", "rewe")
PROBED_MODULE = "rewe"
"""The permission probe works on this module's ledger connections."""
STATUS_ERRORS: dict[str, type[KontorError]] = {
    "permission": RightMissing,
    "expired": ReconnectNeeded,
    "error": ServiceDown,
}
STATUSES = (*STATUS_ERRORS, "unknown")
REQUESTS = 1 + len(MODULES) + 1
"""How many requests the free checks make: the key, the ledger connections of each module, the webhook URL."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    topic: str
    state: Literal["ok", "note", "problem"]
    message: Text
    remedy: Text | None = None
    error: KontorError | None = None
    details: Any = None


def examine(
    connector: Connector, session: Session, *, rights: bool = False, only_free_lists: bool = False
) -> Iterator[Finding]:
    """Run all checks and yield their findings. `rights`: probe permissions even at a cost.

    `only_free_lists`: make no more than `REQUESTS` requests, so without probing rights, unless they were asked for.
    """
    key = _key(session)
    yield key
    if key.state == "ok":  # otherwise all further calls would fail the same way
        found: dict[str, list[Any]] = {}
        for module in MODULES:
            yield _ledger_connections(connector, session, module, found)
        if rights or not only_free_lists:
            yield from _rights(connector, session, found.get(PROBED_MODULE, []), paid=rights)
        yield _webhook_url(connector, session)
    yield _credits(connector, session)
    yield _rate_window(session)
    yield _wire_names(session)


def _key(session: Session) -> Finding:
    try:
        seen = session.test()
    except KontorError as error:
        return _problem("credential", error)
    return Finding("credential", "ok", say("doctor_key", host=session.credential.base_url, accounts=seen["accounts"]))


def _name(connector: Connector, module: str) -> Text:
    """Return what a module is called, as the form of the list of ledger connections calls it."""
    inputs = connector.action_for("ledger_connection_list").inputs
    choices = (choice for field in inputs for choice in field.values if choice.value == module)
    return next((choice.label for choice in choices), Text(module, module))


def _ledger_connections(connector: Connector, session: Session, module: str, found: dict[str, list[Any]]) -> Finding:
    topic = "ledger connections"
    try:
        rows = session.invoke(session.id_for("ledger_connection_list"), {"module": module}).output["items"]
    except KontorError as error:
        return _problem(topic, error)
    found[module] = [row for row in rows if row.get("status") == "connected"]
    pending = len(rows) - len(found[module])
    message = say("doctor_ledger_connections", module=_name(connector, module), count=len(rows), pending=pending)
    remedy = say("doctor_pending_remedy") if pending else None
    return Finding(topic, "ok" if rows and not pending else "note", message, remedy, details={module: rows})


def _rights(connector: Connector, session: Session, connected: list[Any], *, paid: bool) -> Iterator[Finding]:
    cost = connector.action_for("permission_probe").cost.credits
    if not connected:
        return
    if cost and not paid:
        yield Finding(
            "rights", "note", say("doctor_rights_cost", cost=localize.in_both(localize.credits, cost * len(connected)))
        )
        return
    findings = [finding for row in connected for finding in _rights_of(session, row)]
    # A missing right is a problem only when no ledger connection is usable; otherwise it is a note.
    none_usable = not any(finding.state == "ok" for finding in findings)
    for finding in findings:
        yield finding if finding.state != "problem" or none_usable else _as_note(finding)


def _rights_of(session: Session, row: Mapping[str, Any]) -> Iterator[Finding]:
    name = str(row.get("bezeichnung") or row.get("id"))
    try:
        probe = session.invoke(session.id_for("permission_probe"), {"ledger_connection": row.get("id")})
    except KontorError as error:
        message = say("doctor_rights_failed", name=name, why=error.message)
        yield Finding("rights", "problem", message, error.remedy, error=error)
        return
    entries = probe.output["items"]
    yielded = False
    for status in STATUSES:
        areas = [entry for entry in entries if _status(entry) == status]
        if areas:
            yielded = True
            yield _right_missing(name, status, areas)
    if not yielded:
        yield Finding("rights", "ok", say("doctor_rights_ok", name=name, count=len(entries)), details=entries)


def _status(entry: Mapping[str, Any]) -> str:
    status = str(entry.get("status"))
    return status if status in {"ok", *STATUSES} else "unknown"


def _right_missing(name: str, status: str, entries: list[Any]) -> Finding:
    areas = ", ".join(str(entry.get("area")) for entry in entries)
    message = say(f"doctor_rights_{status}", name=name, areas=areas)
    remedy = say(f"doctor_rights_{status}_remedy")
    if status not in STATUS_ERRORS:
        return Finding("rights", "note", message, remedy, details=entries)
    error = STATUS_ERRORS[status](message, remedy=remedy, details=entries)
    return Finding("rights", "problem", message, remedy, error, entries)


def _as_note(finding: Finding) -> Finding:
    return Finding(finding.topic, "note", finding.message, finding.remedy, details=finding.details)


def _webhook_url(connector: Connector, session: Session) -> Finding:
    try:
        url = session.invoke(session.id_for("webhook_url_get")).output["webhook_url"]
    except KontorError as error:
        return _problem("webhook URL", error)
    if not url:
        return Finding("webhook URL", "ok", say("doctor_no_webhook_url"), details={"url": None})

    fingerprint = session.credential.fingerprint
    own = connector.database.read(lambda store: is_hosts_own(store, fingerprint, url))
    ours = connector.database.read(lambda store: is_set_here(store, connector, fingerprint, url))
    shown = shown_url(url, own=own)  # what the doctor says is copied into tickets
    words = hidden_in_words(shown)
    message = say("doctor_webhook_url_ours" if ours else "doctor_webhook_url_foreign", url=words)
    return Finding("webhook URL", "ok", message, details={"url": shown, "set_here": ours})


def _credits(connector: Connector, session: Session) -> Finding:
    from connector.store.rates import usage

    told = connector.database.read(lambda store: usage.last_balance(store, session.credential.fingerprint))
    if told is None:
        return Finding("credits", "note", say("doctor_balance_untold"))
    balance, told_at = told
    age = localize.in_both(localize.relative, session.clock.utcnow() - told_at)
    message = say("doctor_balance", balance=localize.in_both(localize.credits, balance), age=age)
    return Finding("credits", "ok", message, details={"balance": balance, "told_at": told_at})


def _rate_window(session: Session) -> Finding:
    window = session.state.governor.snapshot(session.clock.monotonic())
    message = say(
        "doctor_rate_window", remaining=window.remaining, limit=window.limit, minutes=round(window.resets_in / 60)
    )
    details = {"limit": window.limit, "remaining": window.remaining, "resets_in": round(window.resets_in)}
    return Finding("rate window", "ok" if window.remaining else "note", message, details=details)


def _wire_names(session: Session) -> Finding:
    names = session.credential.wire.names
    overridden = [key for key, name in names.items() if name.overridden]
    message = say("doctor_wire", assumed=len(names) - len(overridden), given=len(overridden))
    details = {
        key: {"value": name.value, "given": name.overridden, "because": name.because, "open": name.open}
        for key, name in names.items()
    }
    return Finding("wire names", "ok", message, details=details)


def _problem(topic: str, error: KontorError) -> Finding:
    return Finding(topic, "problem", error.message, error.remedy, error=error)
