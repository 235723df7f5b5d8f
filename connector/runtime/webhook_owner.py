"""Says whose the webhook URL at the service is: this host's, set from here by hand, or somebody else's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlalchemy import Connection, and_, select

from connector.core.redact import hide_hook_token, hide_paths
from connector.core.values import json
from connector.store import credentials, hooks
from connector.store.body_sealing import opened
from connector.store.schema import runs

if TYPE_CHECKING:
    from connector.runtime.connector import Connector

_TOKEN = re.compile(r"/hooks/([^/?#]+)$")


def is_hosts_own(connection: Connection, fingerprint: str, url: str) -> bool:
    """Whether it is the URL under which a host on this database takes the events of an API key."""
    found = _TOKEN.search(url)
    hook = hooks.by_token(connection, hooks.digest(found[1])) if found else None
    return hook is not None and credentials.fingerprint_of(connection, hook.credential_id) == fingerprint


def is_set_here(connection: Connection, connector: Connector, fingerprint: str, url: str) -> bool:
    """Whether the URL is the host's own, or was last set from here by a run."""
    return is_hosts_own(connection, fingerprint, url) or _last_set(connection, connector, fingerprint) == url


def shown(url: str, *, own: bool) -> str:
    """Return the URL without what lets others send or read events: the host's token, or a foreign path."""
    return hide_hook_token(url) if own else str(hide_paths(url))


def _last_set(connection: Connection, connector: Connector, fingerprint: str) -> str | None:
    action = connector.roles["webhook_url_set"]
    mine = and_(runs.c.credential == fingerprint, runs.c.action == action, runs.c.state == "done")
    newest = connection.execute(select(runs.c.inputs).where(mine).order_by(runs.c.id.desc()).limit(1)).scalar()
    url = None if newest is None else json.decode(opened(connection, newest)).get("webhook_url")
    return None if url is None else str(url)
