"""What each role may run, decided by what the manifest declares and by where the final call goes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from connector import Connector, Credential
from connector.core.callers import INCLUDED, ROLES, Actor, Invoker, Role
from connector.core.errors import InputError, RightMissing
from connector.runtime.result import Result
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.support.running_sandbox import RunningSandbox

PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": "297.50",
    "currency_code": "EUR",
    "description": "Rechnung V-88120",
}
PATHS = ("/v2/banking/payments", "/v2/banking/payments/", "/v2//banking/payments", "/v2/banking/payments/1/confirm")


def invoke(sandbox: RunningSandbox, role: Role, action: str, inputs: dict[str, Any], **more: Any) -> Result:
    async def run() -> Result:
        connector = Connector()
        try:
            async with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
                return await session.invoke(action, inputs, invoker=Invoker(actor=Actor("a", role)), **more)
        finally:
            connector.close()

    return asyncio.run(run())


@pytest.mark.parametrize("role", ROLES)
def test_only_payer_and_admin_pay(sandbox: RunningSandbox, role: Role) -> None:
    if role in {"payer", "admin"}:
        assert invoke(sandbox, role, "initiate_payment", PAYMENT).output["id"]
    else:
        with pytest.raises(RightMissing) as refused:
            invoke(sandbox, role, "initiate_payment", PAYMENT)
        assert refused.value.details == {"role": role, "needed": "payer"}
        assert (refused.value.outcome, refused.value.exit_status) == ("not_sent", 3)
        assert "payer" in refused.value.message.en
        assert "„Zahlen“" in refused.value.message.de


@pytest.mark.parametrize("role", ROLES)
def test_only_an_admin_sets_the_webhook_url(sandbox: RunningSandbox, role: Role) -> None:
    inputs = {"webhook_url": "https://flow.example/hook"}
    if role == "admin":
        invoke(sandbox, role, "set_webhook_url", inputs, dry_run=True)
    else:
        with pytest.raises(RightMissing):
            invoke(sandbox, role, "set_webhook_url", inputs, dry_run=True)


@pytest.mark.parametrize("role", ROLES)
def test_viewer_and_approver_run_nothing(sandbox: RunningSandbox, role: Role) -> None:
    if "operator" in INCLUDED[role]:
        assert invoke(sandbox, role, "list_bank_accounts", {}).output["items"]
    else:
        with pytest.raises(RightMissing):
            invoke(sandbox, role, "list_bank_accounts", {})


@pytest.mark.parametrize("role", ["operator", "payer", "admin"])
@pytest.mark.parametrize("path", PATHS)
def test_a_freely_chosen_path_is_no_way_around_roles_and_policy(sandbox: RunningSandbox, path: str, role: Role) -> None:
    with pytest.raises((RightMissing, InputError)):  # some of them are no path of the API at all
        invoke(sandbox, role, "call_api", {"method": "POST", "path": path, "body": {}}, dry_run=True)


def test_reading_a_path_that_moves_money_needs_no_payer(sandbox: RunningSandbox) -> None:
    read = invoke(sandbox, "operator", "call_api", {"method": "GET", "path": PATHS[0]})
    assert read.output["data"]


def test_whoever_uses_kontor_alone_has_no_role_and_may_do_everything(sandbox: RunningSandbox) -> None:
    connector = Connector()
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        assert session.invoke("initiate_payment", PAYMENT, dry_run=True).dry_run
    connector.close()
