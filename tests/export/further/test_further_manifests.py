"""Manifests from outside, with rules, templates, polls, a resource and labels of their own, are carried like ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.export import make, openapi, power_automate
from connector.export.shape import ExportOptions
from connector.runtime.session import Session
from tests.export.further.further_service import FurtherService, further_service
from tests.export.interpreter import runtime_requests
from tests.export.interpreter.make_engine import MakeEngine, Memory
from tests.export.interpreter.power_engine import PowerEngine
from tests.export.interpreter.refusal import NotUnderstood
from tests.export.interpreter.rows import ids, plain, poll_all, shown
from tests.export.vendor_lint import vendor_findings

FOLDER = Path(__file__).parent / "manifests"
ORDER, ORDERS, NEW_ORDER, NEW_KIND = "create_standing_order", "standing_orders", "new_standing_order", "new_ticket_kind"
ENTERED = {
    "account": "8101",
    "iban": "DE02120300000000202051",
    "months": 3,
    "scheme": "SEPA",
    "code": "A-1",
    "total": 12.5,
    "lines": [{"purpose": "Rent", "amount": 12.5}],
}
ACCOUNT = {"account": "8101"}


@pytest.fixture
def service() -> Iterator[FurtherService]:
    with further_service() as service:
        yield service


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Connector]:
    monkeypatch.setenv("KONTOR_MANIFESTS", str(FOLDER))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    connector = Connector(str(tmp_path / "data"))
    yield connector
    connector.close()


@pytest.fixture
def session(connector: Connector, service: FurtherService) -> Iterator[Session]:
    with connector.open(Credential(service.url, "a-key", quelle="API", wire=Wire.with_overrides({}))) as session:
        yield session


@pytest.fixture
def make_app(connector: Connector, service: FurtherService) -> MakeEngine:
    return MakeEngine(
        make.build(connector, ExportOptions(with_writes=True)), {"apiKey": "a-key", "baseUrl": service.url}
    )


@pytest.fixture
def power(connector: Connector, service: FurtherService) -> PowerEngine:
    return PowerEngine(
        power_automate.build(connector, ExportOptions(base_url=service.url, with_writes=True)), {"api_key": "a-key"}
    )


@pytest.mark.parametrize("package", [make, power_automate, openapi])
@pytest.mark.parametrize("via", ["service", "host"])
def test_every_package_holds_them_and_no_lint_finds_anything(package: Any, via: Any, connector: Connector) -> None:
    export = package.build(connector, ExportOptions(via=via, with_writes=True))
    assert export.findings == ()
    assert vendor_findings(export) == ()
    assert ORDER in export.holds["actions"]
    assert ORDERS in export.holds["lookups"]
    assert {NEW_ORDER, NEW_KIND} <= export.holds["triggers"]
    reported = [one.reason.en for one in export.dropped if one.id.startswith(ORDER)]
    if via == "host":
        assert reported == []
    else:
        assert len(reported) == 3
        for part in ("'order' (First payment, Last payment)", "'sum' (Total, Amount)", "derives it"):
            assert any(part in reason for reason in reported), part


def options_of(service: FurtherService) -> None:
    service.order(31, title="Rent", created_at="2026-05-01T10:00:00Z")
    service.order(32, title=None, code="C-32", iban=None, created_at="2026-05-01T10:00:00Z")
    service.order(33, created_at=None)
    service.orders.append({**service.orders[0], "title": "The same once more"})


def test_options_are_written_as_the_template_says(
    service: FurtherService, session: Session, make_app: MakeEngine, power: PowerEngine
) -> None:
    options_of(service)
    offered = [shown(option) for option in session.options(ORDERS)]
    assert offered[:2] == [
        {"value": "31", "label": "Rent (… 2051) – live, 2026-05-01"},
        {"value": "32", "label": "C-32 – live, 2026-05-01"},
    ]
    assert make_app.options("rpc://optionsStandingOrders", {}) == offered
    assert power.options("CreateStandingOrder", "body/account", {})[1] == offered


def test_an_action_sends_what_the_runtime_sends_and_its_form_checks_what_a_form_can(
    session: Session, make_app: MakeEngine, power: PowerEngine
) -> None:
    expected = runtime_requests.of_action(session, ORDER, ENTERED).told()
    assert make_app.module_request("createStandingOrder", ENTERED).told()["body"] == expected["body"]
    assert power.request("CreateStandingOrder", {}, ENTERED).told()["body"] == expected["body"]
    [module] = [one for one in make_app.form("createStandingOrder") if one["name"] == "months"]
    assert module["validate"] == {"min": 1, "max": 12}
    for wrong in ({**ENTERED, "code": " A"}, {**ENTERED, "code": "A" * 13}, {**ENTERED, "iban": "DE02 1203"}):
        with pytest.raises(NotUnderstood, match="refuses"):
            make_app.module_request("createStandingOrder", wrong)
    for wrong in ({**ENTERED, "code": "A "}, {**ENTERED, "iban": "de02"}):
        with pytest.raises(NotUnderstood, match="refuses"):
            power.request("CreateStandingOrder", {}, wrong)
    without = {name: value for name, value in ENTERED.items() if name != "total"}
    for send in (make_app.module_request, lambda id, body: power.request(id, {}, body)):
        with pytest.raises(NotUnderstood, match="insists on total"):
            send("createStandingOrder" if send == make_app.module_request else "CreateStandingOrder", without)


def test_a_poll_by_id_waits_in_line_and_skips(
    service: FurtherService, session: Session, make_app: MakeEngine, power: PowerEngine
) -> None:
    service.order(40)
    memory = Memory()
    make_app.run("watchNewStandingOrder", {**ACCOUNT, "limit": 100}, memory)
    location = power.poll("TriggerNewStandingOrder", ACCOUNT).location
    cursor = session.poll(NEW_ORDER, ACCOUNT).cursor
    service.order(41)
    service.order(42, "checking")
    service.order(43)
    service.order(44, "ended")
    service.order(45, currency="CHF")
    seen: dict[str, list[str]] = {"make": [], "power": [], "kontor": []}
    for settled in (False, True):
        if settled:
            service.order(42)
        seen["make"] += ids(make_app.run("watchNewStandingOrder", {**ACCOUNT, "limit": 100}, memory))
        polled = power.poll("TriggerNewStandingOrder", ACCOUNT, location)
        seen["power"] += ids(polled.items)
        location = polled.location
        fired, cursor = poll_all(session, NEW_ORDER, ACCOUNT, cursor)
        seen["kontor"] += ids(fired)
        assert seen["make"] == seen["power"] == (["41", "42", "43"] if settled else ["41"])
    assert sorted(seen["kontor"]) == ["41", "42", "43"]


def test_a_list_without_an_order_fires_what_is_new_by_its_date(
    service: FurtherService, session: Session, make_app: MakeEngine, power: PowerEngine
) -> None:
    first = {"id": "6a1d2c3b-7e5f-4a8b-9c0d-1e2f3a4b5c6d", "name": "A", "valid": {"since": "2026-05-01T10:00:00Z"}}
    later = {"id": "0a1d2c3b-7e5f-4a8b-9c0d-1e2f3a4b5c6d", "name": "B", "valid": {"since": "2026-05-02T10:00:00Z"}}
    service.tickets = [first]
    memory, cursor = Memory(), session.poll(NEW_KIND, {}).cursor
    make_app.run("watchNewTicketKind", {"limit": 100}, memory)
    location = power.poll("TriggerNewTicketKind", {}).location
    service.tickets = [later, first]
    fired = [plain(row) for row in poll_all(session, NEW_KIND, {}, cursor)[0]]
    assert [row["_id"] for row in fired] == [later["id"]]
    assert [plain(row) for row in make_app.run("watchNewTicketKind", {"limit": 100}, memory)] == fired
    assert [plain(row) for row in power.poll("TriggerNewTicketKind", {}, location).items] == fired


def test_output_fields_have_their_own_labels(make_app: MakeEngine, power: PowerEngine) -> None:
    made = {one["name"]: one["label"] for one in make_app.code("module", "createStandingOrder", "interface")}
    answer = power.operations["CreateStandingOrder"][2]["responses"]["200"]["schema"]["properties"]["data"]
    power_made = {name: one["title"] for name, one in answer["properties"].items()}
    for labels in (made, power_made):
        assert (labels["title"], labels["first_on"], labels["iban"]) == ("What for", "First payment", "IBAN")
    [lines] = [one for one in make_app.code("module", "createStandingOrder", "interface") if one["name"] == "lines"]
    assert [one["name"] for one in lines["spec"]] == ["purpose", "amount"]


def test_the_document_describes_their_calls_and_resources(connector: Connector) -> None:
    tree = json.loads(openapi.build(connector, ExportOptions(with_writes=True)).files["openapi.json"])
    assert [str(error) for error in OpenAPIV31SpecValidator(tree).iter_errors()] == []
    orders = tree["paths"]["/v2/banking/standing-orders"]
    assert (orders["post"]["operationId"], orders["get"]["x-lookups"]) == (ORDER, [ORDERS])
    assert orders["get"]["x-triggers"] == [NEW_ORDER]
    kinds = tree["paths"]["/v2/mobility/ticket-kinds"]["get"]
    answer = kinds["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"type": "array", "items": {"$ref": "#/components/schemas/TicketKind"}}
    assert {"StandingOrder", "OrderLine", "TicketKind", "Validity"} <= set(tree["components"]["schemas"])
    body = orders["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body["required"] == ["account", "iban", "months", "scheme", "total", "lines"]
    assert (body["properties"]["months"]["minimum"], body["properties"]["months"]["maximum"]) == (1, 12)
    assert body["properties"]["scheme"]["enum"] == ["SEPA"]
