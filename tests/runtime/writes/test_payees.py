"""A known payee with another IBAN, or a known IBAN with another name, is told, and waits by policy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.client.exchange import MAX_ATTEMPTS
from connector.core.errors import KontorError, RightMissing
from connector.core.writes.policy import Policy
from connector.runtime.session import Session
from connector.store.schema import payees
from connector.store.trust import workspaces
from tests.support.ibans import german_iban
from tests.support.running_sandbox import RunningSandbox

VOSS, OTHER = "DE02120300000000202051", "DE75512108001245126199"


class Payer:
    """Pays from one account, and says what came of it."""

    def __init__(self, connector: Connector, session: Session) -> None:
        self._connector, self._session = connector, session
        self._account = str(session.options("bank_accounts", {"payments_only": True}).options[0].value)
        self._number = 0

    def allow(self, **values: Any) -> None:
        policy, now = Policy().changed(values, ()), self._session.clock.utcnow()
        self._connector.database.write(lambda c: workspaces.save_policy(c, "default", policy, now)).result()
        self._connector.shared.policies.clear()

    def pay(self, name: str, iban: str, amount: str = "10.00", **more: Any) -> Any:
        self._number += 1
        inputs = {"account_id": self._account, "creditor_name": name, "creditor_iban": iban, "amount": amount}
        return self._session.invoke("initiate_payment", {**inputs, "description": f"R {self._number}"}, **more)

    def is_held(self, name: str, iban: str, amount: str = "10.00") -> bool:
        try:
            self.pay(name, iban, amount)
        except RightMissing as refused:
            if refused.reason != "approval_needs_host":
                raise
            return True
        return False


@pytest.fixture
def payer(connector: Connector, session: Session) -> Payer:
    return Payer(connector, session)


def reasons(result: Any) -> list[str]:
    return [text.en for text in result.warnings]


def sent(sandbox: RunningSandbox) -> int:
    return len(sandbox.api.get("/v2/banking/payments").json()["data"])


def test_a_known_payee_with_another_iban_is_told_in_the_result_and_in_the_dry_run(payer: Payer) -> None:
    assert reasons(payer.pay("Papier Hansen OHG", VOSS)) == []
    (said,) = reasons(payer.pay("Papier Hansen OHG", OTHER))
    assert "was paid at the IBAN DE02…2051 before" in said
    assert "another one (DE75512108001245126199)" in said
    assert reasons(payer.pay("PAPIER  HANSEN ohg", OTHER, dry_run=True)) != []
    assert reasons(payer.pay("Papier Hansen OHG", VOSS, dry_run=True)) == []


def test_a_known_iban_with_another_name_is_told(payer: Payer) -> None:
    payer.pay("Papier Hansen OHG", OTHER)
    (said,) = reasons(payer.pay("Petra Beispiel", OTHER))
    assert "was paid under the name 'Papier Hansen OHG' before" in said


def test_whom_the_service_shows_as_paid_is_known_without_a_payment_of_ours(payer: Payer) -> None:
    payer.allow(changed_payees="approve")
    assert payer.is_held("Velofabrik Muenster AG", OTHER)


@pytest.mark.parametrize(
    "name",
    ["müller & söhne gmbh", "MUELLER UND SOEHNE GMBH", "Mu\u0308ller & So\u0308hne G.m.b.H.", " Müller&Söhne  GmbH "],
)
def test_a_spelling_of_the_same_name_is_the_same_payee(payer: Payer, name: str) -> None:
    payer.allow(changed_payees="approve")
    payer.pay("Müller & Söhne GmbH", VOSS)
    assert not payer.is_held(name, VOSS)
    assert payer.is_held(name, OTHER)


def test_a_changed_payee_without_approval_stays_unknown(payer: Payer) -> None:
    payer.pay("Papier Hansen OHG", VOSS)
    for _ in range(2):
        assert reasons(payer.pay("Papier Hansen OHG", OTHER)) != []


def test_an_iban_that_an_admin_has_entered_is_known(payer: Payer) -> None:
    payer.pay("Papier Hansen OHG", VOSS)
    payer.allow(changed_payees="approve", known_payees=[OTHER])
    assert not payer.is_held("Papier Hansen OHG", OTHER)


def test_while_the_list_cannot_be_read_nothing_is_sent_where_changes_need_approval(
    payer: Payer, sandbox: RunningSandbox
) -> None:
    payer.allow(changed_payees="approve")
    before = sent(sandbox)
    sandbox.order("/faults", kind="error_500", times=None, match={"method": "GET", "path": "/v2/banking/payments"})
    with pytest.raises(KontorError) as failed:
        payer.pay("Neu AG", VOSS)
    assert failed.value.outcome == "not_sent"
    sandbox.control("DELETE", "/faults")
    assert sent(sandbox) == before


def test_a_payment_under_a_key_waits_once_for_a_list_that_cannot_be_read(payer: Payer, sandbox: RunningSandbox) -> None:
    payer.pay("Papier Hansen OHG", VOSS)
    sandbox.order("/faults", kind="error_500", times=None, match={"method": "GET", "path": "/v2/banking/payments"})
    before = len(sandbox.requests())
    with pytest.raises(KontorError) as failed:
        payer.pay("Neu AG", OTHER, key="lauf-1")
    sandbox.control("DELETE", "/faults")
    assert failed.value.outcome == "not_sent"
    assert [row["method"] for row in sandbox.requests()[before:]] == ["GET"] * MAX_ATTEMPTS


def test_a_row_that_kontor_did_not_write_makes_nobody_known(payer: Payer, connector: Connector) -> None:
    payer.allow(changed_payees="approve")
    payer.pay("Papier Hansen OHG", VOSS)
    payer.pay("Neu AG", OTHER)
    database = connector.database

    def forge(connection: Any) -> None:
        rows = {row.body: row for row in connection.execute(payees.select())}
        names = sorted({row.name for row in rows.values()})
        for row in rows.values():
            for name in names:
                forged = {"workspace": "default", "name": name, "iban": row.iban, "body": row.body, "paid_at": 9e9}
                if all((one.name, one.iban) != (name, row.iban) for one in rows.values()):
                    connection.execute(payees.insert().values(forged))

    database.write(forge).result()
    assert payer.is_held("Papier Hansen OHG", OTHER)


def test_what_goes_to_one_payee_in_a_day_counts_together(payer: Payer, sandbox: RunningSandbox) -> None:
    payer.allow(approve_above=100)
    before = sent(sandbox)
    held = [payer.is_held("Papier Hansen OHG", VOSS, "99.99") for _ in range(40)]
    assert held == [False] + [True] * 39
    assert not payer.is_held("Neu AG", OTHER, "99.99"), "another payee has a sum of its own"
    assert payer.is_held("Papier Hansen OHG", "DE89370400440532013000", "0.02"), "the same name counts, at any IBAN"
    assert sent(sandbox) == before + 2


def test_two_at_once_do_not_both_pass_the_sum(payer: Payer, sandbox: RunningSandbox) -> None:
    payer.allow(approve_above=100)
    before = sent(sandbox)
    with ThreadPoolExecutor(8) as pool:
        held = list(pool.map(lambda _: payer.is_held("Papier Hansen OHG", VOSS, "99.99"), range(8)))
    assert sorted(held) == [False] + [True] * 7
    assert sent(sandbox) == before + 1


def test_the_most_for_one_payee_in_a_day_holds_whoever_approves(payer: Payer) -> None:
    payer.allow(most_per_payee=150)
    payer.pay("Papier Hansen OHG", VOSS, "99.99")
    with pytest.raises(RightMissing) as refused:
        payer.pay("Papier Hansen OHG", VOSS, "50.02")
    assert refused.value.reason == "policy_most_per_payee"
    assert "150.01" in refused.value.message.en
    payer.pay("Papier Hansen OHG", VOSS, "50.01")


PAYEES = [(f"{kind} {town} {form}", german_iban(37040044, 100_000 + 50 * a + b)) for a, kind in enumerate(
    ("Bäckerei", "Möbelhaus", "Kühltechnik", "Elektro", "Druckerei")) for b, (town, form) in enumerate(
    (("Köln", "GmbH"), ("Lübeck", "KG"), ("Kiel", "GmbH & Co. KG"), ("Gießen", "e.K."), ("Jena", "AG"),
     ("Fürth", "OHG"), ("Bonn", "UG (haftungsbeschränkt)"), ("Mainz", "e. V.")))]  # fmt: skip
SPELLINGS = (
    str,
    str.upper,
    lambda name: name.replace(" ", "  "),
    lambda name: name.replace("ü", "ue").replace("ö", "oe").replace("ä", "ae").replace("ß", "ss"),
    lambda name: name.replace(".", "").replace("GmbH", "G.m.b.H."),
)


@pytest.mark.long
def test_of_500_payments_no_forged_iban_leaves_and_hardly_an_honest_one_is_held(
    payer: Payer, sandbox: RunningSandbox
) -> None:
    sandbox.order("/credits", balance=100_000)
    for name, iban in PAYEES:
        payer.pay(name, iban)
    payer.allow(changed_payees="approve")
    before = sent(sandbox)
    held = {True: 0, False: 0}
    for number in range(500):
        name, iban = PAYEES[number % len(PAYEES)]
        forged = number % 5 == 0
        spelled = SPELLINGS[number % len(SPELLINGS)](name) if not forged else SPELLINGS[number // 5 % 5](name)
        to = german_iban(10010010, 900_000 + number) if forged else iban
        held[forged] += payer.is_held(spelled, to, str(Decimal(number) / 100 + 1))
    assert held[True] == 100
    assert held[False] <= 4
    assert sent(sandbox) == before + 500 - 100 - held[False]
