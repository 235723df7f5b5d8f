"""What an answer to a write proves, through n8n's own engine: the package tells what Python tells, both ways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from connector.core.service.wire import Wire
from connector.export.shape import ExportOptions
from connector.runtime.session import Session
from connector.runtime.writes import write
from tests.interfaces.host.running_host import TOKEN, running
from tests.platforms.n8n.engine.n8n_engine import Engine, Stand, chosen, parameters_of
from tests.platforms.n8n.engine.n8n_package import transpiled
from tests.platforms.n8n.engine.n8n_tools import Toolchain
from tests.support.parts import part
from tests.support.proof_rows import TURNS, Row, inputs_of, name_of, prove
from tests.support.running_sandbox import RunningSandbox

pytestmark = [pytest.mark.platforms, pytest.mark.long]
KEY = "sandbox-key"


@pytest.fixture(scope="module", params=["service", "host"])
def way(request: pytest.FixtureRequest) -> Literal["service", "host"]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def hurried(
    way: Literal["service", "host"], tools: Toolchain, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """An engine whose pauses are short: a look-up in vain would take it twelve seconds."""
    folder = tmp_path_factory.mktemp(way) / "n8n-nodes-kontor"
    engine = Engine(tools, transpiled(tools, folder, ExportOptions(via=way, wire=Wire.load({}))), hurry=200)
    yield engine
    engine.close()


@pytest.fixture
def stand(
    way: str, hurried: Engine, sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stand]:
    sandbox.order("/limits", limit=1_000_000)
    if way == "service":
        yield Stand(hurried, {"baseUrl": sandbox.url, "apiKey": KEY})
        return
    monkeypatch.setattr(write, "FIND_DELAYS", (0.0,))
    with running(sandbox, tmp_path / "host") as host:
        yield Stand(hurried, {"baseUrl": host.url, "hostToken": TOKEN, "apiKey": KEY})


@pytest.mark.parametrize("turn", part(TURNS), ids=name_of)
@pytest.mark.parametrize("acts", [False, True], ids=["did nothing", "acted"])
def test_n8n_makes_nothing_twice_whatever_the_answer(
    stand: Stand, session: Session, sandbox: RunningSandbox, acts: bool, turn: tuple[Row, list[str]]
) -> None:
    row, actions = turn
    sandbox.order("/clock", speed=1)
    inputs = {action: inputs_of(action, session) for action in actions}
    for action in actions:
        manifest = session._shared.catalog.action(action)
        form = {**chosen(manifest), **parameters_of(manifest, inputs[action])}

        def run(again: bool, form: dict[str, object] = form, action: str = action) -> str:
            answered = stand.run_form({**form, "again": again}, execution=f"7{action}", continueOnFail=True)
            return str(answered[0].get("outcome", "done"))

        prove(run, sandbox, action, row, acts)
