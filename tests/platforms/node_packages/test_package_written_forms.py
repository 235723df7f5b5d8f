"""Values as people and other steps write them, on Node-RED and Activepieces: read and refused as Python does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.testing.cases.files import Case
from tests.platforms.n8n.engine.stub_service import StubService, stub_service
from tests.platforms.node_packages.conftest import ENGINES, Engines
from tests.platforms.node_packages.engines.stand import Refusal, Stand
from tests.platforms.written_forms import DAYS, ID, LEAST, TABLE, Outcome, as_platform, connector, in_python
from tests.support.parts import part

pytestmark = [pytest.mark.platforms, pytest.mark.long]
NOT_ENTERED = {("activepieces", f"{ID}/requests/rows [] is read")}
"""What stands in the form where nothing was entered."""
WHOLE = re.compile(r"-?\d+")


def _is_enterable(kind: str, case: Case) -> bool:
    """Whether the platform can hold it. Activepieces has no field for a group, only for what is in it.

    It also makes text of what is handed to a text field, before the piece sees it.
    """
    return kind == "node-red" or ("address" not in case.body["inputs"] and not _becomes_text(case.body["inputs"]))


def _becomes_text(inputs: dict[str, Any]) -> bool:
    value = inputs.get("account", inputs.get("rate", ""))
    number = value.get("$number", value.get("$platform_number")) if isinstance(value, dict) else None
    if number is None:
        return not isinstance(value, str | dict)
    return not WHOLE.fullmatch(number) or abs(int(number)) >= 2**53


FORMS = [(kind, key) for kind in ENGINES for key, case in TABLE.items() if _is_enterable(kind, case)]


@pytest.fixture(scope="module")
def using(tmp_path_factory: pytest.TempPathFactory) -> Connector:
    return connector(tmp_path_factory.mktemp("written"))


@pytest.fixture(scope="module")
def service() -> Iterator[StubService]:
    with stub_service(lambda method, path, body: (200, {"text": "taken"}), parse_float=Decimal) as stub:
        yield stub


@pytest.fixture
def written(kind: str, engines: Engines, using: Connector, service: StubService) -> Stand:
    stand: Stand = engines(kind, "service", using).stand({"baseUrl": service.url, "apiKey": "a-key"})
    return stand


def own_value(kind: str):  # type: ignore[no-untyped-def]
    """What a flow hands over that is no text: Node-RED has JavaScript's own dates, Activepieces has JSON."""

    def write(tag: str, value: str) -> Any:
        if tag == "$platform_number":
            return float(value) if "." in value else int(value)
        return {"$jsdate": value} if kind == "node-red" and tag == "$platform_date" else value

    return write


def outcome_on(stand: Stand, service: StubService, using: Connector, case: Case) -> Outcome:
    inputs = as_platform(case.body["inputs"], own_value(stand.name))
    before = len(service.asked)
    try:
        stand.run_raw(using.action(ID), inputs)
    except Refusal as refused:
        assert len(service.asked) == before
        return Outcome(message=refused.message.removesuffix(f" {refused.remedy}"))
    [(_, _, body)] = service.asked[before:]
    return Outcome(body=body)


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(FORMS) >= 2 * LEAST


@pytest.mark.parametrize(("kind", "key"), part(FORMS))
def test_a_written_form(key: str, written: Stand, service: StubService, using: Connector) -> None:
    is_entered = (written.name, key) not in NOT_ENTERED
    expected = in_python(using.action(ID), using, TABLE[key]) if is_entered else Outcome()
    found = outcome_on(written, service, using, TABLE[key])
    assert expected.agrees(found), f"{expected}, not {found}"


@pytest.mark.parametrize("name", DAYS)
def test_every_day_is_that_day(name: str, written: Stand, service: StubService, using: Connector) -> None:
    case: Any = DAYS[name]
    found = outcome_on(written, service, using, case)
    assert found.message == ""
    assert found.body == case.body["read"]
