"""Paid lists of bank rows, shared by flows on one bank connection: which triggers read them, with which inputs."""

from __future__ import annotations

from connector.core.manifest.model import Trigger

BANK_CONNECTION = "connection_id"
ACCOUNT = "account_id"
FROM_ID = "from_id"
FROM_DATE = "from_date"


def reads_bank_rows(trigger: Trigger) -> bool:
    """Whether the trigger reads a paid list of bank rows by their ids."""
    return trigger.shared is not None
