"""The routes of the ledger area."""

from __future__ import annotations

from connector.sandbox.ledger.cash_book import create_entry
from connector.sandbox.ledger.lists import (
    cash_books,
    document_types,
    duo_connections,
    invoice_folders,
    payment_terms,
    rewe_connections,
)
from connector.sandbox.ledger.open_items import opos
from connector.sandbox.ledger.permissions import permissions
from connector.sandbox.ledger.person_account import save_person_account
from connector.sandbox.ledger.trial_balance import susa
from connector.sandbox.traffic.routes import Route

_DUO, _REWE, _READ = "/v2/ledger-duo", "/v2/ledger-rewe", "/v2/ledger-rewe-read"

ROUTES: tuple[Route, ...] = (
    Route("GET", f"{_DUO}/connections", duo_connections),
    Route("GET", f"{_DUO}/kassenbuecher", cash_books, cost=1, free_as_dropdown=True, carries_balance=True),
    Route("GET", f"{_DUO}/rechnungsordner", invoice_folders, cost=1, free_as_dropdown=True, carries_balance=True),
    Route("GET", f"{_DUO}/belegtypen", document_types),
    Route("POST", f"{_DUO}/kassenbuch-advanced", create_entry, cost=1, carries_balance=True, acts=True),
    Route("POST", f"{_REWE}/personenkonto", save_person_account, cost=1, carries_balance=True, acts=True),
    Route("GET", f"{_READ}/connections", rewe_connections),
    Route("GET", f"{_READ}/permissions", permissions),
    Route("GET", f"{_READ}/zahlungsbedingungen", payment_terms, cost=1, free_as_dropdown=True, carries_balance=True),
    Route("GET", f"{_READ}/susa", susa, cost=1, carries_balance=True),
    Route("GET", f"{_READ}/opos", opos, cost=5, carries_balance=True, slow=20),
)
