"""Reads through all kinds of trouble, asynchronous and blocking alike."""

import asyncio
import logging
import threading
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connector.client import AsyncClient, Call, Client, KeyState
from connector.core.errors import BadReply, KeyRefused, KontorError, NotFound, Refused, RightMissing, ServiceDown
from connector.core.service.credential import Credential
from connector.core.values.json import decode_items
from connector.core.values.money import as_money, total

ACCOUNTS = Call("GET", "/v2/banking/accounts", deadline=20)


class Both:
    """Runs a call with the blocking client and with the asynchronous one, on the same credential."""

    def __init__(self, url: str, kind: str) -> None:
        self.url, self.kind = url, kind

    def call(self, call: Call, key: str = "sandbox-key"):
        credential = Credential(self.url, key, quelle="n8n")
        if self.kind == "blocking":
            with Client(credential, state=KeyState()) as client:
                return client.call(call)

        async def run():
            async with AsyncClient(credential, state=KeyState()) as client:
                return await client.call(call)

        return asyncio.run(run())


@pytest.fixture(params=["blocking", "asynchronous"])
def client(request, sandbox) -> Both:
    return Both(sandbox.url, request.param)


@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "error_500", "truncated"])
def test_a_read_survives_a_passing_fault(client, sandbox, kind):
    sandbox.order("/faults", kind=kind, times=2)
    reply = client.call(ACCOUNTS)
    assert reply.attempts == 3
    assert reply.value["data"]


def test_a_read_gives_up_at_its_deadline_and_says_that_it_is_safe_to_retry(client, sandbox):
    sandbox.order("/faults", kind="error_500", times=None)
    with pytest.raises(ServiceDown) as caught:
        client.call(Call("GET", "/v2/banking/accounts", deadline=1.0))
    assert caught.value.retryable
    sandbox.heal()


def test_a_slow_answer_is_given_up_and_asked_for_again(client, sandbox):
    sandbox.order("/faults", kind="slow", times=1, seconds=2.0)
    assert client.call(Call("GET", "/v2/banking/accounts", timeout=0.3, deadline=10)).attempts == 2


@pytest.mark.parametrize("kind", ["malformed", "wrong_content_type"])
def test_an_unreadable_answer_is_a_bad_reply_and_no_traceback(client, sandbox, kind):
    sandbox.order("/faults", kind=kind, times=1)
    with pytest.raises(BadReply):
        client.call(ACCOUNTS)


def test_a_service_that_is_not_there_is_named(client, unused_port):
    client.url = f"http://127.0.0.1:{unused_port}"
    with pytest.raises(ServiceDown, match=str(unused_port)) as caught:
        client.call(Call("GET", "/v2/banking/accounts", deadline=0.8))
    assert caught.value.outcome == "not_sent"


@pytest.mark.conforms("authentication.key")
def test_a_wrong_key_is_refused_and_never_shown(client, caplog):
    caplog.set_level(logging.DEBUG)
    with pytest.raises(KeyRefused) as caught:
        client.call(ACCOUNTS, key="sk_wrong_but_secret")
    shown = f"{caught.value!r} {caught.value.as_dict('de')} {caplog.text} {caught.value.__cause__}"
    assert "sk_wrong_but_secret" not in shown


@pytest.mark.conforms("authentication.agency_keys")
def test_an_agency_key_is_told_that_the_account_is_out_of_its_scope(client, sandbox):
    everything = {item["id"] for item in sandbox.api.get("/v2/banking/accounts").json()["data"]}
    agency = sandbox.with_key("sandbox-agency-key")
    scope = {item["id"] for item in agency.get("/v2/banking/accounts").json()["data"]}
    outside = sorted(everything - scope)[0]
    with pytest.raises(RightMissing) as caught:
        client.call(Call("GET", "/v2/banking/transactions", {"account_id": outside}), key="sandbox-agency-key")
    assert "scope" in caught.value.remedy.en


@pytest.mark.conforms("error.message", "errors.missing_parameter")
def test_the_words_of_a_400_reach_the_user(client):
    with pytest.raises(Refused, match="connection_id"):
        client.call(Call("GET", "/v2/banking/transactions"))


def test_what_is_not_there_is_not_found(client):
    with pytest.raises(NotFound):
        client.call(Call("GET", "/v2/banking/connections/nowhere"))


@pytest.mark.conforms("endpoints.quelle")
def test_ledger_calls_carry_the_label_and_banking_calls_do_not(client, sandbox):
    client.call(Call("GET", "/v2/ledger-rewe-read/connections", carries_quelle=True))
    client.call(ACCOUNTS)
    ledger, banking = sandbox.requests()[-2:]
    assert ledger["query"] == {"quelle": "n8n"}
    assert banking["query"] == {}


