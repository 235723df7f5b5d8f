from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from connector.sandbox.banking.demo import ENDING_SOON, HOUSE_BANK, MAIN_ACCOUNT, SAVINGS, SECOND_ACCOUNT
from connector.sandbox.banking.sepa import parse_purpose
from tests.support.running_sandbox import RunningSandbox

PATH = "/v2/banking/transactions"


def _list(sandbox: RunningSandbox, **query: str) -> list[dict[str, Any]]:
    answer = sandbox.api.get(PATH, params=query)
    assert answer.status_code == 200, answer.text
    data: list[dict[str, Any]] = json.loads(answer.text, parse_float=Decimal)["data"]
    return data


@pytest.mark.conforms("transactions.reach")
def test_a_bank_connection_lists_all_its_accounts_and_an_account_only_itself(sandbox: RunningSandbox) -> None:
    whole, of_account = _list(sandbox, connection_id=HOUSE_BANK), _list(sandbox, account_id=SAVINGS)
    assert {row["account_id"] for row in whole} == {MAIN_ACCOUNT, SAVINGS}
    assert [row for row in whole if row["account_id"] == SAVINGS] == of_account
    assert _list(sandbox, connection_id=HOUSE_BANK, account_id=SAVINGS) == of_account


def test_an_account_of_another_bank_connection_is_404(sandbox: RunningSandbox) -> None:
    query = {"connection_id": ENDING_SOON, "account_id": SAVINGS}
    assert sandbox.api.get(PATH, params=query).status_code == 404
    assert sandbox.api.get(PATH, params={"account_id": "1"}).status_code == 404
    assert sandbox.api.get(PATH, params={"connection_id": "1"}).status_code == 404


@pytest.mark.conforms("transaction.fields", "transaction.parsed_description", "transaction.extra")
def test_a_transaction_has_exactly_the_fields_described(sandbox: RunningSandbox) -> None:
    payment = sandbox.api.get("/v2/banking/payments").json()["data"][0]["id"]
    sandbox.order("/transactions", account_id=MAIN_ACCOUNT, payment_id=payment)
    rows = _list(sandbox, account_id=MAIN_ACCOUNT)
    assert {name for row in rows for name in row} == {
        "id",
        "account_id",
        "payment_id",
        "duplicated",
        "mode",
        "status",
        "made_on",
        "amount",
        "currency_code",
        "description",
        "description_parsed",
        "category",
        "extra",
        "created_at",
        "updated_at",
    }
    assert set(rows[0]["description_parsed"]) == {
        "cred",
        "mref",
        "kref",
        "debt",
        "svwz",
        "abwa",
        "abwe",
        "bic",
        "oamt",
        "coam",
        "purp",
    }
    assert {name for row in rows for name in row["extra"]} == {
        "time",
        "payee",
        "payer",
        "additional",
        "merchant_id",
        "posting_date",
        "end_to_end_id",
        "payee_information",
        "payer_information",
        "account_balance_snapshot",
        "categorization_confidence",
    }


@pytest.mark.conforms("transactions.sort", "transactions.default_order")
def test_the_default_order_is_by_value_date_then_id(sandbox: RunningSandbox) -> None:
    rows = _list(sandbox, connection_id=HOUSE_BANK)
    keys = [(row["made_on"], int(row["id"])) for row in rows]
    assert keys == sorted(keys)
    assert rows == _list(sandbox, connection_id=HOUSE_BANK, sort="made_on")


@pytest.mark.conforms("transactions.sort")
def test_sorted_by_id_the_numbers_ascend_over_all_accounts(sandbox: RunningSandbox) -> None:
    ids = [int(row["id"]) for row in _list(sandbox, connection_id=HOUSE_BANK, sort="id")]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)


@pytest.mark.conforms("transaction.id")
def test_ids_are_texts_that_neither_a_double_nor_a_text_order_can_hold(sandbox: RunningSandbox) -> None:
    ids = [row["id"] for row in _list(sandbox, connection_id=HOUSE_BANK, sort="id")]
    assert all(isinstance(id, str) and int(id) > 2**53 for id in ids)
    assert len({float(id) for id in ids}) < len(ids)
    assert ids != sorted(ids)


@pytest.mark.conforms("transactions.from_id")
def test_the_cursor_is_exclusive_and_compared_as_a_number(sandbox: RunningSandbox) -> None:
    rows = _list(sandbox, account_id=MAIN_ACCOUNT, sort="id")
    assert _list(sandbox, account_id=MAIN_ACCOUNT, sort="id", from_id=rows[99]["id"]) == rows[100:]
    assert _list(sandbox, account_id=MAIN_ACCOUNT, sort="id", from_id="00" + rows[99]["id"]) == rows[100:]
    between = str(int(rows[99]["id"]) - 1)
    assert _list(sandbox, account_id=MAIN_ACCOUNT, sort="id", from_id=between) == rows[99:]
    assert _list(sandbox, account_id=MAIN_ACCOUNT, sort="id", from_id=rows[-1]["id"]) == []
    assert _list(sandbox, account_id=MAIN_ACCOUNT, sort="id", from_id="0") == rows
    assert _list(sandbox, account_id=MAIN_ACCOUNT, sort="id", from_id="9" * 40) == []


