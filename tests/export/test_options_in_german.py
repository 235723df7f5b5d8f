"""Dropdowns that a package fills by itself speak the language of the package."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.core.manifest.model import Lookup
from connector.export.local_options import local_options
from connector.export.make import option_text as make_text
from connector.export.power_automate import templates as power_text
from tests.export.interpreter import iml, power_engine

CONNECTOR = Connector()
PAYMENT = {
    "id": "5012",
    "creditor_name": "Reifen Voss KG",
    "amount": Decimal("297.5"),
    "currency_code": "EUR",
    "status": "settled",
    "created_at": "2026-03-31T22:00:00+00:00",
}
ROWS: dict[str, dict[str, Any]] = {
    "payments": PAYMENT,
    "ledger_connections": {"id": "a", "bezeichnung": "Nordlicht", "status": "connected"},
    "invoice_folders": {"bezeichnung": "Waren", "ordnertyp": "AUSGANGSRECHNUNG"},
    "payment_terms": {"id": "1", "bezeichnung": "30 Tage", "faelligkeitsart": "NACH_TAGE"},
}
SHOWN = {
    "payments": {
        "en": "Reifen Voss KG, 297.5 EUR – Settled, final, 2026-04-01",
        "de": "Reifen Voss KG, 297,5 EUR – Endgültig ausgeführt, 01.04.2026",
    },
    "ledger_connections": {"en": "Nordlicht – Connected", "de": "Nordlicht – Verbunden"},
    "invoice_folders": {
        "en": "Waren – Outgoing invoices (debtors)",
        "de": "Waren – Ausgangsrechnungen (Debitoren)",
    },
    "payment_terms": {"en": "30 Tage – After a number of days", "de": "30 Tage – Nach Tagen"},
}
each_lookup = pytest.mark.parametrize("lookup", [CONNECTOR.lookup(id) for id in ROWS], ids=lambda one: one.id)
each_language = pytest.mark.parametrize("lang", ["en", "de"])


@each_language
@each_lookup
def test_in_make(lookup: Lookup, lang: str) -> None:
    row = {name: float(value) if isinstance(value, Decimal) else value for name, value in ROWS[lookup.id].items()}
    assert iml.evaluate(make_text.text(lookup.options, lang), {"item": row}) == SHOWN[lookup.id][lang]


@each_language
@each_lookup
def test_in_power_automate(lookup: Lookup, lang: str) -> None:
    [option] = power_engine._options([ROWS[lookup.id]], power_text.option_text(lookup.options, lang))
    assert option["label"] == SHOWN[lookup.id][lang]


def test_years_and_currencies_written_into_a_package() -> None:
    years = local_options(CONNECTOR.lookup("fiscal_years"), "de")
    assert years[0].label == (0, " (01.01.", 0, " – 31.12.", 0, ")")
    assert years[0].value == (0, "-01-01")
    names = {one.value[0]: one.label[0] for one in local_options(CONNECTOR.lookup("currencies"), "de")}
    assert names["CHF"] == "CHF – Schweizer Franken"