@pytest.mark.conforms("endpoints.dropdown_use")
def test_dropdown_use_is_marked_and_free(client, sandbox):
    ledger_connection = sandbox.api.get("/v2/ledger-duo/connections").json()["connections"][0]["id"]
    query = {"connection_id": ledger_connection}
    call = Call("GET", "/v2/ledger-duo/kassenbuecher", query, carries_quelle=True, lookup=True, marked=True)
    before = sandbox.balance()
    assert client.call(call).charge.cost == 0
    assert sandbox.requests()[-1]["dropdown"]
    assert sandbox.balance() == before


@pytest.mark.conforms("conventions.credit_balance")
def test_a_paid_call_tells_its_cost_and_the_balance(client, sandbox):
    ledger_connection = sandbox.api.get("/v2/ledger-duo/connections").json()["connections"][0]["id"]
    call = Call(
        "GET", "/v2/ledger-duo/kassenbuecher", {"connection_id": ledger_connection}, carries_quelle=True, cost=1
    )
    charge = client.call(call).charge
    assert (charge.cost, charge.balance) == (1, sandbox.balance())


def test_clients_of_one_key_share_one_governor_and_one_credit_ledger(sandbox):
    credential = Credential(sandbox.url, "sandbox-key-2")
    with Client(credential) as one, Client(Credential(sandbox.url, "sandbox-key-2")) as other:
        assert one.state is other.state
    with Client(Credential(sandbox.url, "sandbox-agency-key")) as stranger:
        assert stranger.state is not one.state


def test_no_httpx_client_or_certificates_are_built_per_call(sandbox, monkeypatch):
    import ssl

    import httpx

    with Client(Credential(sandbox.url, "sandbox-key"), state=KeyState()) as client:
        client.call(ACCOUNTS)

        def forbidden(*_args, **_more):
            raise AssertionError("built per call")

        monkeypatch.setattr(httpx.Client, "__init__", forbidden)
        monkeypatch.setattr(ssl, "SSLContext", forbidden)
        monkeypatch.setattr(ssl, "create_default_context", forbidden)
        assert client.call(ACCOUNTS).value["data"]


def test_one_client_serves_many_threads(sandbox):
    with Client(Credential(sandbox.url, "sandbox-key"), state=KeyState()) as client:
        found, failed = [], []

        def work():
            try:
                found.append(len(client.call(ACCOUNTS).value["data"]))
            except KontorError as error:
                failed.append(error)

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failed
    assert len(set(found)) == 1
    assert len(found) == 16


amounts = st.decimals(min_value=Decimal("-1e15"), max_value=Decimal("1e15"), places=2, allow_nan=False).filter(
    lambda amount: len(amount.as_tuple().digits) <= 17 and amount
)


@pytest.mark.conforms("transaction.amount")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(amounts, min_size=1, max_size=20))
def test_amounts_of_seventeen_digits_go_from_service_to_client_and_back_unchanged(sandbox, sent):
    sandbox.order("/limits", limit=1_000_000)
    account = sandbox.api.get("/v2/banking/accounts").json()["data"][0]["id"]
    rows = sandbox.api.get("/v2/banking/transactions", params={"account_id": account, "sort": "id"}).json()["data"]
    last = rows[-1]["id"]
    for amount in sent:
        sandbox.order_exact("/transactions", {"account_id": account, "amount": amount})
    with Client(Credential(sandbox.url, "sandbox-key"), state=KeyState()) as client:
        reply = client.call(
            Call(
                "GET", "/v2/banking/transactions", {"account_id": account, "sort": "id", "from_id": last}, keep_raw=True
            )
        )
        read = [as_money(item["amount"]) for item in decode_items(reply.body)]
        assert [str(amount) for amount in read] == [str(amount) for amount in sent]
        lines = [{"belegtext": "Zeile", "gegenkonto": "8400", "betrag": amount} for amount in read]
        body = {"betrag": total(read), "belegzeilen": lines}
        with pytest.raises(Refused):
            client.call(Call("POST", "/v2/ledger-duo/kassenbuch-advanced", body=body, writes=True))
    received = sandbox.requests()[-1]["body"]
    assert [str(line["betrag"]) for line in received["belegzeilen"]] == [str(amount) for amount in sent]
    assert received["betrag"] == sum(int(amount * 100) for amount in sent) / Decimal(100)
