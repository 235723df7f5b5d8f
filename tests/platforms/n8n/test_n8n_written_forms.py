"""Values as people write them in n8n's form and expressions, on n8n's own engine: read and refused as Python does."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export.shape import ExportOptions
from connector.testing.cases.files import Case
from tests.platforms.n8n.engine.n8n_engine import Engine, Refusal, Stand
from tests.platforms.n8n.engine.n8n_package import transpiled
from tests.platforms.n8n.engine.n8n_tools import Toolchain
from tests.platforms.n8n.engine.stub_service import StubService, stub_service
from tests.platforms.written_forms import DAYS, ID, LEAST, TABLE, Outcome, as_platform, connector, in_python

pytestmark = [pytest.mark.platforms, pytest.mark.long]
EXPRESSIONS = {
    "$platform_date": "={{ new Date('%s') }}",
    "$luxon": "={{ DateTime.fromISO('%s', { setZone: true }) }}",
    "$platform_number": "={{ %s }}",
}
"""How a flow hands over what is no text."""

NOT_ENTERED = {f"{ID}/requests/free {{}} is read"}
"""What stands in n8n's form where nothing was entered."""
TAGS = {"$number", "$null"}


def _is_enterable(case: Case) -> bool:
    """Whether n8n's form can hold it: a collection holds lines, or a group, and drops whatever else stands there."""
    rows, address = (case.body["inputs"].get(name) for name in ("rows", "address"))
    lines = isinstance(rows, list) and all(isinstance(one, dict) and not TAGS & set(one) for one in rows)
    group = isinstance(address, dict) and not TAGS & set(address)
    return (rows is None or lines) and (address is None or group)


FORMS = {key: case for key, case in TABLE.items() if _is_enterable(case)}


@pytest.fixture(scope="module")
def using(tmp_path_factory: pytest.TempPathFactory) -> Connector:
    return connector(tmp_path_factory.mktemp("written"))


@pytest.fixture(scope="module")
def service() -> Iterator[StubService]:
    with stub_service(lambda method, path, body: (200, {"text": "taken"}), parse_float=Decimal) as stub:
        yield stub


@pytest.fixture(scope="module")
def stand(
    tools: Toolchain, using: Connector, service: StubService, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stand]:
    folder = tmp_path_factory.mktemp("written-package") / "n8n-nodes-kontor"
    engine = Engine(tools, transpiled(tools, folder, ExportOptions(wire=Wire.load({})), using))
    yield Stand(engine, {"baseUrl": service.url, "apiKey": "a-key"})
    engine.close()


def in_n8n(stand: Stand, service: StubService, using: Connector, case: Case, **more: Any) -> Outcome:
    inputs = as_platform(case.body["inputs"], lambda tag, value: EXPRESSIONS[tag] % value)
    before = len(service.asked)
    try:
        stand.run_raw(using.action(ID), inputs, **more)
    except Refusal as refused:
        assert len(service.asked) == before
        return Outcome(message=refused.message)
    [(_, _, body)] = service.asked[before:]
    return Outcome(body=body)


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(FORMS) >= LEAST


@pytest.mark.parametrize("key", FORMS)
def test_a_written_form(key: str, stand: Stand, service: StubService, using: Connector) -> None:
    expected = Outcome() if key in NOT_ENTERED else in_python(using.action(ID), using, FORMS[key])
    found = in_n8n(stand, service, using, FORMS[key])
    assert expected.agrees(found), f"{expected}, not {found}"


@pytest.mark.parametrize("name", DAYS)
def test_every_day_is_that_day(name: str, stand: Stand, service: StubService, using: Connector) -> None:
    case: Any = DAYS[name]
    found = in_n8n(stand, service, using, case)
    assert found.message == ""
    assert found.body == case.body["read"]


@pytest.mark.parametrize("zone", ["Europe/Helsinki", "Asia/Tokyo", "Europe/London", "America/New_York"])
@pytest.mark.parametrize(
    "expression",
    [
        "={{ DateTime.fromISO('2026-05-15') }}",
        "={{ DateTime.fromISO('2026-05-15').toUTC() }}",
        "={{ DateTime.fromISO('2026-05-15').toJSDate() }}",
        "={{ DateTime.fromISO('2026-05-15').endOf('day').toUTC().toISO() }}",
        "={{ DateTime.fromISO('2026-05-15T23:30:00+05:30', { setZone: true }) }}",
    ],
)
def test_a_day_of_the_workflow_is_that_day_in_its_zone(
    expression: str, zone: str, stand: Stand, service: StubService, using: Connector
) -> None:
    case = Case(ID, "requests", expression, {"inputs": {"day": expression}})
    found = in_n8n(stand, service, using, case, timezone=zone)
    assert found == Outcome(body={"day": "2026-05-15"})
