"""Which bank account belongs to which bank connection: accounts do not say so, but free lists by connection do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cachetools import LRUCache

MAX_KNOWN = 20_000
"""Accounts that are remembered; the longest unused is asked for again."""


@dataclass(eq=False)
class BankAccounts:
    """What is known so far, by credential. An account never moves to another bank connection."""

    _bank_connections: LRUCache[tuple[str, str], str] = field(default_factory=lambda: LRUCache(MAX_KNOWN))
    _learned: LRUCache[tuple[str, str], bool] = field(default_factory=lambda: LRUCache(MAX_KNOWN))

    def learn(self, credential_id: str, bank_connection_id: str, account_ids: Iterable[str]) -> None:
        """Record the accounts of a bank connection."""
        self._learned[credential_id, bank_connection_id] = True
        for account_id in account_ids:
            self._bank_connections[credential_id, account_id] = bank_connection_id

    def bank_connection_of(self, credential_id: str, account_id: str) -> str | None:
        """Return the account's bank connection, if known."""
        return self._bank_connections.get((credential_id, account_id))

    def is_learned(self, credential_id: str, bank_connection_id: str) -> bool:
        """Whether the accounts of this bank connection are known."""
        return (credential_id, bank_connection_id) in self._learned
