"""Workflows that the package starts in a whole n8n server: by polls, which n8n makes each minute, and by events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from connector import Connector
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.platforms.n8n.engine.n8n_engine import parameters_of
from tests.platforms.n8n_server.conftest import Way
from tests.platforms.n8n_server.n8n_process import free_ports
from tests.platforms.n8n_server.n8n_rest import Editor
from tests.support.running_sandbox import RunningSandbox

pytestmark = [pytest.mark.platforms, pytest.mark.n8n_server]

CONNECTOR = Connector("unused")
MINUTE_AND_MORE = 90.0
"""n8n polls once a minute, at a second of its own choice, and switching a workflow on takes its time."""
OWN_URL: dict[bool, dict[str, Any]] = {True: {"replaceForeign": False}, False: {}}
"""Only where no host has the URL, the form asks whose it is."""
WEBHOOK = "/v2/banking/webhook-url"
FOREIGN = "https://elsewhere.example/hook"
POLLED: dict[str, Any] = {
    "start": "now",
    "pollTimes": {"item": [{"mode": "everyMinute"}]},
    "inputs": {"account_id": MAIN_ACCOUNT},
}
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": 297.5,
}


def form(trigger: str, inputs: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A trigger's form as a person would have left it."""
    return {"trigger": trigger, **parameters_of(CONNECTOR.trigger(trigger), inputs or {}), **more}


@contextmanager
def active(editor: Editor, node: str, kept: dict[str, str], trigger: str, **more: Any) -> Iterator[str]:
    """An active workflow, switched off at the end."""
    workflow = editor.activated(node, kept, form(trigger, **more))
    try:
        yield workflow
    finally:
        editor.deactivate(workflow)


def wait_for(what: str, sign: Callable[[], Any], seconds: float = 20.0) -> Any:
    patience = time.monotonic() + seconds
    while time.monotonic() < patience:
        if found := sign():
            return found
        time.sleep(0.5)
    raise AssertionError(f"{what}: not within {seconds:g} seconds")


def webhook_url(sandbox: RunningSandbox) -> str | None:
    url: str | None = sandbox.api.get(WEBHOOK).json()["data"]["webhook_url"]
    return url


def cursor(editor: Editor, workflow: str) -> str | None:
    found: str | None = editor.kept_data(workflow).get("node:Kontor", {}).get("cursor")
    return found


def settled(sandbox: RunningSandbox) -> str:
    """A payment that has just been settled, of which the service tells by two events."""
    id = str(sandbox.api.post("/v2/banking/payments", json=PAYMENT).json()["data"]["id"])
    sandbox.order(f"/payments/{id}", status="settled")
    return id


def polls(sandbox: RunningSandbox) -> int:
    """Each asks for the free signs; what costs is read only after one of them."""
    return sum(row["path"] == "/v2/banking/accounts" for row in sandbox.requests())


