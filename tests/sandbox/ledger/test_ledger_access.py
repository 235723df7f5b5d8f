"""Who is let through to the books: ledger connections, clients, and the three ledger codes."""

from __future__ import annotations

from uuid import UUID, uuid4

import msgspec
import pytest

from connector.sandbox.access.api_keys import ApiKey
from connector.sandbox.ledger.access import break_connection
from connector.sandbox.ledger.assumptions import ASSUMPTIONS
from connector.sandbox.ledger.demo import demo_ledger, ledger_connection_id
from connector.sandbox.ledger.routes import ROUTES
from connector.sandbox.ledger.state import LedgerState
from tests.sandbox.handler_client import EXPORT_403, KANZLEI, NORDLICHT, TODAY, HandlerClient

CASH_BOOKS = "GET /v2/ledger-duo/kassenbuecher"
OPOS = "GET /v2/ledger-rewe-read/opos"
PERMISSIONS = "GET /v2/ledger-rewe-read/permissions"
LISTS = ["GET /v2/ledger-duo/connections", "GET /v2/ledger-rewe-read/connections"]
NEEDS_CONNECTION = [f"{r.method} {r.path}" for r in ROUTES if not r.path.endswith("/connections")]


@pytest.fixture
def sandbox() -> HandlerClient:
    return HandlerClient()


@pytest.mark.conforms("conventions.ledger_connections_envelope", "ledger_connection.fields")
@pytest.mark.parametrize("call", LISTS)
def test_the_list_shows_exactly_the_described_fields(sandbox: HandlerClient, call: str) -> None:
    rows = sandbox.call(call)["connections"]
    assert {tuple(row) for row in rows} == {("id", "bezeichnung", "status", "verbunden_seit", "erstellt_am")}
    assert all(str(UUID(row["id"])) == row["id"] for row in rows)
    assert {row["status"] for row in rows} == {"connected", "pending"}
    assert [row["verbunden_seit"] for row in rows if row["status"] == "pending"] == [None]


@pytest.mark.parametrize("call", LISTS)
def test_the_good_connection_comes_first_and_each_code_has_one_that_says_so(sandbox: HandlerClient, call: str) -> None:
    rows = sandbox.call(call)["connections"]
    assert rows[0] | {"bezeichnung": "Nordlicht Fahrradhandel GmbH", "status": "connected"} == rows[0]
    titles = " ".join(row["bezeichnung"] or "" for row in rows)
    for code in ("ledger_connection_invalid", "ledger_export_service_missing", "ledger_endpoint_not_authorized"):
        assert titles.count(code) == 1


@pytest.mark.conforms("endpoints.ledger_connection")
def test_a_connection_of_one_module_is_unknown_to_the_other(sandbox: HandlerClient) -> None:
    only_duo = ledger_connection_id("duo-only")
    assert only_duo not in [row["id"] for row in sandbox.call(LISTS[1])["connections"]]
    assert sandbox.call(CASH_BOOKS, verbindung=only_duo)["data"]
    assert sandbox.refusal(OPOS, verbindung=only_duo).status == 404


def test_another_organisation_sees_none_of_them(sandbox: HandlerClient) -> None:
    sandbox.key = ApiKey("other", "other", str(uuid4()))
    assert sandbox.call(LISTS[0]) == {"connections": []}
    assert sandbox.refusal(CASH_BOOKS, verbindung=NORDLICHT).status == 404


@pytest.mark.conforms("endpoints.ledger_connection")
@pytest.mark.parametrize("call", NEEDS_CONNECTION)
def test_a_missing_connection_is_refused_by_its_wire_name(sandbox: HandlerClient, call: str) -> None:
    for query in ({}, {"verbindung": ""}):
        refused = sandbox.refusal(call, **query)
        assert refused.status == 400
        assert "verbindung" in refused.body["error"]


@pytest.mark.parametrize("call", NEEDS_CONNECTION)
def test_a_connection_must_be_a_known_uuid_that_is_connected(sandbox: HandlerClient, call: str) -> None:
    assert sandbox.refusal(call, verbindung="nordlicht").status == 400
    assert sandbox.refusal(call, verbindung=str(uuid4())).status == 404
    pending = sandbox.refusal(call, verbindung=ledger_connection_id("pending"))
    assert pending.status == 409
    assert "pending" in pending.body["error"]


def test_without_a_parameter_for_it_the_first_connection_is_meant(sandbox: HandlerClient) -> None:
    sandbox.names["ledger.connection"] = None
    assert sandbox.call(CASH_BOOKS)["data"][0] == {"bezeichnung": "Ladenkasse"}


@pytest.mark.conforms("authentication.ledger_connection_lost")
@pytest.mark.parametrize("call", [call for call in NEEDS_CONNECTION if call != PERMISSIONS])
def test_each_ledger_code_comes_with_its_own_extra_field(sandbox: HandlerClient, call: str) -> None:
    invalid = sandbox.refusal(call, verbindung=ledger_connection_id("ledger_connection_invalid"))
    missing = sandbox.refusal(call, verbindung=ledger_connection_id("ledger_export_service_missing"))
    right = sandbox.refusal(call, verbindung=ledger_connection_id("ledger_endpoint_not_authorized"))
    assert [refused.status for refused in (invalid, missing, right)] == [401, 403, 403]
    assert [refused.body["code"] for refused in (invalid, missing, right)] == [
        "ledger_connection_invalid",
        "ledger_export_service_missing",
        "ledger_endpoint_not_authorized",
    ]
    assert invalid.body["reconnectUrl"].startswith("https://")
    assert missing.body["activeSubscriptions"] == ["Belegbilderservice", "Rechnungsdatenservice"]
    assert not {"reconnectUrl", "activeSubscriptions"} & set(right.body)


