"""Fills in the form of any action or lookup with values that the sandbox knows: examples, and options of dropdowns."""

from __future__ import annotations

from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Manifest
from connector.runtime.session import Session
from connector.sandbox.ledger.demo import ledger_connection_id

NORDLICHT = ledger_connection_id("nordlicht")


def all_inputs(manifest: Manifest, session: Session) -> dict[str, Any]:
    """Every input that makes sense at once, not only the required ones."""
    values: dict[str, Any] = {}
    for field in manifest.inputs:
        value = _value(field, values, session)
        if value is not None:
            values[field.name] = value
    if isinstance(manifest, Action) and manifest.picked:  # so that a run must ask
        session._procedures.cache.invalidate({field.lookup.id for field in manifest.inputs if field.lookup})
    return {**values, **SPECIAL.get(manifest.id, lambda session, values: {})(session, values)}


def required_inputs(manifest: Manifest, session: Session) -> dict[str, Any]:
    """Just enough to be sent."""
    return _only({field.name for field in manifest.inputs if field.required}, manifest, session)


def needed_inputs(manifest: Manifest, session: Session) -> dict[str, Any]:
    """Just enough for a package that derives nothing."""
    return _only({field.name for field in manifest.inputs if field.needed}, manifest, session)


def _only(names: set[str], manifest: Manifest, session: Session) -> dict[str, Any]:
    everything = all_inputs(manifest, session)
    return {name: everything[name] for name in everything if name in names | NEEDED.get(manifest.id, set())}


NEEDED = {"list_transactions": {"account_id"}, "call_api": {"method"}}


def _value(field: Field, others: dict[str, Any], session: Session) -> Any:
    if field.name == "ledger_connection":
        return NORDLICHT
    if field.name == "client":
        return None  # the default client is meant
    if field.place.startswith("beside_"):
        return None  # names that nobody knows: not every package can send them, and the cases say what becomes of them
    if field.lookup is None:
        return field.example
    given = {}
    for name, source in field.lookup.with_.items():
        value = others.get(source[1:]) if isinstance(source, str) and source.startswith("$") else source
        if value is not None:
            given[name] = value
    options = session.options(field.lookup.id, given)
    return next((option.value for option in options if option.value == field.example), options.options[0].value)


def _this_year(session: Session, values: dict[str, Any]) -> dict[str, Any]:
    return {"geschaeftsjahrStartDatum": f"{session.clock.utcnow():%Y}-01-01"}


def _transaction(session: Session, values: dict[str, Any]) -> dict[str, Any]:
    rows = session.invoke("list_transactions", {"account_id": values["account_id"], "sort": "id"}).output["items"]
    return {"id": rows[0]["id"]}


def _own_account(session: Session, values: dict[str, Any]) -> dict[str, Any]:
    account = session.options("bank_accounts", {"payments_only": True}).options[0].value
    mine = session.invoke("list_payments", {"account_id": account, "limit": 1}).output["items"][0]["connection_id"]
    days = {
        name: "2020-01-01" if name.endswith(("from", "from_date")) else "2099-12-31" for name in values if name in DAYS
    }
    return {"account_id": account, "connection_id": mine, "from_id": "1", "sort": "id", **days}


DAYS = {"from_date", "to_date", "created_from", "created_to"}
SPECIAL = {
    "list_payment_terms": _this_year,
    "payment_terms": _this_year,
    "get_trial_balance": _this_year,
    "get_due_dates": _this_year,
    "save_person_account": _this_year,
    "get_transaction": _transaction,
    "list_transactions": _own_account,
    "list_payments": _own_account,
    "initiate_payment": lambda session, values: {
        "account_id": session.options("bank_accounts", {"payments_only": True}).options[0].value
    },
    "call_api": lambda session, values: {"method": "POST", "path": "/v2/banking/connect", "query": {"a": "1"}},
}
