"""A list of ten thousand transactions, as the bare server answers it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from connector.core.values.json import encode

COUNT = 10_000


def transaction(number: int) -> dict[str, Any]:
    """Return a transaction with every field of the service description, of typical length."""
    return {
        "id": str(90_071_992_547_409_930 + number),
        "account_id": "4711000815",
        "payment_id": str(500_000 + number),
        "duplicated": False,
        "mode": "normal",
        "status": "posted",
        "made_on": f"2026-05-{number % 28 + 1:02}",
        "amount": Decimal(number * 7 - 30_000).scaleb(-2),
        "currency_code": "EUR",
        "description": f"Rechnung R-{number:08} vom 03.05.2026, Kundennummer 10042, vielen Dank für Ihren Auftrag",
        "description_parsed": {
            "cred": "DE98ZZZ09999999999",
            "mref": f"M-{number:06}",
            "kref": f"KREF-{number:010}",
            "debt": None,
            "svwz": f"Rechnung R-{number:08}",
            "abwa": None,
            "abwe": None,
            "bic": "DEUTDEFFXXX",
            "oamt": None,
            "coam": None,
            "purp": "SUPP",
        },
        "category": "business_services",
        "extra": {
            "time": "10:21:09",
            "payee": "Musterhandel GmbH",
            "payer": "Beispielwerk AG",
            "additional": "SEPA-Überweisung",
            "merchant_id": f"m{number % 97}",
            "posting_date": f"2026-05-{number % 28 + 1:02}",
            "end_to_end_id": f"E2E-{number:012}",
            "payee_information": "DE02120300000000202051",
            "payer_information": "DE02500105170137075030",
            "account_balance_snapshot": Decimal(1_000_000 + number).scaleb(-2),
            "categorization_confidence": Decimal("0.97"),
        },
        "created_at": "2026-05-03T10:21:09.123456+02:00",
        "updated_at": "2026-05-03T10:21:09.123456+02:00",
    }


def body_of(count: int = COUNT) -> bytes:
    """Return the response body of a transactions list with `count` rows."""
    return encode({"data": [transaction(number) for number in range(count)]})
