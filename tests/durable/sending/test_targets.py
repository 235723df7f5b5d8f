"""Where deliveries may go: nobody uses them to reach into the host's own network."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from ipaddress import ip_address

import pytest

from connector.core.errors import InputError
from connector.durable.sending.address import check_target, may_reach
from connector.durable.sending.sender import MAX_BODY_BYTES, Sender
from tests.durable.inbox.hub_host import Subscriber

FORBIDDEN = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.8",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]
PUBLIC = ["8.8.8.8", "93.184.216.34", "2606:2800:220:1::1", "2a01:4f8::1"]
STILL_FORBIDDEN = ["0.0.0.0", "169.254.169.254", "224.0.0.1", "::", "fe80::1", "ff02::1", "::ffff:169.254.169.254"]
STILL_FORBIDDEN += ["64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"]
NOW_ALLOWED = [
    "127.0.0.1",
    "100.64.0.1",
    "10.0.0.1",
    "192.168.1.1",
    "::1",
    "fd12:3456::1",
    "8.8.8.8",
    "::ffff:127.0.0.1",
]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_an_address_that_is_not_public_is_refused(address):
    assert not may_reach(ip_address(address), allow_private=False)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_may_be_reached(address):
    assert may_reach(ip_address(address), allow_private=False)


@pytest.mark.parametrize("address", STILL_FORBIDDEN)
def test_link_local_multicast_and_unspecified_stay_refused_where_private_ones_are_allowed(address):
    assert not may_reach(ip_address(address), allow_private=True)


@pytest.mark.parametrize("address", NOW_ALLOWED)
def test_private_addresses_may_be_allowed(address):
    assert may_reach(ip_address(address), allow_private=True)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/in",
        "ftp://hooks.example.com/in",
        "https://",
        "https:///in",
        "hooks.example.com/in",
        "https://user:secret@hooks.example.com/in",
        "https://hooks.example.com:0/in",
        "https://hooks.example.com:99999/in",
        "https://localhost/in",
        "https://localhost./in",
        "https://printer/in",
        "https://metadata.google.internal/in",
        "https://127.0.0.1/in",
        "https://[::1]/in",
        "https://[::ffff:127.0.0.1]/in",
        "https://[fe80::1%25eth0]/in",
        "https://2130706433/in",
        "https://0x7f000001/in",
        "https://0x7f.1/in",
        "https://0177.0.0.1/in",
        "https://127.1/in",
        "https://hooks.example.com\\@127.0.0.1/in",
        "https://hooks.example.com/in\r\nHost: x",
        "https://hooks.exämple.com/in",
        "https://hooks.example.com/" + "x" * 2000,
    ],
)
def test_a_url_that_cannot_be_a_public_target_is_refused_when_a_subscription_is_made(url):
    with pytest.raises(InputError) as refusal:
        check_target(url)
    assert refusal.value.field == "target_url"
    assert refusal.value.remedy.de


def test_a_public_https_url_is_a_target_and_a_local_one_where_that_is_allowed():
    assert check_target("https://hooks.example.com:8443/in?x=1")
    assert check_target("http://127.0.0.1:8000/in", allow_private=True)
    assert check_target("http://n8n:5678/webhook/1", allow_private=True)
    with pytest.raises(InputError):
        check_target("http://169.254.169.254/latest", allow_private=True)


class FakeResolver:
    """Says something else each time it is asked."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "64:ff9b::7f00:1"])
async def test_a_name_that_leads_into_the_hosts_network_is_refused_when_connecting(address):
    async with Sender(resolve=FakeResolver([address])) as sender:
        attempt = await sender.send("https://hooks.example.com/in", b"{}", {})
    assert attempt.status is None
    assert attempt.error == f"refused: the name leads to {address}"


async def test_one_private_address_among_public_ones_taints_the_name():
    async with Sender(resolve=FakeResolver(["93.184.216.34", "10.0.0.1"])) as sender:
        attempt = await sender.send("https://hooks.example.com/in", b"{}", {})
    assert attempt.error == "refused: the name leads to 10.0.0.1"


async def test_dns_rebinding_gains_nothing(subscriber, monkeypatch):
    """A name is public when it is judged and private when asked again: the address that was judged is dialled."""
    resolver = FakeResolver(["93.184.216.34"], ["127.0.0.1"])
    dialled: list[str] = []
    async with Sender(resolve=resolver) as sender:
        backend = sender._http._transport.backend

        async def dial(host, port, *more):
            dialled.append(host)
            raise OSError("no network in tests")

        monkeypatch.setattr(backend._inner, "connect_tcp", dial)
        first = await sender.send("https://hooks.example.com/in", b"{}", {})
        second = await sender.send("https://hooks.example.com/in", b"{}", {})
    assert dialled == ["93.184.216.34"]
    assert "no network" in first.error
    assert second.error == "refused: the name leads to 127.0.0.1"
    assert len(resolver.asked) == 2, "asked once for each connection, never a second time behind the check"


async def test_the_checked_address_is_dialled_under_the_names_own_host_header(subscriber):
    port = subscriber.url.split(":")[2].split("/")[0]
    async with Sender(allow_private=True, resolve=FakeResolver(["127.0.0.1"])) as sender:
        attempt = await sender.send(f"http://hooks.example.com:{port}/in", b'{"_id": "1"}', {})
    assert attempt.delivered
    assert subscriber.headers[0]["host"] == f"hooks.example.com:{port}"


async def test_a_second_address_is_tried_when_the_first_does_not_answer(subscriber):
    port = subscriber.url.split(":")[2].split("/")[0]
    async with Sender(allow_private=True, resolve=FakeResolver(["127.0.0.2", "127.0.0.1"])) as sender:
        attempt = await sender.send(f"http://hooks.example.com:{port}/in", b'{"_id": "1"}', {})
    assert attempt.delivered


async def test_a_name_that_does_not_resolve_is_a_failed_attempt():
    async def nothing(host: str, port: int) -> Sequence[str]:
        raise OSError("unknown name")

    async with Sender(resolve=nothing) as sender:
        attempt = await sender.send("https://hooks.example.com/in", b"{}", {})
    assert "does not resolve" in attempt.error


async def test_a_subscriber_that_never_answers_is_given_up(subscriber):
    subscriber.hold.clear()
    async with Sender(allow_private=True, seconds=0.2) as sender:
        attempt = await sender.send(subscriber.url, b"{}", {})
    assert attempt.status is None
    assert "0.2 seconds" in attempt.error


async def test_an_endless_answer_is_cut_short_and_a_dripping_one_ends_with_the_time():
    endless = await asyncio.start_server(_endless, "127.0.0.1", 0)
    port = endless.sockets[0].getsockname()[1]
    async with Sender(allow_private=True, seconds=5) as sender:
        attempt = await sender.send(f"http://127.0.0.1:{port}/in", b"{}", {})
    endless.close()
    assert attempt.status == 500
    assert 0 < len(attempt.error) <= 200


async def _endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n")
    try:
        while True:
            writer.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
            await writer.drain()
    except ConnectionError:
        writer.close()


async def test_a_body_beyond_reason_is_not_sent(subscriber):
    async with Sender(allow_private=True) as sender:
        attempt = await sender.send(subscriber.url, b"x" * (MAX_BODY_BYTES + 1), {})
    assert attempt.status is None
    assert not subscriber.met.is_set()


async def test_private_targets_are_refused_by_default():
    open_one = Subscriber()
    async with Sender() as sender:
        attempt = await sender.send(open_one.url, b"{}", {})
    assert attempt.status is None
    assert not open_one.met.is_set()
    open_one.close()
