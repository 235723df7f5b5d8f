"""Stored credentials: base URL, label and wire names in plain text, the API key encrypted; and replacing a key.

Attaches the new API key to the workspace of the old one, and moves balance, budget and cursors to it.

Otherwise a repeated run would pay again under the new key, and every trigger would start anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Row, Table, and_, func, select, update

from connector.core.errors import InputError, KeyRefused
from connector.core.messages import say
from connector.core.service.credential import Credential
from connector.core.service.wire import Wire
from connector.core.values import json
from connector.store.database.statements import as_utc
from connector.store.schema import balances, budgets, credentials, cursors, items, subscriptions, workspace_keys
from connector.store.trust import rights_register, workspaces
from connector.store.trust.granting_rows import CREDENTIALS
from connector.store.trust.rights_register import Unverified
from connector.store.trust.vault import Vault


def move_fingerprint(connection: Connection, old: str, new: str, now: datetime) -> None:
    """Move all rows from the old fingerprint to the new one, except where the new one already has its own."""
    if old == new:
        return
    workspace = workspaces.of_key(connection, old)
    if workspace is not None:
        workspaces.attach(connection, new, workspace, now)
    for table in (balances, budgets):
        if connection.execute(select(table.c.credential).where(table.c.credential == new)).first() is None:
            connection.execute(update(table).where(table.c.credential == old).values(credential=new))
    _rename_cursors(connection, old, new)


def _rename_cursors(connection: Connection, old: str, new: str) -> None:
    """Rename the cursors, whose names begin with the fingerprint."""
    names = connection.execute(select(cursors.c.name).where(cursors.c.credential == old)).scalars().all()
    taken = set(connection.execute(select(cursors.c.name).where(cursors.c.credential == new)).scalars())
    moving = [name for name in names if f"{new}{name[len(old) :]}" not in taken]
    for name in moving:
        renamed = f"{new}{name[len(old) :]}"
        connection.execute(update(cursors).where(cursors.c.name == name).values(name=renamed, credential=new))
        for table in (items, subscriptions):
            _rename_in(connection, table, name, renamed)


def _rename_in(connection: Connection, table: Table, name: str, renamed: str) -> None:
    connection.execute(update(table).where(table.c.cursor_name == name).values(cursor_name=renamed))


ERASED = ""
"""Stands for the encrypted key of a revoked credential."""


@dataclass(frozen=True, slots=True)
class CredentialInfo:
    """A stored credential without its key."""

    id: str
    fingerprint: str
    base_url: str
    quelle: str
    created_at: datetime
    revoked_at: datetime | None
    workspace: str
    chosen_at: datetime | None
    """Since when its workspace uses it for calls without a key of their own; None: left by a subscription."""


def save(
    connection: Connection,
    vault: Vault,
    credential: Credential,
    now: datetime,
    workspace: str = workspaces.DEFAULT,
    *,
    chosen: bool = False,
) -> str:
    """Store the credential and return its id. One that is already stored, even if revoked, keeps its id.

    A key that is new here is attached to `workspace`; one that belongs to another stays there, unless the workspace is
    to use it (`chosen`), which is then refused.
    """
    if chosen:
        workspaces.check_key(connection, credential.fingerprint, workspace)
    home = workspaces.attach(connection, credential.fingerprint, workspace, now)
    changing: dict[str, Any] = {"quelle": credential.quelle, "wire": _overrides(credential.wire), "revoked_at": None}
    if chosen:
        changing["chosen_at"] = now
    found = connection.execute(
        select(credentials.c.id, credentials.c.sealed_key)
        .where(credentials.c.fingerprint == credential.fingerprint)
        .order_by(credentials.c.created_at)
    ).first()
    if found is not None:
        if found.sealed_key == ERASED:
            changing["sealed_key"] = vault.seal(credential.api_key)
        rights_register.change(connection, CREDENTIALS, (found.id,), changing)
        return str(found.id)
    id = str(uuid4())
    row = {
        "id": id,
        "fingerprint": credential.fingerprint,
        "base_url": credential.base_url,
        "sealed_key": vault.seal(credential.api_key),
        "created_at": now,
        "workspace": home,
        **changing,
    }
    rights_register.add(connection, CREDENTIALS, row)
    return id


def kept(connection: Connection, workspace: str, fingerprint: str) -> str | None:
    """Return the id of the credential with this API key that is kept for a workspace; None when there is none."""
    mine = and_(credentials.c.workspace == workspace, credentials.c.fingerprint == fingerprint)
    usable = select(credentials).where(mine, credentials.c.revoked_at.is_(None))
    return next((str(row.id) for row in rights_register.find_all(connection, CREDENTIALS, usable)), None)


def open_credential(connection: Connection, vault: Vault, id: str) -> Credential:
    """Return the credential with its decrypted key; raise when it is unknown or revoked."""
    row = _row(connection, id)
    if row.revoked_at is not None:
        raise KeyRefused(say("credential_revoked", id=id))
    wire = Wire.with_overrides(json.decode(row.wire), source=f"credential {id}")
    credential = Credential(row.base_url, vault.open(row.sealed_key), row.quelle, wire)
    if credential.fingerprint != row.fingerprint:  # the key of another row
        raise Unverified(CREDENTIALS, (id,))
    return credential


def settings_of(connection: Connection, id: str) -> Credential:
    """Return base URL, label and wire names of a credential, revoked or not, with a placeholder for its key."""
    row = _row(connection, id)
    wire = Wire.with_overrides(json.decode(row.wire), source=f"credential {id}")
    return Credential(row.base_url, "-", row.quelle, wire)


def session_version(connection: Connection, id: str) -> str:
    """Return a text that changes with key, label, wire names and revocation: an open session with another is stale."""
    row = _row(connection, id)
    return f"{row.sealed_key}{row.quelle}{row.wire}{'' if row.revoked_at is None else 'revoked'}"


def fingerprint_of(connection: Connection, id: str) -> str:
    """Return the key's fingerprint, under which journal, usage and cursors are stored."""
    found = connection.execute(select(credentials.c.fingerprint).where(credentials.c.id == id)).scalar_one_or_none()
    if found is None:
        raise _unknown(id)
    return str(found)


