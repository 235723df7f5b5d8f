"""The demo data of the ledger area: nine ledger connections and their clients, the same for the same seed."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from connector.sandbox.access.api_keys import ORGANIZATION
from connector.sandbox.ledger.demo_books import CHART, demo_bookings, partners
from connector.sandbox.ledger.state import (
    EXPORT_SERVICE,
    Booking,
    DocumentType,
    ErrorMode,
    FiscalYear,
    InvoiceFolder,
    LedgerClient,
    LedgerConnection,
    LedgerState,
    Module,
    PaymentTerm,
    TermPeriod,
)

NORDLICHT = "29098-10001"
_SUBSCRIPTIONS = ["Belegbilderservice", "Rechnungsdatenservice", EXPORT_SERVICE]
_DOCUMENT_TYPES = ("Rechnungseingang", "Rechnungsausgang", "Kasse", "Bank", "Sonstige")


class _Company(NamedTuple):
    """Size and fiscal year of a demo client."""

    name: str
    debtors: int
    creditors: int
    invoices: int
    first_month: int = 1
    years: int = 2


_COMPANIES = {
    NORDLICHT: _Company("Nordlicht Fahrradhandel GmbH", debtors=36, creditors=24, invoices=280, years=3),
    "29098-10002": _Company("Hafenkante Gastronomie GmbH", debtors=8, creditors=6, invoices=30),
    "29098-10003": _Company("Deichblick Verlag GmbH", debtors=8, creditors=6, invoices=30, first_month=7),
    "29098-10004": _Company("Möwe Textilpflege e. K.", debtors=5, creditors=4, invoices=15),
    "29098-10005": _Company("Leuchtturm Immobilien KG", debtors=5, creditors=4, invoices=15),
}


def ledger_connection_id(label: str) -> str:
    """Return the UUID of a demo ledger connection, the same for all seeds."""
    return str(uuid5(NAMESPACE_URL, f"sandbox/ledger/{label}"))


def demo_ledger(seed: int, today: date) -> LedgerState:
    clients = {key: _client(seed, key, today) for key in _COMPANIES}
    rows = [
        _connection(today, "nordlicht", "Nordlicht Fahrradhandel GmbH", [NORDLICHT]),
        _connection(
            today, "kanzlei", "Kanzlei Brandt & Claussen (mehrere Mandanten)", [NORDLICHT, "29098-10002", "29098-10003"]
        ),
        _connection(today, "pending", None, ["29098-10004"], pending=True),
        _broken(today, "Zugang abgelaufen", "ledger_connection_invalid"),
        _broken(today, "Dienst nicht gebucht", "ledger_export_service_missing"),
        _broken(today, "Recht fehlt", "ledger_endpoint_not_authorized"),
        _connection(
            today,
            "export_403",
            "Standardmandant ohne Exportabo (29098-10002 hat es)",
            ["29098-10005", "29098-10002"],
            broken="export_403",
        ),
        _connection(today, "probe", "Stammdatenprüfung gestört", ["29098-10002"], master_data_status=503),
        _connection(today, "duo-only", "Nur Belege online, ohne Rechnungswesen", ["29098-10004"], modules=["duo"]),
    ]
    return LedgerState({row.id: row for row in rows}, clients)


def _broken(today: date, title: str, code: ErrorMode) -> LedgerConnection:
    return _connection(today, code, f"{title} ({code})", ["29098-10004"], broken=code)


def _connection(
    today: date,
    label: str,
    bezeichnung: str | None,
    clients: list[str],
    *,
    pending: bool = False,
    broken: ErrorMode | None = None,
    modules: list[Module] | None = None,
    master_data_status: int = 200,
) -> LedgerConnection:
    created = datetime.combine(today - timedelta(days=200), time(9, 30), UTC)
    return LedgerConnection(
        id=ledger_connection_id(label),
        organization_id=ORGANIZATION,
        bezeichnung=bezeichnung,
        status="pending" if pending else "connected",
        verbunden_seit=None if pending else created + timedelta(minutes=4),
        erstellt_am=created,
        modules=modules or ["duo", "rewe"],
        clients=clients,
        broken=broken,
        master_data_status=master_data_status,
    )


@lru_cache(maxsize=32)
def _books(seed: int, key: str, today: date) -> tuple[list[date], dict[str, str], tuple[Booking, ...]]:
    """Return fiscal years, business partners and bookings; cached, because they are expensive and immutable."""
    company, rng = _COMPANIES[key], random.Random(f"{seed}/{key}")
    current = today.year if today.month >= company.first_month else today.year - 1
    starts = [date(year, company.first_month, 1) for year in range(current - company.years + 1, current + 1)]
    partner_names = partners(rng, company.debtors, company.creditors)
    return starts, partner_names, tuple(demo_bookings(rng, list(partner_names), company.invoices, starts, today))


def _client(seed: int, key: str, today: date) -> LedgerClient:
    company = _COMPANIES[key]
    starts, partner_names, bookings = _books(seed, key, today)
    return LedgerClient(
        id=key,
        name=company.name,
        active_subscriptions=list(_SUBSCRIPTIONS),
        fiscal_years=[FiscalYear(start, _payment_terms()) for start in starts],
        account_labels=CHART | partner_names,
        bookings=list(bookings),
        cash_books=["Ladenkasse", "Werkstattkasse"] if key == NORDLICHT else ["Hauptkasse"],
        folders=[
            InvoiceFolder("Eingangsrechnungen Waren", "EINGANGSRECHNUNG"),
            InvoiceFolder("Eingangsrechnungen Kosten", "EINGANGSRECHNUNG"),
            InvoiceFolder("Ausgangsrechnungen", "AUSGANGSRECHNUNG"),
        ],
        document_types=[DocumentType(str(n), title) for n, title in enumerate(_DOCUMENT_TYPES, start=1)],
    )


def _payment_terms() -> list[PaymentTerm]:
    none, two, three = Decimal(0), Decimal(2), Decimal("3.5")
    periods = [
        TermPeriod("1. bis 15. des Monats", "Ende des Monats", None, "10. des Folgemonats"),
        TermPeriod("16. bis Monatsende", "15. des Folgemonats", "20. des Folgemonats", "25. des Folgemonats"),
    ]
    return [
        PaymentTerm("10", "Sofort ohne Abzug", None, none, None, none, 0, "NACH_TAGE", []),
        PaymentTerm("11", "10 Tage 2 %, 30 Tage netto", 10, two, None, none, 30, "NACH_TAGE", []),
        PaymentTerm("12", "8 Tage 3,5 %, 14 Tage 2 %, 30 Tage netto", 8, three, 14, two, 30, "NACH_TAGE", []),
        PaymentTerm("20", "Sammelrechnung halbmonatlich", None, two, None, none, None, "ALS_ZEITRAUM", periods),
    ]
