"""Handler that creates cash book entries, one per line, whose amounts must equal the total."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from datetime import datetime
from decimal import Decimal, localcontext
from typing import Annotated, Any

import msgspec

from connector.sandbox.ledger import assumptions
from connector.sandbox.ledger.access import client_of, provider_answer, working_ledger_connection
from connector.sandbox.ledger.query import parse_body, quelle, to_json
from connector.sandbox.ledger.state import CashEntry, LedgerClient, ReceiptImage, StoredTaxRate
from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World

Amount = int | Decimal
_MAX_EXPONENT = 30
_CURRENCY = re.compile(r"[A-Z]{3}")


class TaxRate(msgspec.Struct, rename="camel"):
    prozent: Amount
    bu_schluessel: str | None = None


class ReceiptLine(msgspec.Struct, rename="camel"):
    betrag: Amount
    belegtext: str | None = None
    gegenkonto: str | None = None
    beleg_nummer: str | None = None
    steuersatz: TaxRate | None = None
    kostenstelle1: str | None = None
    kostenstelle2: str | None = None


class UploadedImage(msgspec.Struct):
    content: str
    dateiname: str


class EntryBody(msgspec.Struct):
    waehrung: str
    kassenname: str
    betrag: Amount
    transaktionsdatum: Annotated[datetime, msgspec.Meta(tz=True)]
    belegzeilen: list[ReceiptLine]
    belegbilder: list[UploadedImage] | None = None


def create_entry(world: World, request: Request) -> dict[str, Any]:
    connection = working_ledger_connection(world, request, "duo")
    client = client_of(world, request, connection)
    body = parse_body(request.body, EntryBody)
    check_body(body, client)
    first = len(world.ledger.cash_entries) + 1
    images = [_image(upload, f"{first}-{number}") for number, upload in enumerate(body.belegbilder or [], start=1)]
    entries = [
        CashEntry(
            id=str(first + number),
            ledger_connection_id=connection.id,
            client_id=client.id,
            kassenname=body.kassenname,
            waehrung=body.waehrung,
            betrag=Decimal(line.betrag),
            direction="income" if line.betrag > 0 else "expense",
            transaktionsdatum=body.transaktionsdatum,
            erstellungsdatum=request.now,
            gegenkonto=line.gegenkonto,
            belegtext=line.belegtext,
            belegnummer=line.beleg_nummer,
            steuersatz=_tax_rate(line.steuersatz),
            kostenstellen=[name for name in (line.kostenstelle1, line.kostenstelle2) if name],
            belegbilder=images,
            quelle=quelle(request),
        )
        for number, line in enumerate(body.belegzeilen)
    ]
    answer = _response(body, entries, images, request.now)
    if world.settings.provider_answer == "error":
        entries.pop()  # a failure in the middle: some of the lines may stand
    world.ledger.cash_entries.extend(entries)
    answer["ledgerAntwort"] = provider_answer(world, answer["ledgerAntwort"])
    return answer


def check_body(body: EntryBody, client: LedgerClient) -> None:
    """Check what the types do not."""
    if not _CURRENCY.fullmatch(body.waehrung):
        raise ServiceError(400, f"waehrung must be a currency code such as EUR, got {body.waehrung!r}")
    if body.kassenname not in client.cash_books:
        raise ServiceError(assumptions.STATUS_UNKNOWN, f"kassenname: no cash book named {body.kassenname!r}")
    if not body.belegzeilen:
        raise ServiceError(400, "belegzeilen must hold at least one line")
    for number, line in enumerate(body.belegzeilen):
        _check_amount(f"belegzeilen[{number}].betrag", line.betrag)
    _check_amount("betrag", body.betrag)
    if body.betrag == 0:
        raise ServiceError(400, "betrag is zero: neither income nor expense")
    total = exact_sum([line.betrag for line in body.belegzeilen])
    if total != body.betrag:
        raise ServiceError(
            400, f"betrag {body.betrag} does not equal {total}, the sum of the betrag of all belegzeilen"
        )


def exact_sum(amounts: list[Amount]) -> Decimal:
    """Return the sum without rounding."""
    with localcontext(prec=4 * _MAX_EXPONENT):
        return sum((Decimal(amount) for amount in amounts), Decimal())


def _check_amount(name: str, amount: Amount) -> None:
    exact = Decimal(amount)
    exponent = exact.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -_MAX_EXPONENT or exact.adjusted() > _MAX_EXPONENT:
        raise ServiceError(400, f"{name} is no amount of money")


def _tax_rate(rate: TaxRate | None) -> StoredTaxRate | None:
    return None if rate is None else StoredTaxRate(Decimal(rate.prozent), rate.bu_schluessel)


def _image(upload: UploadedImage, identity: str) -> ReceiptImage:
    try:
        content = base64.b64decode(upload.content, validate=True)
    except (binascii.Error, ValueError):
        raise ServiceError(400, f"belegbilder: content of {upload.dateiname!r} is not base64") from None
    if not content:
        raise ServiceError(400, f"belegbilder: content of {upload.dateiname!r} is empty")
    return ReceiptImage(identity, upload.dateiname, len(content), hashlib.sha256(content).hexdigest())


def _response(body: EntryBody, entries: list[CashEntry], images: list[ReceiptImage], now: datetime) -> dict[str, Any]:
    messages = [(entry.kassenname, f"Kassenbucheintrag {entry.id} angelegt") for entry in entries]
    messages += [(image.dateiname, "Belegbild gespeichert") for image in images]
    created = to_json(now)
    return {
        "erstellungsdatum": created,
        "waehrung": body.waehrung,
        "kassenname": body.kassenname,
        "betrag": body.betrag,
        "transaktionsdatum": to_json(body.transaktionsdatum),
        "belegzeilen": [_response_line(entry) for entry in entries],
        "belegbilder": to_json(images),
        "ledgerAntwort": {
            "status": assumptions.RESULT_STATUS,
            "meldungen": [
                {"dateiname": name, "nachricht": text, "zeitstempel": created, "typ": "INFO"} for name, text in messages
            ],
        },
    }


def _response_line(entry: CashEntry) -> dict[str, Any]:
    return {
        "gegenkonto": entry.gegenkonto,
        "erstellungsdatum": to_json(entry.erstellungsdatum),
        "waehrung": entry.waehrung,
        "belegtext": entry.belegtext,
        "belegnummer": entry.belegnummer,
        "betrag": entry.betrag,
        **({"steuersatz": to_json(entry.steuersatz)} if entry.steuersatz else {}),
        "kostenstellen": [{"name": name} for name in entry.kostenstellen],
    }
