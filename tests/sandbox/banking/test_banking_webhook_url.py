from __future__ import annotations

from typing import Any

import pytest

from connector.sandbox.banking.webhook_url import check_webhook_url
from connector.sandbox.traffic.http_messages import ServiceError
from tests.support.running_sandbox import RunningSandbox

PATH = "/v2/banking/webhook-url"
REFUSED = [
    "http://example.com/hook",
    "ftp://example.com/hook",
    "example.com/hook",
    "https://",
    "https:///hook",
    "https://localhost/hook",
    "https://localhost./hook",
    "https://my.localhost/hook",
    "https://printer.local/hook",
    "https://vault.internal/hook",
    "https://intranet/hook",
    "https://127.0.0.1/hook",
    "https://127.1/hook",
    "https://2130706433/hook",
    "https://0x7f000001/hook",
    "https://0x7f.0.0.1/hook",
    "https://0177.0.0.1/hook",
    "https://0.0.0.0/hook",
    "https://10.1.2.3/hook",
    "https://172.16.0.1/hook",
    "https://192.168.1.1:8443/hook",
    "https://100.64.0.1/hook",
    "https://169.254.169.254/latest",
    "https://224.0.0.1/hook",
    "https://255.255.255.255/hook",
    "https://[::1]/hook",
    "https://[::]/hook",
    "https://[fe80::1]/hook",
    "https://[fd00::1]/hook",
    "https://[::ffff:10.0.0.1]/hook",
    "https://[::ffff:7f00:1]/hook",
    "https://[::ffff:8.8.8.8]/hook",
    "https://[2002:7f00:1::]/hook",
    "https://[2002:808:808::]/hook",
    "https://[64:ff9b::a00:1]/hook",
    "https://user:secret@example.com/hook",
    "https://user@example.com/hook",
    "https://example.com:99999/hook",
    "https://example.com\\@127.0.0.1/",
    "https://exa mple.com/",
    "https://example.com/\nhook",
    "https://[::1/hook",
    "https://1.2.3/hook",
]
ACCEPTED = [
    "https://example.com",
    "https://hooks.example.co.uk:8443/a/b?c=d",
    "https://8.8.8.8/hook",
    "https://[2606:4700:4700::1111]/hook",
    "https://xn--bcher-kva.example/hook",
]


@pytest.mark.conforms("webhook_url.public_https")
@pytest.mark.parametrize("url", REFUSED)
def test_only_public_https_urls_are_accepted(url: str) -> None:
    with pytest.raises(ServiceError) as refusal:
        check_webhook_url(url, allow_loopback=False)
    assert refusal.value.status == 400
    assert "webhook_url" in refusal.value.body["error"]


@pytest.mark.parametrize("url", ACCEPTED)
def test_public_https_urls_pass(url: str) -> None:
    assert check_webhook_url(url, allow_loopback=False) is None


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/h", "http://localhost:8000/h", "https://[::1]:8000/h"])
def test_loopback_passes_only_where_it_is_allowed(url: str) -> None:
    assert check_webhook_url(url, allow_loopback=True) is None
    with pytest.raises(ServiceError):
        check_webhook_url(url, allow_loopback=False)


@pytest.mark.parametrize("url", ["http://10.0.0.1/h", "http://example.com/h", "https://192.168.0.1/h"])
def test_allowing_loopback_allows_nothing_else(url: str) -> None:
    with pytest.raises(ServiceError):
        check_webhook_url(url, allow_loopback=True)


@pytest.mark.conforms("webhook_url.set", "webhook_url.get")
def test_the_url_is_set_read_replaced_and_cleared(sandbox: RunningSandbox) -> None:
    assert sandbox.api.get(PATH).json() == {"data": {"webhook_url": None}}
    for url in ("https://example.com/1", "https://example.com/2"):
        answer = sandbox.api.put(PATH, json={"webhook_url": url})
        assert answer.json() == sandbox.api.get(PATH).json() == {"data": {"webhook_url": url}}
    for nothing in ("", None):
        sandbox.api.put(PATH, json={"webhook_url": "https://example.com/3"})
        assert sandbox.api.put(PATH, json={"webhook_url": nothing}).json() == {"data": {"webhook_url": None}}


def test_both_keys_of_an_organisation_share_the_one_url(sandbox: RunningSandbox) -> None:
    sandbox.api.put(PATH, json={"webhook_url": "https://example.com/1"})
    second, stranger = sandbox.with_key("sandbox-key-2"), sandbox.with_key("sandbox-poor-key")
    assert second.get(PATH).json()["data"]["webhook_url"] == "https://example.com/1"
    assert stranger.get(PATH).json()["data"]["webhook_url"] is None


@pytest.mark.parametrize(
    "body", [{}, {"url": "https://example.com/"}, {"webhook_url": 5}, {"webhook_url": "http://x.de/"}]
)
def test_a_refused_url_leaves_the_old_one(sandbox: RunningSandbox, body: dict[str, Any]) -> None:
    sandbox.api.put(PATH, json={"webhook_url": "https://example.com/1"})
    answer = sandbox.api.put(PATH, json=body)
    assert answer.status_code == 400
    assert "webhook_url" in answer.json()["error"]
    assert sandbox.api.get(PATH).json()["data"]["webhook_url"] == "https://example.com/1"
