"""Conditions by which queries find only what belongs to a workspace; None is the owner of the machine, who sees all."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, select, true

from connector.store.schema import credentials, subscriptions


def by_credential(column: ColumnElement[Any], workspace: str | None) -> ColumnElement[bool]:
    """Rows whose credential id is one of the workspace's."""
    if workspace is None:
        return true()
    return column.in_(select(credentials.c.id).where(credentials.c.workspace == workspace))


def by_subscription(column: ColumnElement[Any], workspace: str | None) -> ColumnElement[bool]:
    """Rows whose subscription id is one of the workspace's."""
    if workspace is None:
        return true()
    own = by_credential(subscriptions.c.credential_id, workspace)
    return column.in_(select(subscriptions.c.id).where(own))
