"""The plain lists of the ledger area, and the permissions check."""

from __future__ import annotations

from decimal import Decimal

import pytest

from connector.sandbox.ledger.access import break_connection
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.sandbox.handler_client import KANZLEI, NORDLICHT, HandlerClient

FOLDERS = "GET /v2/ledger-duo/rechnungsordner"
TERMS = "GET /v2/ledger-rewe-read/zahlungsbedingungen"
PERMISSIONS = "GET /v2/ledger-rewe-read/permissions"


@pytest.fixture
def sandbox() -> HandlerClient:
    return HandlerClient()


@pytest.mark.conforms("cash_book.name")
def test_cash_books_carry_the_name_that_entries_use(sandbox: HandlerClient) -> None:
    answer = sandbox.call("GET /v2/ledger-duo/kassenbuecher", verbindung=NORDLICHT)
    assert answer == {"data": [{"bezeichnung": "Ladenkasse"}, {"bezeichnung": "Werkstattkasse"}]}


@pytest.mark.conforms("invoice_folder.type", "invoice_folders.type_filter")
def test_folders_are_filtered_by_type(sandbox: HandlerClient) -> None:
    everything = sandbox.call(FOLDERS, verbindung=NORDLICHT)["data"]
    assert all(set(folder) == {"bezeichnung", "ordnertyp"} for folder in everything)
    for kind, count in (("EINGANGSRECHNUNG", 2), ("AUSGANGSRECHNUNG", 1)):
        folders = sandbox.call(FOLDERS, verbindung=NORDLICHT, typ=kind)["data"]
        assert folders == [folder for folder in everything if folder["ordnertyp"] == kind]
        assert len(folders) == count


def test_an_unknown_folder_type_is_refused_by_name(sandbox: HandlerClient) -> None:
    refused = sandbox.refusal(FOLDERS, verbindung=NORDLICHT, typ="GUTSCHRIFT")
    assert refused.status == 400
    assert "typ" in refused.body["error"]


def test_a_service_without_a_folder_filter_ignores_it(sandbox: HandlerClient) -> None:
    sandbox.names["folders.type"] = None
    assert len(sandbox.call(FOLDERS, verbindung=NORDLICHT, typ="GUTSCHRIFT")["data"]) == 3


def test_document_types_have_id_and_label(sandbox: HandlerClient) -> None:
    rows = sandbox.call("GET /v2/ledger-duo/belegtypen", verbindung=NORDLICHT)["data"]
    assert {"id": "1", "bezeichnung": "Rechnungseingang"} in rows


@pytest.mark.conforms("payment_term.days", "payment_term.discounts", "payment_term.kind", "payment_term.periods")
def test_payment_terms_are_null_exactly_where_allowed(sandbox: HandlerClient) -> None:
    terms = sandbox.call(TERMS, verbindung=NORDLICHT, geschaeftsjahrStartDatum="2025-01-01")["data"]
    assert {term["faelligkeitsart"] for term in terms} == {"NACH_TAGE", "ALS_ZEITRAUM"}
    nulls = {name for term in terms for name, value in term.items() if value is None}
    assert nulls == {"skontoFrist1", "skontoFrist2", "nettoFrist"}
    assert all(isinstance(term["skontoSatz1"], Decimal) for term in terms)
    for term in terms:
        assert bool(term["perioden"]) == (term["faelligkeitsart"] == "ALS_ZEITRAUM")
    periods = [period for term in terms for period in term["perioden"]]
    assert {name for period in periods for name, value in period.items() if value is None} == {"skontoFrist2"}
    assert all(isinstance(period["nettoFrist"], str) for period in periods)


@pytest.mark.conforms("payment_terms.endpoint")
def test_payment_terms_need_a_fiscal_year_of_the_client(sandbox: HandlerClient) -> None:
    for query in ({}, {"geschaeftsjahrStartDatum": "2025-02-30"}, {"geschaeftsjahrStartDatum": "2025-07-01"}):
        refused = sandbox.refusal(TERMS, verbindung=KANZLEI, **query)
        assert refused.status == 400
        assert "geschaeftsjahrStartDatum" in refused.body["error"]
    assert sandbox.call(TERMS, verbindung=KANZLEI, mandant="29098-10003", geschaeftsjahrStartDatum="2025-07-01")["data"]


def statuses(sandbox: HandlerClient, label: str) -> dict[str, str]:
    entries = sandbox.call(PERMISSIONS, verbindung=ledger_connection_id(label))["data"]
    assert all(set(entry) == {"status", "httpStatus", "maesnType", "message"} for entry in entries.values())
    return {area: entry["status"] for area, entry in entries.items()}


@pytest.mark.conforms("errors.probe_classification")
def test_a_good_connection_has_all_permissions(sandbox: HandlerClient) -> None:
    assert set(statuses(sandbox, "nordlicht").values()) == {"ok"}


@pytest.mark.conforms("errors.probe_classification")
def test_failed_master_data_leave_what_needs_a_fiscal_year_unknown(sandbox: HandlerClient) -> None:
    areas = statuses(sandbox, "probe")
    assert areas["stammdaten"] == "error"
    assert {area for area, status in areas.items() if status == "ok"} == {"belege", "kassenbuch"}
    assert {area for area, status in areas.items() if status == "unknown"} == {
        "personenkonten",
        "zahlungsbedingungen",
        "susa",
        "buchungen",
    }
    entries = sandbox.call(PERMISSIONS, verbindung=ledger_connection_id("probe"))["data"]
    assert (entries["stammdaten"]["httpStatus"], entries["susa"]["httpStatus"]) == (503, None)


@pytest.mark.conforms("permissions.raw_answer", "errors.probe_classification")
@pytest.mark.parametrize(
    ("code", "area", "status", "http_status"),
    [
        ("ledger_connection_invalid", "kassenbuch", "expired", 401),
        ("ledger_endpoint_not_authorized", "buchungen", "permission", 403),
        ("ledger_export_service_missing", "susa", "permission", 403),
        ("export_403", "susa", "permission", 403),
    ],
)
def test_the_probe_tells_why_a_connection_is_broken(
    sandbox: HandlerClient, code: str, area: str, status: str, http_status: int
) -> None:
    break_connection(sandbox.ledger, NORDLICHT, code)
    entry = sandbox.call(PERMISSIONS, verbindung=NORDLICHT)["data"][area]
    assert (entry["status"], entry["httpStatus"]) == (status, http_status)
    assert entry["maesnType"]
    assert entry["message"]


@pytest.mark.conforms("permissions.status")
def test_all_five_statuses_occur_in_the_demo(sandbox: HandlerClient) -> None:
    rows = sandbox.call("GET /v2/ledger-rewe-read/connections")["connections"]
    seen = {
        entry["status"]
        for row in rows
        if row["status"] == "connected"
        for entry in sandbox.call(PERMISSIONS, verbindung=row["id"])["data"].values()
    }
    assert seen == {"ok", "permission", "expired", "error", "unknown"}