@pytest.mark.conforms("transactions.from_id")
def test_the_cursor_also_works_in_the_order_of_value_dates(sandbox: RunningSandbox) -> None:
    rows = _list(sandbox, account_id=MAIN_ACCOUNT)
    cursor = "1000000000000000000"
    assert _list(sandbox, account_id=MAIN_ACCOUNT, from_id=cursor) == [
        row for row in rows if int(row["id"]) > int(cursor)
    ]


@pytest.mark.conforms("transactions.from_date")
def test_both_dates_are_inclusive(sandbox: RunningSandbox) -> None:
    rows = _list(sandbox, account_id=MAIN_ACCOUNT)
    first, last = rows[40]["made_on"], rows[90]["made_on"]
    listed = _list(sandbox, account_id=MAIN_ACCOUNT, from_date=first, to_date=last)
    assert listed == [row for row in rows if first <= row["made_on"] <= last]
    assert listed[0]["made_on"] == first
    assert listed[-1]["made_on"] == last
    assert _list(sandbox, account_id=MAIN_ACCOUNT, from_date=last, to_date=first) == []


@pytest.mark.conforms("transaction.id", "transactions.from_id")
def test_a_late_arrival_gets_a_higher_id(sandbox: RunningSandbox) -> None:
    newest = _list(sandbox, account_id=MAIN_ACCOUNT, sort="id")[-1]
    late = sandbox.order("/transactions", made_on="2026-01-02")["data"][0]
    assert int(late["id"]) > int(newest["id"])
    assert [row["id"] for row in _list(sandbox, account_id=MAIN_ACCOUNT, sort="id", from_id=newest["id"])] == [
        late["id"]
    ]
    assert _list(sandbox, account_id=MAIN_ACCOUNT)[0]["id"] == late["id"]


def test_the_demo_data_holds_late_pending_and_duplicated_ones(sandbox: RunningSandbox) -> None:
    rows = _list(sandbox, connection_id=HOUSE_BANK, sort="id")
    assert any(row["status"] == "pending" for row in rows)
    assert any(row["duplicated"] for row in rows)
    assert [row["made_on"] for row in rows] != sorted(row["made_on"] for row in rows)


@pytest.mark.conforms("transaction.amount")
@pytest.mark.parametrize("amount", ["123456789012345.67", "-0.01", "-98765432109876.543", "100", "0.10"])
def test_an_amount_of_17_digits_comes_back_with_17_digits(sandbox: RunningSandbox, amount: str) -> None:
    newest = _list(sandbox, account_id=MAIN_ACCOUNT, sort="id")[-1]["id"]
    answer = sandbox.api.post("/sandbox/transactions", content=f'{{"amount": {amount}}}')
    assert answer.status_code == 200
    text = sandbox.api.get(PATH, params={"account_id": MAIN_ACCOUNT, "from_id": newest}).text
    assert f'"amount":{amount},' in text


@pytest.mark.conforms("transactions.sort")
def test_a_page_size_cuts_the_list_and_the_cursor_goes_on(sandbox: RunningSandbox) -> None:
    rows = _list(sandbox, connection_id=HOUSE_BANK, sort="id")
    sandbox.order("/settings", page_size=100)
    pages, cursor = [], "0"
    while page := _list(sandbox, connection_id=HOUSE_BANK, sort="id", from_id=cursor):
        assert len(page) <= 100
        pages += page
        cursor = page[-1]["id"]
    assert pages == rows


@pytest.mark.conforms("transaction.endpoint")
def test_one_transaction_is_found_by_its_account(sandbox: RunningSandbox) -> None:
    row = _list(sandbox, account_id=MAIN_ACCOUNT, sort="id")[17]
    answer = sandbox.api.get(f"{PATH}/{row['id']}", params={"account_id": MAIN_ACCOUNT})
    assert json.loads(answer.text, parse_float=Decimal) == {"data": row}


def test_a_transaction_of_another_account_is_404(sandbox: RunningSandbox) -> None:
    row = _list(sandbox, account_id=MAIN_ACCOUNT, sort="id")[17]
    assert sandbox.api.get(f"{PATH}/{row['id']}", params={"account_id": SECOND_ACCOUNT}).status_code == 404
    assert sandbox.api.get(f"{PATH}/0{row['id']}", params={"account_id": MAIN_ACCOUNT}).status_code == 404


def test_posting_and_flagging_keep_the_id_and_correct_the_balance(sandbox: RunningSandbox) -> None:
    account = sandbox.world.banking.accounts[MAIN_ACCOUNT]
    before = account.balance
    pending = sandbox.order("/transactions", status="pending", amount=50)["data"][0]
    assert account.balance == before
    posted = sandbox.order(f"/transactions/{pending['id']}", status="posted")["data"]
    assert (posted["id"], posted["status"]) == (pending["id"], "posted")
    assert account.balance == before + 50
    sandbox.order(f"/transactions/{pending['id']}", duplicated=True)
    assert account.balance == before


@pytest.mark.conforms("transaction.parsed_description")
def test_the_purpose_text_is_read_into_its_fields() -> None:
    parsed = parse_purpose("SVWZ+Abschlag Strom MREF+M-77120 CRED+DE98ZZZ00000431207 EREF+X1")
    assert (parsed.svwz, parsed.mref, parsed.cred, parsed.kref) == (
        "Abschlag Strom",
        "M-77120",
        "DE98ZZZ00000431207",
        None,
    )
    assert parse_purpose("Kontoführung").svwz == "Kontoführung"
