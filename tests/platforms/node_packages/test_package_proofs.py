"""What an answer to a write proves, on Node-RED and on Activepieces: they tell what Python tells, both ways."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from connector.runtime.session import Session
from connector.runtime.writes import write
from tests.interfaces.host.running_host import TOKEN, running
from tests.platforms.node_packages.conftest import KEY, Engines, Way
from tests.platforms.node_packages.engines.stand import Means, Refusal, Stand
from tests.support.parts import part
from tests.support.proof_rows import TURNS, Row, inputs_of, name_of, prove
from tests.support.running_sandbox import RunningSandbox

pytestmark = [pytest.mark.platforms, pytest.mark.long]


@pytest.fixture
def stand(
    kind: str, way: Way, engines: Engines, sandbox: RunningSandbox, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stand]:
    sandbox.order("/limits", limit=1_000_000)
    engine = engines(kind, way)
    if way == "service":
        yield engine.stand({"baseUrl": sandbox.url, "apiKey": KEY})
        return
    monkeypatch.setattr(write, "FIND_DELAYS", (0.0,))
    with running(sandbox, tmp_path / "host") as host:  # type: ignore[operator]
        yield engine.stand({"baseUrl": host.url, "hostToken": TOKEN, "apiKey": KEY})


@pytest.mark.parametrize("turn", part(TURNS), ids=name_of)
@pytest.mark.parametrize("acts", [False, True], ids=["did nothing", "acted"])
def test_nothing_is_made_twice_whatever_the_answer(
    stand: Stand, session: Session, sandbox: RunningSandbox, acts: bool, turn: tuple[Row, list[str]]
) -> None:
    row, actions = turn
    sandbox.order("/clock", speed=1)
    inputs = {action: inputs_of(action, session) for action in actions}
    for action in actions:
        manifest = session._shared.catalog.action(action)

        def run(again: bool, manifest=manifest, action: str = action) -> str:  # type: ignore[no-untyped-def]
            try:
                stand.run(manifest, inputs[action], Means(own=f"RE-{action}", again=again))
            except Refusal as refused:
                return refused.outcome
            return "done"

        prove(run, sandbox, action, row, acts)
