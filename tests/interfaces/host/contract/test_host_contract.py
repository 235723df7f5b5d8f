"""Schemathesis against the host's own description: no 500, and every answer fits its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.interfaces.host.running_host import KEY, TOKEN, RunningHost, running
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.long

schemathesis = pytest.importorskip("schemathesis")
EXAMPLES = 6
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")


@pytest.fixture
def quiet_host(sandbox: RunningSandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path_factory.mktemp("contract")) as host:
        yield host


def test_no_answer_is_a_500_and_every_answer_fits_its_schema(quiet_host: RunningHost) -> None:
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis import checks as known

    schema = schemathesis.openapi.from_dict(json.loads(quiet_host.http.get("/openapi.json").text))
    schema.config.base_url = quiet_host.url
    checks = known.CHECKS.get_by_names(list(CHECKS))
    headers = {"authorization": f"Bearer {TOKEN}", "x-api-key": KEY}
    seen: set[str] = set()
    for result in schema.get_all_operations():
        operation = result.ok()
        seen.add(operation.label)

        @given(case=operation.as_strategy())
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def one(case: object) -> None:
            case.call_and_validate(headers=headers, checks=checks, timeout=20)  # type: ignore[attr-defined]

        one()
    assert len(seen) > 25
