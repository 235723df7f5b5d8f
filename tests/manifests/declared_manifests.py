"""The manifests of the actions and lookups as their form reads them, for the tests that look at all of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from connector.core.compiled import read_yaml
from connector.core.manifest import form

ROOT = Path(__file__).parents[2]
MANIFESTS = ROOT / "manifests"
PATHS = sorted([*MANIFESTS.glob("actions/*/*.yaml"), *MANIFESTS.glob("lookups/*.yaml")])
ACTION_PATHS = [path for path in PATHS if "actions" in path.parts]
LOOKUP_PATHS = [path for path in PATHS if "lookups" in path.parts]

ACTIONS = {
    "ledger": {
        "create_cash_book_entry",
        "list_cash_books",
        "list_invoice_folders",
        "list_document_types",
        "list_ledger_connections",
        "check_permissions",
        "save_person_account",
        "get_open_items",
        "list_payment_terms",
        "get_trial_balance",
        "get_due_dates",
        "get_invoice_folder",
    },
    "banking": {
        "get_bank_connection",
        "list_bank_accounts",
        "list_transactions",
        "get_transaction",
        "list_payments",
        "get_payment",
        "initiate_payment",
        "start_bank_connect",
        "get_webhook_url",
        "set_webhook_url",
    },
    "mobility": {"list_mobility_customers", "create_collective_invoice"},
    "any": {"call_api"},
}
LOOKUPS = {
    "ledger_connections",
    "cash_books",
    "invoice_folders",
    "document_types",
    "payment_terms",
    "fiscal_years",
    "bank_accounts",
    "bank_connections",
    "payments",
    "known_payees",
    "mobility_customers",
    "currencies",
}
each = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
each_action = pytest.mark.parametrize("path", ACTION_PATHS, ids=lambda path: path.stem)
each_lookup = pytest.mark.parametrize("path", LOOKUP_PATHS, ids=lambda path: path.stem)


@cache
def tree_of(path: Path) -> dict[str, Any]:
    return form.read(written(path), written(MANIFESTS / "fields.yaml"))


@cache
def written(path: Path) -> dict[str, Any]:
    tree: dict[str, Any] = read_yaml(str(path))
    return tree


def fields_in(fields: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for field in fields:
        yield field
        yield from fields_in(field.get("fields", []))


def blanks(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}
