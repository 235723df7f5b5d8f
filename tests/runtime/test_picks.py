"""A run uses what was picked from the list that a dropdown has shown, or reads the list, pays, and says so."""

from __future__ import annotations

import pytest

from connector import Connector, Credential
from connector.core.errors import BudgetHeld, NotFound
from connector.sandbox.ledger.demo import ledger_connection_id
from connector.store.rates.usage import Budget, set_budget

LEDGER = {"ledger_connection": ledger_connection_id("nordlicht")}
FOLDER = "Eingangsrechnungen Waren"


@pytest.fixture
def session(sandbox, tmp_path):
    connector = Connector(str(tmp_path))
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        yield session
    connector.close()


def requests(sandbox):
    return [one for one in sandbox.requests() if one["path"].endswith("rechnungsordner")]


def test_picking_is_free_and_the_run_asks_nobody(session, sandbox):
    offered = session.options("invoice_folders", LEDGER)
    assert FOLDER in {option.value for option in offered}
    result = session.invoke("get_invoice_folder", {**LEDGER, "bezeichnung": FOLDER})
    assert result.output == {"bezeichnung": FOLDER, "ordnertyp": "EINGANGSRECHNUNG"}
    assert (result.credits.cost, result.warnings) == (0, ())
    assert len(requests(sandbox)) == 1


def test_a_run_without_the_list_pays_once_says_so_and_never_claims_to_be_a_dropdown(session, sandbox):
    marker = session.credential.wire.marker
    result = session.invoke("get_invoice_folder", {**LEDGER, "bezeichnung": FOLDER})
    assert result.credits.cost == 1
    assert ["1 credit" in warning.en for warning in result.warnings] == [True]
    assert marker.name not in requests(sandbox)[0]["query"]
    again = session.invoke("get_invoice_folder", {**LEDGER, "bezeichnung": FOLDER, "document_type": "2"})
    assert (again.credits.cost, again.output["document_type"]) == (0, "2")
    assert len(requests(sandbox)) == 1


def test_a_list_for_other_inputs_is_another_list(session, sandbox):
    session.options("invoice_folders", {**LEDGER, "folder_type": "AUSGANGSRECHNUNG"})
    result = session.invoke("get_invoice_folder", {**LEDGER, "bezeichnung": FOLDER})
    assert result.credits.cost == 1


def test_what_the_cached_list_lacks_is_looked_for_at_the_service(session, sandbox):
    session.options("invoice_folders", LEDGER)
    with pytest.raises(NotFound) as caught:
        session.invoke("get_invoice_folder", {**LEDGER, "bezeichnung": "Nirgends"})
    assert caught.value.field == "bezeichnung"
    assert len(requests(sandbox)) == 2


def test_an_old_list_is_not_used(session, sandbox, monkeypatch):
    session.options("invoice_folders", LEDGER)
    now = session._procedures.cache._now()
    monkeypatch.setattr(session._procedures.cache, "_now", lambda: now + 3601)
    assert session.invoke("get_invoice_folder", {**LEDGER, "bezeichnung": FOLDER}).credits.cost == 1


def test_due_dates_come_from_the_list_that_was_picked_from_however_its_inputs_were_written(session, sandbox):
    year = f"{session.clock.utcnow():%Y}"
    session.options("payment_terms", {**LEDGER, "geschaeftsjahrStartDatum": f"{year}-01-01"})
    picked = {**LEDGER, "geschaeftsjahrStartDatum": f"01.01.{year}", "payment_term": "11", "belegdatum": "04.05.2026"}
    result = session.invoke("get_due_dates", picked)
    assert result.credits.cost == 0
    told = {name: result.output[name] for name in ("belegdatum", "skontoDatum1", "skontoDatum2", "nettoDatum")}
    assert told == {
        "belegdatum": "2026-05-04",
        "skontoDatum1": "2026-05-14",
        "skontoDatum2": None,
        "nettoDatum": "2026-06-03",
    }


def test_a_term_by_period_gives_the_texts_of_the_service(session):
    year = f"{session.clock.utcnow():%Y}"
    asked = {**LEDGER, "geschaeftsjahrStartDatum": f"{year}-01-01"}
    terms = session.invoke("list_payment_terms", asked).output["items"]
    term = next(one for one in terms if one["faelligkeitsart"] == "ALS_ZEITRAUM")
    output = session.invoke("get_due_dates", {**asked, "payment_term": term["id"], "belegdatum": "2026-05-04"}).output
    assert output["perioden"] == term["perioden"] != []
    assert output["nettoDatum"] is output["skontoDatum1"] is None


def test_a_budget_holds_what_must_pay_and_not_what_was_picked(session, sandbox):
    session.options("invoice_folders", LEDGER)
    nothing = lambda connection: set_budget(connection, session.credential.fingerprint, Budget(per_day=0))  # noqa: E731
    session._shared.database.write(nothing).result()
    assert session.invoke("get_invoice_folder", {**LEDGER, "bezeichnung": FOLDER}).credits.cost == 0
    with pytest.raises(BudgetHeld):
        session.invoke("get_invoice_folder", {**LEDGER, "bezeichnung": "Nirgends"})


def test_every_lookup_fills_a_field_of_an_action_or_trigger():
    connector = Connector("unused")
    manifests = [*connector.actions.values(), *connector.triggers.values()]
    used = {field.lookup.id for one in manifests for field in _all_fields(one.inputs) if field.lookup}
    assert set(connector.lookups) - used == {"known_payees"}, "an IBAN is typed, and may be picked where that is known"


def _all_fields(fields):
    for field in fields:
        yield field
        yield from _all_fields(field.fields)


def test_a_document_type_must_be_in_the_list_of_the_client(session, sandbox):
    types = session.options("document_types", LEDGER)
    picked = {**LEDGER, "bezeichnung": FOLDER}
    known = session.invoke("get_invoice_folder", {**picked, "document_type": types.options[0].value})
    assert known.output["document_type"] == types.options[0].value
    with pytest.raises(NotFound) as refused:
        session.invoke("get_invoice_folder", {**picked, "document_type": "nirgends"})
    assert (refused.value.field, refused.value.reason) == ("document_type", "pick_absent")


def test_a_document_type_goes_along_with_a_warning_where_the_list_cannot_be_read(session, sandbox):
    sandbox.order("/faults", kind="error_500", match={"path": "/v2/ledger-duo/belegtypen"}, times=100)
    result = session.invoke("get_invoice_folder", {**LEDGER, "bezeichnung": FOLDER, "document_type": "1"})
    assert result.output["document_type"] == "1"
    assert any("compared with its list" in warning.en for warning in result.warnings)
