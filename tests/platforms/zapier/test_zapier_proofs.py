"""What an answer to a write proves, through Zapier's own core: the app tells what Python tells, both ways."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export import zapier
from connector.export.catalogue import write
from connector.export.shape import ExportOptions
from connector.runtime.writes import write as write_path
from connector.sandbox.access.api_keys import ORGANIZATION, ApiKey
from tests.interfaces.host.running_host import KEY, TOKEN, running
from tests.platforms.zapier.zapier_engine import Engine, ZapierError
from tests.platforms.zapier.zapier_form import form
from tests.support.parts import part
from tests.support.proof_rows import TURNS, inputs_of, name_of, prove

pytestmark = [pytest.mark.platforms, pytest.mark.long]
OUTCOMES = {"outcome_unknown": "unknown", "ThrottledError": "not_sent"}
"""By the code of an error, or by its name where Zapier has one of its own; every other is a refusal."""
OWN = ("ThrottledError", "ExpiredAuthError")


@pytest.fixture(scope="module", params=["service", "host"])
def way(request):
    return request.param


@pytest.fixture(scope="module")
def hurried(way, tmp_path_factory):
    """A core whose pauses are short, since a look-up in vain would take it seconds."""
    folder = tmp_path_factory.mktemp(way)
    write(zapier.build(Connector("unused"), ExportOptions(via=way, wire=Wire.load({}))), folder)
    engine = Engine(folder, {}, hurry=200)
    yield engine
    engine.close()


@pytest.fixture
def engine(way, hurried, sandbox, tmp_path, monkeypatch):
    sandbox.order("/limits", limit=1_000_000)
    if way == "service":
        key = ApiKey(str(uuid4()), "main", ORGANIZATION)  # of its own, since a core remembers writes by the key
        monkeypatch.setitem(sandbox.world.keys, key.text, key)
        hurried.auth = {"base_url": sandbox.url, "api_key": key.text}
        yield hurried
        return
    monkeypatch.setattr(write_path, "FIND_DELAYS", (0.0,))
    with running(sandbox, tmp_path / "host") as host:
        hurried.auth = {"host_url": host.url, "host_token": TOKEN, "api_key": KEY}
        yield hurried


@pytest.mark.parametrize("turn", part(TURNS), ids=name_of)
@pytest.mark.parametrize("acts", [False, True], ids=["did nothing", "acted"])
def test_zapier_makes_nothing_twice_whatever_the_answer(engine, session, sandbox, acts, turn):
    row, actions = turn
    sandbox.order("/clock", speed=1)
    inputs = {action: inputs_of(action, session) for action in actions}
    for action in actions:
        filled = {**form(session._shared.catalog.action(action), inputs[action]), "kontor_key": f"RE-{action}"}

        def run(again: bool, filled=filled, action=action) -> str:
            try:
                engine.execute(f"creates.{action}.operation.perform", {**filled, "kontor_again": again})
            except ZapierError as error:
                return OUTCOMES.get(error.name if error.name in OWN else json.loads(str(error))["code"], "refused")
            return "done"

        prove(run, sandbox, action, row, acts)
