"""Which bank account belongs to which bank connection. Accounts do not say so themselves; two free lists tell it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(eq=False)
class BankAccounts:
    """What has been learned so far, by credential. An account never moves to another bank connection."""

    _bank_connections: dict[tuple[str, str], str] = field(default_factory=dict)
    _asked: set[tuple[str, str]] = field(default_factory=set)

    def learn(self, credential_id: str, bank_connection_id: str, account_ids: Iterable[str]) -> None:
        """These accounts are behind this bank connection."""
        self._asked.add((credential_id, bank_connection_id))
        for account_id in account_ids:
            self._bank_connections[credential_id, account_id] = bank_connection_id

    def bank_connection_of(self, credential_id: str, account_id: str) -> str | None:
        """The account's bank connection, if it is known."""
        return self._bank_connections.get((credential_id, account_id))

    def was_asked(self, credential_id: str, bank_connection_id: str) -> bool:
        """Whether this bank connection's accounts have been learned before."""
        return (credential_id, bank_connection_id) in self._asked
