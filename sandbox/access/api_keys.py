"""API keys with their organisation and account scope."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from connector.sandbox import assumptions
from connector.sandbox.traffic.http_messages import ServiceError

ORGANIZATION = "5b0f3c1e-7d2a-4c55-9a41-2f6f0c9d1e01"
POOR_ORGANIZATION = "5b0f3c1e-7d2a-4c55-9a41-2f6f0c9d1e02"


class ApiKey(Struct, frozen=True):
    text: str
    name: str
    """The name that the request log shows instead of the key."""
    organization_id: str
    kind: Literal["organization", "agency", "provider"] = "organization"
    scope: frozenset[str] | None = None
    """The account ids of an agency key; None: all of the organisation's."""

    def can_access(self, account_id: str) -> bool:
        return self.scope is None or account_id in self.scope

    def check_access(self, account_id: str) -> None:
        if not self.can_access(account_id):
            raise ServiceError(
                assumptions.OUT_OF_SCOPE_STATUS, f"This API key's scope does not include account {account_id}."
            )


PROVIDER = ApiKey("", "provider", "", "provider", frozenset())
"""The key of inbound provider webhooks, which carry none."""


def demo_keys(agency_accounts: Iterable[str]) -> dict[str, ApiKey]:
    keys = (
        ApiKey("sandbox-key", "main", ORGANIZATION),
        ApiKey("sandbox-key-2", "second", ORGANIZATION),
        ApiKey("sandbox-agency-key", "agency", ORGANIZATION, "agency", frozenset(agency_accounts)),
        ApiKey("sandbox-poor-key", "poor", POOR_ORGANIZATION),
    )
    return {key.text: key for key in keys}


def authenticate(keys: dict[str, ApiKey], text: str | None) -> ApiKey:
    """Return the key of a request, or raise a ServiceError."""
    if not text:
        raise ServiceError(
            assumptions.NO_KEY_STATUS,
            "API key missing.",
            message='Send the request with the header line "x-api-key: <your key>".',
        )
    if text not in keys:
        raise ServiceError(assumptions.NO_KEY_STATUS, "API key invalid.")
    return keys[text]
