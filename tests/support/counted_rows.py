"""A service whose accounts count more rows than its lists show."""

from __future__ import annotations

from typing import Any

import pytest

from connector.sandbox.banking import accounts


def count_too_many(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """By account, how many rows the service counts that its list does not show."""
    too_many: dict[str, int] = {}
    shown = accounts.account_json

    def counted(account: accounts.BankAccount) -> dict[str, Any]:
        row = shown(account)
        row["extra"]["transactions_count"]["posted"] += too_many.get(account.id, 0)
        return row

    monkeypatch.setattr(accounts, "account_json", counted)
    return too_many