def test_a_poll_starts_the_workflow_for_what_is_new_and_only_once(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    with active(editor, "kontorTrigger", kept, "new_transaction", **POLLED) as workflow:
        wait_for("the baseline", lambda: cursor(editor, workflow))
        assert editor.executions(workflow) == []
        [new] = sandbox.order("/transactions", amount="-12.34", account_id=MAIN_ACCOUNT)["data"]
        [fired] = wait_for("the new one", lambda: editor.executions(workflow), MINUTE_AND_MORE)
        assert (fired.status, fired.mode) == ("success", "trigger")
        assert [item["id"] for item in fired.items("Next")] == [new["id"]]
        before = polls(sandbox)
        wait_for("another poll", lambda: polls(sandbox) > before, MINUTE_AND_MORE)
        time.sleep(2)
        assert [one.id for one in editor.executions(workflow)] == [fired.id]


def test_an_event_starts_the_workflow_and_switching_it_off_gives_the_url_back(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    with active(editor, "kontorEventTrigger", kept, "payment_settled", replaceForeign=False) as workflow:
        assert wait_for("the URL", lambda: webhook_url(sandbox)).startswith(f"{editor.url}/webhook/")
        methods = [row["method"] for row in sandbox.requests() if row["path"] == WEBHOOK]
        assert methods.index("GET") < methods.index("PUT")
        payment = settled(sandbox)
        wait_for("the execution", lambda: editor.executions(workflow))
        assert [one["state"] for one in sandbox.deliveries()] == ["delivered", "delivered"]
        [fired] = editor.executions(workflow)  # the event of the beginning found the payment settled as well
        assert (fired.status, fired.mode) == ("success", "webhook")
        [item] = fired.items("Next")
        assert (item["payment_id"], item["status"]) == (payment, "settled")
    wait_for("no URL", lambda: webhook_url(sandbox) is None)


def test_a_foreign_url_is_left_alone_and_the_person_is_told(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    sandbox.api.put(WEBHOOK, json={"webhook_url": FOREIGN}).raise_for_status()
    with active(editor, "kontorEventTrigger", kept, "payment_settled", replaceForeign=False) as workflow:
        told = wait_for("the reason", lambda: editor.trouble(workflow), MINUTE_AND_MORE)
    assert f"already set to {FOREIGN}" in told
    assert "Switch 'Replace a Foreign URL' on" in told
    assert webhook_url(sandbox) == FOREIGN


def test_a_poll_that_cannot_begin_says_why_and_what_to_do(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    sandbox.order("/credits", balance=0)
    with active(editor, "kontorTrigger", kept, "new_transaction", **POLLED) as workflow:
        told = wait_for("the reason", lambda: editor.trouble(workflow), MINUTE_AND_MORE)
    assert "Top up the credits in the dashboard" in told


def test_a_foreign_url_that_may_be_replaced_comes_back_at_the_end(
    editor: Editor, kept: dict[str, str], sandbox: RunningSandbox
) -> None:
    sandbox.api.put(WEBHOOK, json={"webhook_url": FOREIGN}).raise_for_status()
    with active(editor, "kontorEventTrigger", kept, "banking_event", replaceForeign=True):
        wait_for("our URL", lambda: webhook_url(sandbox) != FOREIGN)
    wait_for("the foreign URL", lambda: webhook_url(sandbox) == FOREIGN)


def test_a_forged_event_starts_nothing(editor: Editor, kept: dict[str, str], sandbox: RunningSandbox) -> None:
    payment = sandbox.api.post("/v2/banking/payments", json=PAYMENT).json()["data"]
    with active(editor, "kontorEventTrigger", kept, "payment_settled", replaceForeign=False) as workflow:
        url = wait_for("the URL", lambda: webhook_url(sandbox))
        forged = {"event": "payment_update", "data": {"payment_id": payment["id"], "status": "settled"}}
        answer = httpx.post(url, json=forged, trust_env=False)
        assert answer.status_code == 503, answer.text  # it may become true: the service shall send it again
        time.sleep(2)
        assert editor.executions(workflow) == []


def is_listening(way: Way, sandbox: RunningSandbox) -> bool:
    """Whether events come to n8n: from the service itself, or by a subscription at the host."""
    if way.host is None:
        return webhook_url(sandbox) is not None
    rows = way.host.http.get("/v1/subscriptions").json()["subscriptions"]
    return any(one["state"] == "active" for one in rows)


def test_what_happens_while_n8n_is_down_starts_the_workflow_when_it_is_back(
    way: Way, sandbox: RunningSandbox, tmp_path: Path
) -> None:
    home, ports = tmp_path / "n8n", free_ports()
    home.mkdir()
    with way.installed.started(home, ports) as url:
        editor = Editor(url)
        kept = way.kept_in(editor)
        polled = editor.activated("kontorTrigger", kept, form("new_transaction", **POLLED))
        hooked = editor.activated("kontorEventTrigger", kept, form("payment_settled", **OWN_URL[way.host is None]))
        wait_for("the baseline", lambda: cursor(editor, polled), MINUTE_AND_MORE)
        wait_for("the address for events", lambda: is_listening(way, sandbox), MINUTE_AND_MORE)
        registered = webhook_url(sandbox)
    [new] = sandbox.order("/transactions", amount="-12.34", account_id=MAIN_ACCOUNT)["data"]
    with way.installed.started(home, ports):
        [fired] = wait_for("the missed one", lambda: editor.executions(polled), MINUTE_AND_MORE)
        assert [item["id"] for item in fired.items("Next")] == [new["id"]]
        assert webhook_url(sandbox) == registered
        payment = settled(sandbox)
        [told] = wait_for("the event", lambda: editor.executions(hooked), MINUTE_AND_MORE)
        assert [item["payment_id"] for item in told.items("Next")] == [payment]
