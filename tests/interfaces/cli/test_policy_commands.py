"""`kontor policy`, `approvals`, `approve` and `reject`, on the data of this machine and over HTTP."""

from __future__ import annotations

from connector.core.messages import say
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.interfaces.cli.kontor_command import Kontor

PAYMENT = (
    *("--set", f"account_id={MAIN_ACCOUNT}", "--set", "creditor_name=Reifen Voss KG"),
    *("--set", "creditor_iban=DE02120300000000202051", "--set", "description=Rechnung V-88120"),
)


def test_a_policy_is_shown_changed_and_taken_back(kontor_here: Kontor, where: dict[str, str]) -> None:
    changed = kontor_here("policy", "set", "approve_above=1.500,00", "payees=known", "--json", **where).document
    assert (changed["workspace"], changed["policy"]["approve_above"], changed["policy"]["payees"]) == (
        "default",
        1500,
        "known",
    )
    assert kontor_here("policy", "--json", **where).document["policy"] == changed["policy"]
    assert kontor_here("policy", "set", "approve_above=", "--json", **where).document["policy"]["approve_above"] is None
    shown = kontor_here("policy", KONTOR_LANG="de", **where)
    assert "muss eine andere Person freigeben" in shown.out
    wrong = kontor_here("policy", "set", "most_each=viel", "--json", **where)
    assert (wrong.status, wrong.error["field"]) == (2, "most_each")
    assert kontor_here("policy", "set", "--json", **where).status == 2


def test_nothing_waits_at_first_and_an_unknown_run_is_not_found(kontor_here: Kontor, where: dict[str, str]) -> None:
    assert kontor_here("approvals", "--json", **where).document == {"ok": True, "runs": []}
    assert say("approvals_none").en in kontor_here("approvals", **where).out
    for command in ("approve", "reject"):
        missing = kontor_here(command, "0123", "--json", **where)
        assert missing.error["kind"] == "not_found", command


def test_the_policy_holds_on_the_command_line_and_without_a_host_nothing_waits(kontor_here: Kontor) -> None:
    kontor_here("policy", "set", "most_each=1000", "approve_above=500")
    over = kontor_here("run", "initiate_payment", *PAYMENT, "--set", "amount=1000.01", "--json")
    assert (over.status, over.error["kind"], over.error["outcome"]) == (3, "right_missing", "not_sent")
    waits = kontor_here("run", "initiate_payment", *PAYMENT, "--set", "amount=800", "--json")
    assert (waits.status, waits.error["outcome"]) == (3, "not_sent")
    assert "kontor serve" in waits.error["remedy"]["en"]
    assert kontor_here("run", "initiate_payment", *PAYMENT, "--set", "amount=499", "--json").status == 0
