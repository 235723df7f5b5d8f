"""Values as people write them in Zapier's forms, in Zapier's own core: read and refused as Python does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.core.messages import say
from connector.core.service.wire import Wire
from connector.export import zapier
from connector.export.catalogue import write
from connector.export.shape import ExportOptions
from connector.testing.cases.files import Case
from tests.platforms.n8n.engine.stub_service import StubService, stub_service
from tests.platforms.written_forms import DAYS, ID, LEAST, TABLE, Outcome, as_platform, connector, in_python
from tests.platforms.zapier.zapier_engine import Engine, ZapierError
from tests.platforms.zapier.zapier_form import form

REMEDY = say("input_remedy").en
"""Zapier shows one text, so that the remedy stands behind the message."""
pytestmark = [pytest.mark.platforms, pytest.mark.long]
FLAT = {key: case for key, case in TABLE.items() if "address" not in case.body["inputs"]}
"""Zapier's forms have no field for an object, only for what is in it."""
NOT_ENTERED = {f"{ID}/requests/rows [] is read"}
"""Line items of which there are none: Zapier hands these over where nothing was entered."""


@pytest.fixture(scope="module")
def using(tmp_path_factory: pytest.TempPathFactory) -> Connector:
    return connector(tmp_path_factory.mktemp("written"))


@pytest.fixture(scope="module")
def service() -> Iterator[StubService]:
    with stub_service(lambda method, path, body: (200, {"text": "taken"}), parse_float=Decimal) as stub:
        yield stub


@pytest.fixture(scope="module")
def engine(using: Connector, service: StubService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("written-app")
    write(zapier.build(using, ExportOptions(wire=Wire.load({}))), folder)
    engine = Engine(folder, {"base_url": service.url, "api_key": "a-key"})
    yield engine
    engine.close()


def _own(tag: str, value: str) -> Any:
    """What a step before hands over is JSON: a date is text, as JavaScript writes it there."""
    if tag == "$platform_number":
        return float(value) if "." in value else int(value)
    return value


def in_zapier(engine: Engine, service: StubService, using: Connector, case: Case, **more: Any) -> Outcome:
    inputs, before = as_platform(case.body["inputs"], _own), len(service.asked)
    try:
        engine.execute(f"searches.{ID}.operation.perform", form(using.action(ID), inputs), **more)
    except ZapierError as refused:
        assert len(service.asked) == before
        return Outcome(message=json.loads(str(refused))["message"].removesuffix(f" {REMEDY}"))
    [(_, _, body)] = service.asked[before:]
    return Outcome(body=body)


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(FLAT) >= LEAST


@pytest.mark.parametrize("key", FLAT)
def test_a_written_form(key: str, engine: Engine, service: StubService, using: Connector) -> None:
    expected = Outcome() if key in NOT_ENTERED else in_python(using.action(ID), using, FLAT[key])
    found = in_zapier(engine, service, using, FLAT[key])
    assert expected.agrees(found), f"{expected}, not {found}"


@pytest.mark.parametrize("name", DAYS)
def test_every_day_is_that_day(name: str, engine: Engine, service: StubService, using: Connector) -> None:
    case: Any = DAYS[name]
    found = in_zapier(engine, service, using, case)
    assert found.message == ""
    assert found.body == case.body["read"]


@pytest.mark.parametrize(
    ("zone", "day"),
    [("Europe/Helsinki", "2026-05-15"), ("America/New_York", "2026-05-14"), (None, "2026-05-14"), ("", "2026-05-14")],
)
def test_a_time_in_utc_is_the_day_in_the_zone_of_the_zap(
    zone: str | None, day: str, engine: Engine, service: StubService, using: Connector
) -> None:
    case = Case(ID, "requests", "in UTC", {"inputs": {"day": "2026-05-14T21:30:00Z"}})
    found = in_zapier(engine, service, using, case, meta={"zap": {"id": 77}, "timezone": zone})
    assert found == Outcome(body={"day": day})
