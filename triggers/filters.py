"""Decides whether an event passes the filters that a person has filled in; an empty filter lets everything pass."""

from __future__ import annotations

from typing import Any

PLAIN = ("connection_id", "provider_code", "payment_id", "status", "error_class", "refresh_type")
"""Filters that compare with the field of the same name in the event's data."""


def fires(event: str, data: dict[str, Any], inputs: dict[str, Any]) -> bool:
    """Whether an event passes all filters that are filled in."""
    if "event" in inputs and event != inputs["event"]:
        return False
    if any(name in inputs and _text(data.get(name)) != _text(inputs[name]) for name in PLAIN):
        return False
    return _passes_account(data, inputs) and _passes_debtor(data, inputs) and _passes_custom_fields(data, inputs)


def _passes_account(data: dict[str, Any], inputs: dict[str, Any]) -> bool:
    if "account_id" not in inputs:
        return True
    accounts = data.get("accounts")
    shown = [one.get("id") for one in accounts if isinstance(one, dict)] if isinstance(accounts, list) else []
    return _text(inputs["account_id"]) in map(_text, [*shown, data.get("account_id")])


def _passes_debtor(data: dict[str, Any], inputs: dict[str, Any]) -> bool:
    if "debtor_iban" not in inputs:
        return True
    attributes = data.get("payment_attributes")
    iban = attributes.get("debtor_iban") if isinstance(attributes, dict) else None
    return isinstance(iban, str) and "".join(iban.split()).upper() == inputs["debtor_iban"]


def _passes_custom_fields(data: dict[str, Any], inputs: dict[str, Any]) -> bool:
    """A name alone asks for the field to be there, a value alone for any field with it."""
    custom = data.get("custom_fields")
    fields = custom if isinstance(custom, dict) else {}
    if "custom_field" in inputs:
        fields = {name: value for name, value in fields.items() if name == inputs["custom_field"]}
    if "custom_value" in inputs:
        return _text(inputs["custom_value"]) in map(_text, fields.values())
    return "custom_field" not in inputs or bool(fields)


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)
