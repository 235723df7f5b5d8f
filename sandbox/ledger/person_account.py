"""Handler that creates or updates a person account (business partner)."""

from __future__ import annotations

from typing import Any

from connector.sandbox.ledger import assumptions
from connector.sandbox.ledger.access import client_of, provider_answer, working_ledger_connection
from connector.sandbox.ledger.person_fields import PersonAccountFields
from connector.sandbox.ledger.query import fiscal_year, parse_body, quelle, to_json, without_nulls
from connector.sandbox.ledger.state import LedgerClient, PersonAccount
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World

_LENGTHS = range(4, 10)


def save_person_account(world: World, request: Request) -> dict[str, Any]:
    connection = working_ledger_connection(world, request, "rewe")
    client = client_of(world, request, connection)
    fields = parse_body(request.body, PersonAccountFields)
    check_fields(fields, client)
    key = f"{connection.id}/{client.id}/{fields.personenkonto_nummer}"
    known: PersonAccount | None = world.ledger.person_accounts.get(key)
    saved = PersonAccount(
        ledger_connection_id=connection.id,
        client_id=client.id,
        personenkonto_nummer=fields.personenkonto_nummer,
        erstellt_am=known.erstellt_am if known else request.now,
        aktualisiert_am=request.now if known else None,
        quelle=quelle(request),
        fields=fields,
        saves=known.saves + 1 if known else 1,
    )
    world.ledger.person_accounts[key] = saved
    client.account_labels[fields.personenkonto_nummer] = fields.firmenname
    return {"data": _data(saved), "ledgerAntwort": provider_answer(world, _result(saved))}


def check_fields(fields: PersonAccountFields, client: LedgerClient) -> None:
    """Check what the types do not."""
    number, length = fields.personenkonto_nummer, fields.kontonummern_laenge
    if not (number.isascii() and number.isdigit()):
        raise ServiceError(400, f"personenkontoNummer must consist of digits, got {number!r}")
    if length not in _LENGTHS:
        raise ServiceError(400, f"kontonummernLaenge must lie in {_LENGTHS[0]}..{_LENGTHS[-1]}, got {length}")
    if len(number) not in (length, length + 1):
        raise ServiceError(
            400,
            f"personenkontoNummer {number} has {len(number)} digits, which does not fit kontonummernLaenge {length}",
        )
    if not fields.firmenname.strip():
        raise ServiceError(400, "firmenname must not be empty")
    fiscal_year(client, fields.geschaeftsjahr_start_datum)


def _data(saved: PersonAccount) -> dict[str, Any]:
    fields = without_nulls(to_json(saved.fields), frozenset({"adresszeile2"}))
    head = ("kontonummernLaenge", "kontenrahmen", "geschaeftsjahrStartDatum")
    entry = {name: value for name, value in fields.items() if name not in head} | {
        "id": None,
        "personenkontoNummer": int(saved.personenkonto_nummer),
        "nummer": None,
        "aktualisiertAm": to_json(saved.aktualisiert_am),
        "projektId": None,
    }
    return {"id": None, "erstelltAm": to_json(saved.erstellt_am), "eintraege": [entry]} | {
        name: fields[name] for name in head if name in fields
    }


def _result(saved: PersonAccount) -> dict[str, Any]:
    text = f"Personenkonto {saved.personenkonto_nummer} {'aktualisiert' if saved.aktualisiert_am else 'angelegt'}"
    at = to_json(saved.aktualisiert_am or saved.erstellt_am)
    message = {"nachricht": text, "zeitstempel": at, "typ": "INFO"}
    return {"status": assumptions.RESULT_STATUS, "antwortDaten": None, "meldungen": [message]}