def test_a_connection_can_be_broken_and_mended(sandbox: HandlerClient) -> None:
    for code in ("ledger_connection_invalid", "ledger_export_service_missing", "ledger_endpoint_not_authorized"):
        break_connection(sandbox.ledger, NORDLICHT, code)
        assert sandbox.refusal(CASH_BOOKS, verbindung=NORDLICHT).body["code"] == code
    break_connection(sandbox.ledger, NORDLICHT, None)
    assert sandbox.call(CASH_BOOKS, verbindung=NORDLICHT)["data"]


def test_breaking_with_an_unknown_code_is_an_error(sandbox: HandlerClient) -> None:
    with pytest.raises(ValueError, match="export_403"):
        break_connection(sandbox.ledger, NORDLICHT, "tired")


@pytest.mark.conforms("endpoints.default_client_without_export", "errors.default_client_403")
@pytest.mark.parametrize("resource", ["opos", "susa", "zahlungsbedingungen"])
def test_a_default_client_without_export_is_refused_until_another_client_is_named(
    sandbox: HandlerClient, resource: str
) -> None:
    call = f"GET /v2/ledger-rewe-read/{resource}"
    query = {"verbindung": EXPORT_403, "geschaeftsjahrStartDatum": "2025-01-01"}
    refused = sandbox.refusal(call, **query)
    assert refused.status == 403
    assert "code" not in refused.body
    assert sandbox.refusal(call, **query, mandant="29098-10005").status == 403
    assert sandbox.call(call, **query, mandant="29098-10002")["data"]


def test_a_default_client_can_lose_its_export(sandbox: HandlerClient) -> None:
    break_connection(sandbox.ledger, KANZLEI, "export_403")
    assert sandbox.refusal(OPOS, verbindung=KANZLEI).status == 403
    assert sandbox.call(OPOS, verbindung=KANZLEI, mandant="29098-10002")["data"]["konten"]


@pytest.mark.conforms("endpoints.client")
@pytest.mark.parametrize("text", ["10001", "29098", "29098-", "-10001", "a-b", "29098-10001-1", "29098 - 10001"])
def test_a_client_id_of_another_form_is_refused_by_its_wire_name(sandbox: HandlerClient, text: str) -> None:
    refused = sandbox.refusal(OPOS, verbindung=KANZLEI, mandant=text)
    assert refused.status == 400
    assert "mandant" in refused.body["error"]


def test_a_client_out_of_the_connections_reach_is_unknown(sandbox: HandlerClient) -> None:
    assert sandbox.refusal(OPOS, verbindung=KANZLEI, mandant="29098-99999").status == 404
    assert sandbox.refusal(OPOS, verbindung=NORDLICHT, mandant="29098-10002").status == 404


@pytest.mark.conforms("endpoints.client")
def test_each_client_has_its_own_books_and_the_first_is_the_default(sandbox: HandlerClient) -> None:
    answers = [
        sandbox.call(OPOS, verbindung=KANZLEI, **({"mandant": client} if client else {}))
        for client in ("", "29098-10001", "29098-10002", "29098-10003")
    ]
    assert answers[0] == answers[1]
    assert answers[1] != answers[2] != answers[3]


@pytest.mark.conforms("service.names_on_the_wire", "costs.ledger")
def test_costs_are_those_of_the_description() -> None:
    costs = {r.path.split("/v2/")[1]: (r.cost, r.free_as_dropdown, r.carries_balance, r.acts) for r in ROUTES}
    assert costs == {
        "ledger-duo/connections": (0, False, False, False),
        "ledger-duo/kassenbuecher": (1, True, True, False),
        "ledger-duo/rechnungsordner": (1, True, True, False),
        "ledger-duo/belegtypen": (0, False, False, False),
        "ledger-duo/kassenbuch-advanced": (1, False, True, True),
        "ledger-rewe/personenkonto": (1, False, True, True),
        "ledger-rewe-read/connections": (0, False, False, False),
        "ledger-rewe-read/permissions": (0, False, False, False),
        "ledger-rewe-read/zahlungsbedingungen": (1, True, True, False),
        "ledger-rewe-read/susa": (1, False, True, False),
        "ledger-rewe-read/opos": (5, False, True, False),
    }


@pytest.mark.conforms("constants.open_items_duration")
def test_open_items_are_the_only_slow_call() -> None:
    assert {r.path: r.slow for r in ROUTES if r.slow} == {"/v2/ledger-rewe-read/opos": 20}


def test_every_assumption_has_its_own_id_and_an_open_sentence() -> None:
    assert len({row[0] for row in ASSUMPTIONS}) == len(ASSUMPTIONS)
    assert all(len(row) == 3 and all(row) for row in ASSUMPTIONS)


def test_the_demo_is_the_same_for_a_seed_and_survives_being_written_down() -> None:
    state = demo_ledger(7, TODAY)
    assert state == demo_ledger(7, TODAY)
    assert msgspec.json.decode(msgspec.json.encode(state), type=LedgerState) == state
    other = demo_ledger(8, TODAY)
    assert other.clients != state.clients
    assert other.connections == state.connections