def workspace_of(connection: Connection, id: str) -> str:
    """Return the workspace that a credential belongs to; empty when it is unknown."""
    found = connection.execute(select(credentials.c.workspace).where(credentials.c.id == id)).scalar_one_or_none()
    return found or ""


def listed(connection: Connection, workspace: str | None) -> Sequence[CredentialInfo]:
    """Return the credentials of a workspace, oldest first; with None all of the host."""
    found = select(credentials).order_by(credentials.c.created_at, credentials.c.id)
    if workspace is not None:
        found = found.where(credentials.c.workspace == workspace)
    return [_info(row) for row in rights_register.find_all(connection, CREDENTIALS, found)]


def find(connection: Connection, workspace: str | None, id: str) -> CredentialInfo | None:
    """Return one credential of a workspace; with None of any."""
    found = select(credentials).where(credentials.c.id == id)
    if workspace is not None:
        found = found.where(credentials.c.workspace == workspace)
    return next((_info(row) for row in rights_register.find_all(connection, CREDENTIALS, found)), None)


def chosen(connection: Connection, workspace: str) -> CredentialInfo | None:
    """Return the credential that a workspace uses: the one chosen last that is not revoked."""
    usable = and_(
        credentials.c.workspace == workspace, credentials.c.revoked_at.is_(None), credentials.c.chosen_at.is_not(None)
    )
    found = select(credentials).where(usable).order_by(credentials.c.chosen_at.desc())
    return next((_info(row) for row in rights_register.find_all(connection, CREDENTIALS, found)), None)


def is_newer(connection: Connection, fingerprint: str, workspace: str, chosen: CredentialInfo | None) -> bool:
    """Whether a key of the environment is to be used: it came after a key was chosen or removed in the workspace."""
    if chosen is not None and chosen.fingerprint == fingerprint:
        return False
    known = select(workspace_keys.c.added_at).where(workspace_keys.c.fingerprint == fingerprint)
    added_at = connection.execute(known).scalar_one_or_none()
    if chosen is not None:
        decided_at = chosen.chosen_at
    else:
        removed = select(func.max(credentials.c.revoked_at)).where(credentials.c.workspace == workspace)
        decided_at = as_utc(connection.execute(removed).scalar_one_or_none())
    return added_at is None or decided_at is None or added_at > decided_at.timestamp()


def revoke(connection: Connection, id: str, now: datetime) -> None:
    """Stop all work under this credential and erase its key; its row stays, so that what was done keeps its place."""
    earlier = select(credentials.c.revoked_at).where(credentials.c.id == id)
    if connection.execute(earlier).scalar_one_or_none() is None:
        values = {"revoked_at": now, "sealed_key": ERASED, "chosen_at": None}
        rights_register.end(connection, CREDENTIALS, (id,), values)


def rotate(connection: Connection, vault: Vault, id: str, new_key: str, now: datetime) -> None:
    """Replace the key by one that is new here or of the same workspace; budget and cursors move to it."""
    row = _row(connection, id)
    renewed = Credential(row.base_url, new_key, row.quelle)
    workspaces.check_key(connection, renewed.fingerprint, row.workspace)
    taken = connection.execute(
        select(credentials.c.id).where(and_(credentials.c.fingerprint == renewed.fingerprint, credentials.c.id != id))
    ).first()
    if taken is not None:
        raise InputError(say("credential_known", id=taken.id), field="api_key")
    sealed = vault.seal(renewed.api_key)
    values: dict[str, Any] = {"sealed_key": sealed, "fingerprint": renewed.fingerprint, "revoked_at": None}
    if row.chosen_at is not None:  # chosen anew, so that an earlier key of the environment does not come back
        values["chosen_at"] = now
    rights_register.change(connection, CREDENTIALS, (id,), values)
    move_fingerprint(connection, row.fingerprint, renewed.fingerprint, now)


def _info(row: Row[Any]) -> CredentialInfo:
    return CredentialInfo(
        row.id,
        row.fingerprint,
        row.base_url,
        row.quelle,
        as_utc(row.created_at),
        as_utc(row.revoked_at),
        row.workspace,
        as_utc(row.chosen_at),
    )


def _row(connection: Connection, id: str) -> Row[Any]:
    row = rights_register.find(connection, CREDENTIALS, (id,))
    if row is None:
        raise _unknown(id)
    return row


def _unknown(id: str) -> InputError:
    return InputError(say("credential_unknown", id=id), field="credential_id")


def _overrides(wire: Wire) -> str:
    """Return the overridden wire names as JSON, nested like the file that overrides them."""
    tree: dict[str, dict[str, Any]] = {}
    for key, name in wire.names.items():
        if name.overridden:
            group, _, rest = key.partition(".")
            value = dict(name.value) if isinstance(name.value, Mapping) else name.value
            tree.setdefault(group, {})[rest] = value
    return json.encode(tree).decode()
