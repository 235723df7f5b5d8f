"""Which rows grant rights, and what of them is entered into the register of rights (`rights_register.py`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Table, and_

from connector.core.messages import Text, say
from connector.store.database.statements import as_utc
from connector.store.schema import (
    approvals,
    credentials,
    payment_days,
    people,
    policies,
    policy_changes,
    sign_ins,
    subscriptions,
    tokens,
    workspace_keys,
    workspaces,
)

BUCKETS = 64
Identity = tuple[str, ...]
"""The primary key of a row."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows of one table that grant something."""

    table: Table
    left_out: Collection[str] = ()
    """Columns that grant nothing, and change without a word to the register."""
    needs_key: bool = True
    """Whether such rows were only ever written by who has the data key."""
    is_live: Callable[[Row[Any]], bool] = lambda row: True
    """Whether a row grants something, or can come to; the others are not entered."""
    workspace: str = "workspace"
    """The column with the workspace, or with the stored API key that belongs to it."""
    only: Collection[str] = ()
    """The only columns that grant something; empty: all that are not left out."""
    later: bool = False
    """Whether there are registers in which such rows were not entered when they were begun."""

    @property
    def name(self) -> str:
        """What it is called in the register."""
        return str(self.table.name)

    def identity(self, row: Row[Any]) -> Identity:
        """Return the primary key of a row."""
        return tuple(str(row._mapping[column.name]) for column in self.table.primary_key)

    def is_row(self, identity: Identity) -> ColumnElement[bool]:
        """Return the condition for the row with this primary key."""
        return and_(*(column == value for column, value in zip(self.table.primary_key, identity, strict=True)))

    def workspace_of(self, row: Row[Any]) -> str:
        """Return the workspace of a row, or its API key; empty: of the whole host."""
        return str(row._mapping[self.workspace])


TOKENS = Kind(tokens, ("last_used_at",))
POLICIES = Kind(policies)
APPROVALS = Kind(approvals, ("told",), is_live=lambda row: row.state in {"open", "approved"})
WORKSPACES = Kind(workspaces, needs_key=False, workspace="name")
WORKSPACE_KEYS = Kind(workspace_keys, needs_key=False)
CREDENTIALS = Kind(credentials, ("sealed_key",), needs_key=False)
"""The encrypted key is held against the fingerprint when it is opened, and changes with the data key."""
PEOPLE = Kind(people)
SIGN_INS = Kind(sign_ins, ("used_at",), is_live=lambda row: row.ended_at is None)
POLICY_CHANGES = Kind(policy_changes, is_live=lambda row: row.state == "open")
TARGETS = Kind(
    subscriptions,
    is_live=lambda row: row.state == "active",
    workspace="credential_id",
    only=("id", "credential_id", "trigger", "inputs", "cursor_name", "target_url"),
    needs_key=False,
    later=True,
)
"""What goes to which address; whatever else is known of a subscription grants nothing."""
PAYMENT_DAYS = Kind(payment_days, needs_key=False, later=True)
KINDS = (
    *(TOKENS, POLICIES, APPROVALS, WORKSPACES, WORKSPACE_KEYS, CREDENTIALS),
    *(PEOPLE, SIGN_INS, POLICY_CHANGES, TARGETS, PAYMENT_DAYS),
)


def entry_name(kind: Kind, identity: Identity) -> str:
    """Return under which name a row is entered."""
    return json.dumps([kind.name, *identity], ensure_ascii=False)


def entry_name_of_kind(kind: Kind) -> str:
    """Return under which name is entered that the rows of a kind were."""
    return json.dumps([kind.name])


def bucket_of(name: str) -> int:
    """Return in which row of the register an entry stands."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[0] % BUCKETS


def digest(kind: Kind, row: Row[Any]) -> str:
    """Return the digest of a row.

    Values that are null or the database's default are no part of it, so that a migration may add columns which are.
    """
    told: dict[str, Any] = {}
    for column in kind.table.columns:
        value, usual = row._mapping[column.name], column.server_default
        is_meant = column.name in kind.only if kind.only else column.name not in kind.left_out
        if value is None or not is_meant or str(value) == getattr(usual, "arg", None):
            continue
        told[column.name] = as_utc(value).astimezone(UTC).isoformat() if isinstance(value, datetime) else value
        if isinstance(value, bytes):  # SQLite keeps what is encrypted as it is
            told[column.name] = value.hex()
    return hashlib.sha256(json.dumps([kind.name, told], sort_keys=True).encode()).hexdigest()


def described(kind: str, identity: Identity) -> Text:
    """Name a row for people who know the workspace."""
    return say(f"rights_of_{kind}", name=identity[-1][:200] if identity else "")
