"""Creates a database with the code of an old commit and fills it: `python fill.py LOCATION`, run by `build.py`.

Only what every commit has is used: `open_database`, its tables, and SQLAlchemy. A row lacks what its table lacks.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

from cryptography.fernet import Fernet
from sqlalchemy import Connection, DateTime

from connector.store import open_database
from connector.store.schema import metadata

DATA_KEY = "b2xkIGRhdGFiYXNlcyBvZiB0aGUgdGVzdHMsIDMyLi4="
AT = datetime(2026, 3, 2, 9, 30, 15, 250_000, tzinfo=UTC)
FINGERPRINT = "0123456789abcdef"
CREDENTIAL = "11111111-1111-4111-8111-111111111111"
SUBSCRIPTION = "22222222-2222-4222-8222-222222222222"
CURSOR = f"{FINGERPRINT}:invoices"


def sealed(text: str) -> str:
    """Encrypt a text as the vault does."""
    return Fernet(DATA_KEY).encrypt(text.encode()).decode()


def entry(number: int, state: str, outcome: Any, key: str | None = None) -> dict[str, Any]:
    """A journal entry, by default under the key `run-NUMBER`."""
    given = {"amount": f"{number}.50", **({} if key else {"custom_fields": {"kontor_key": f"run-{number}"}})}
    inputs = json.dumps(given, separators=(",", ":"))
    return {
        "credential": FINGERPRINT,
        "key": key or f"run-{number}",
        "action": "initiate_payment" if number % 2 else "create_cash_book_entry",
        "digest": sha256(inputs.encode()).hexdigest(),
        "inputs": inputs,
        "state": state,
        "owner": f"host-{number}",
        "outcome": None if outcome is None else json.dumps(outcome),
        "begun_at": AT + timedelta(minutes=number),
        "changed_at": AT + timedelta(minutes=number, seconds=number),
    }


ROWS: dict[str, list[dict[str, Any]]] = {
    "journal": [
        entry(1, "begun", None),
        entry(2, "done", {"output": {"id": "cb-2"}, "cost": "1"}),
        entry(3, "refused", {"kind": "refused", "message": "no"}),
        entry(4, "doubtful", {"kind": "outcome_unknown", "message": "nobody knows"}),
        entry(5, "settled", {"output": None, "settled_by_hand": True, "happened": True, "note": "seen in the bank"}),
        entry(6, "done", {"output": {"id": "cb-6"}, "cost": "1"}, key="~host-6"),  # the caller gave no key
    ],
    "usage": [
        {
            "credential": FINGERPRINT,
            "day": "2026-03-02",
            "flow": "default",
            "label": "initiate_payment",
            "calls": 3,
            "credits": Decimal("4.50"),
        }
    ],
    "balances": [{"credential": FINGERPRINT, "balance": Decimal("985.50"), "told_at": AT}],
    "budgets": [{"credential": FINGERPRINT, "per_day": 100, "per_flow": None, "hold_back": 10}],
    "credentials": [
        {
            "id": CREDENTIAL,
            "fingerprint": FINGERPRINT,
            "base_url": "https://service.example",
            "quelle": "kontor",
            "wire": "{}",
            "sealed_key": sealed("an-api-key"),
            "created_at": AT,
        }
    ],
    "leases": [{"name": f"cursor:{CURSOR}", "owner": "host-1", "fence": 7, "until": AT}],
    "cursors": [
        {
            "name": name,
            "credential": FINGERPRINT,
            "trigger": "new_invoice",
            "inputs": '{"client": "1-1"}',
            "cursor": cursor,
            "start": "all",
            "fence": 7,
            "next_at": AT,
            "polled_at": AT if cursor else None,
            "nudged_at": AT,
            "sign": '{"count": 3}',
            "trouble": None,
        }
        for name, cursor in ((CURSOR, "i:42"), (f"{FINGERPRINT}:never-polled", None))
    ],
    "items": [
        {"cursor_name": CURSOR, "item_id": f"inv-{number}", "body": '{"total": "12.50"}', "made_at": AT}
        for number in (1, 2)
    ],
    "subscriptions": [
        {
            "id": SUBSCRIPTION,
            "credential_id": CREDENTIAL,
            "trigger": "new_invoice",
            "inputs": '{"client": "1-1"}',
            "cursor_name": CURSOR,
            "target_url": "https://flow.example/hook",
            "sealed_secret": sealed("whsec_c2VjcmV0"),
            "state": "active",
            "created_at": AT,
        }
    ],
    "deliveries": [
        {
            "subscription_id": SUBSCRIPTION,
            "item_id": f"inv-{number}",
            "body": '{"total": "12.50"}',
            "state": state,
            "attempts": number,
            "next_at": AT if state == "waiting" else None,
            "made_at": AT,
            "done_at": AT if state == "done" else None,
        }
        for number, state in enumerate(("done", "waiting", "dead", "ended"))
    ],
    "hooks": [
        {
            "token_digest": "ab" * 32,
            "credential_id": CREDENTIAL,
            "sealed_url": sealed("https://host.example/hooks/token"),
            "pass_on": 0,
            "state": "active",
            "checked_at": AT,
        }
    ],
    "events": [
        {
            "credential_id": CREDENTIAL,
            "event_id": f"event-{number}",
            "event": "payment.changed",
            "body": '{"event": "payment.changed"}',
            "state": state,
            "repeats": 0,
            "tries": number,
            "next_at": AT if state == "new" else None,
            "arrived_at": AT,
            "decided_at": None if state == "new" else AT,
        }
        for number, state in enumerate(("new", "fired", "unconfirmed", "stale", "forged", "unknown"))
    ],
    "payment_states": [{"credential_id": CREDENTIAL, "payment_id": "p-1", "status": "pending", "changed_at": AT}],
}


def fill(connection: Connection) -> None:
    """Insert the rows whose tables and columns this commit has."""
    for table in metadata.sorted_tables:
        for row in ROWS.get(table.name, []):
            values = {name: value for name, value in row.items() if name in table.columns}
            for column in table.columns:
                moment = values.get(column.name)
                if isinstance(moment, datetime) and not isinstance(column.type, DateTime):
                    values[column.name] = moment.timestamp()
            connection.execute(table.insert().values(values))


if __name__ == "__main__":
    database = open_database(sys.argv[1])
    database.write(fill).result()
    database.close()
