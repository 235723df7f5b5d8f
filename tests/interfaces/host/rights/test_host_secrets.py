"""After a walk through everything, no key and no token stands in any log line, metric, answer or database file."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import httpx
import pytest

from connector.interfaces.host.in_flight import CURRENT_REQUEST, InFlight
from connector.interfaces.host.logs import JsonFormatter
from tests.interfaces.host.running_host import KEY, PAYMENT, TOKEN, RunningHost
from tests.support.running_sandbox import Receiver, RunningSandbox


def walk(host: RunningHost) -> str:
    """Calls everything, well and badly; returns all that was answered but the one answer that shows a secret."""
    told = [host.http.get(path).text for path in ("/v1/connector", "/openapi.json", "/healthz", "/readyz")]
    told.append(host.run("list_bank_accounts").text)
    told.append(host.run("initiate_payment", PAYMENT, key="walk-1").text)
    told.append(host.run("initiate_payment", PAYMENT, dry_run=True).text)
    told.append(host.run("call_api", {"method": "GET", "path": f"/v2/{KEY}"}).text)
    told.append(host.run("get_payment", {"id": KEY}).text)
    told.append(host.http.get("/v1/triggers/new_payment/poll", params={"start": "all"}).text)
    told.append(host.http.get(f"/v1/lookups/payments?search={KEY}").text)
    with host.caller(key="no-such-key-at-all") as stranger:
        told.append(stranger.post("/v1/credential/test").text)
    return "\n".join(told)


def test_no_secret_stands_anywhere_after_a_walk(host: RunningHost, sandbox: RunningSandbox) -> None:
    flow = Receiver()
    made = host.http.post("/v1/subscriptions", json={"trigger": "payment_settled", "target_url": flow.url}).json()
    hook = httpx.URL(sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]).path.rpartition("/")[2]
    told = walk(host)
    id = host.run("initiate_payment", {**PAYMENT, "description": "Rechnung V-2"}).json()["output"]["id"]
    for status in ("authorizing", "processing", "settled"):
        sandbox.order(f"/payments/{id}", status=status)
    flow.next()
    told += host.http.get("/v1/subscriptions").text + host.http.get("/v1/credentials").text
    told += host.http.get(f"/v1/subscriptions/{made['id']}/deliveries").text
    metrics = host.http.get("/metrics").text
    with host.caller(token=None, key=None) as stranger:
        stranger.get(f"/hooks/{hook}")
        stranger.get(f"/v1/connector?token={TOKEN}")
    flow.close()
    stored = b"".join(_read(path) for path in host.folder.rglob("*") if path.is_file())
    for secret in (KEY, TOKEN, made["secret"], hook, "no-such-key-at-all"):
        assert secret not in host.log(), secret
        assert secret not in metrics, secret
    for secret in (KEY, TOKEN, made["secret"], "no-such-key-at-all"):
        assert secret.encode() not in stored, secret
    for secret in (TOKEN, made["secret"], hook, "no-such-key-at-all"):
        assert secret not in told, secret
    assert len(host.log().splitlines()) > 15
    for line in host.log().splitlines():
        assert {"at", "level", "logger", "message"} <= set(json.loads(line))


def _read(path: Path) -> bytes:
    return path.read_bytes()


def test_no_database_file_tells_where_events_come_in(host: RunningHost, sandbox: RunningSandbox) -> None:
    while host.http.get("/readyz").json()["hub"] != "active":
        continue
    hook = httpx.URL(sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]).path.rpartition("/")[2]
    assert hook.encode() not in b"".join(_read(path) for path in host.folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "text",
    [
        "POST /hooks/Zm9vYmFy-baz failed",
        "https://kontor.example/hooks/Zm9vYmFy-baz?x=1",
        "secret whsec_Zm9vYmFy-baz",
        "Authorization: Bearer Zm9vYmFy-baz",
        "x-api-key: Zm9vYmFy-baz",
        "{'x-api-key': 'Zm9vYmFy-baz'}",
        "/console?token=Zm9vYmFy-baz",
        "postgresql://kontor:Zm9vYmFy-baz@db/kontor",
        "the key of the request under way is my-own-api-key",
        "the token of the host is the-token-itself",
    ],
)
def test_whatever_is_logged_opens_no_door(text: str) -> None:
    token = CURRENT_REQUEST.set(InFlight("1", secret="my-own-api-key"))
    record = logging.LogRecord("kontor", logging.INFO, "", 0, "%s", (text,), None)
    line = JsonFormatter(["the-token-itself"]).format(record)
    CURRENT_REQUEST.reset(token)
    for secret in ("Zm9vYmFy", "my-own-api-key", "the-token-itself"):
        assert secret not in line
