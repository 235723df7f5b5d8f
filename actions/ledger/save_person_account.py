"""Checks a person account's number, fiscal year and bank accounts, and keeps the provider's answer in the output."""

from __future__ import annotations

from typing import Any

from actions.ledger.fiscal_year import FIELD, check_start
from connector.core.problem import Problem
from connector.core.resources.envelopes import object_in


def check(inputs: dict[str, Any]) -> None:
    """Refuse a business partner that the books cannot hold."""
    _check_number(inputs["personenkontoNummer"], inputs["kontonummernLaenge"])
    check_start(inputs[FIELD])
    _check_main_account(inputs.get("bankkonten", ()))


def shape(reply: Any) -> dict[str, Any]:
    """The person account, with what the provider answered beside it: a save may succeed with remarks."""
    account = object_in(reply)
    if account is not reply and "ledgerAntwort" in reply:
        return {**account, "ledgerAntwort": reply["ledgerAntwort"]}
    return account


def _check_number(number: str, length: int) -> None:
    if number.startswith("0"):
        raise Problem("number_first_digit", field="personenkontoNummer", number=number)
    # Whether the length counts ledger accounts (person accounts then have one digit more) or person accounts
    # themselves is not described, so both are accepted.
    digits, longer = len(number), length + 1
    counted: dict[str, Any] = {"number": number, "digits": digits, "length": length, "longer": longer}
    if digits < length:
        raise Problem("number_too_short", field="personenkontoNummer", difference=length - digits, **counted)
    if digits > longer:
        raise Problem("number_too_long", field="personenkontoNummer", difference=digits - longer, **counted)


def _check_main_account(accounts: Any) -> None:
    main = [place for place, account in enumerate(accounts) if account.get("istHauptkonto")]
    if len(main) > 1:
        first, second = main[:2]
        field = f"bankkonten[{second}].istHauptkonto"
        raise Problem("two_main_accounts", field=field, first=first + 1, line=second + 1)
