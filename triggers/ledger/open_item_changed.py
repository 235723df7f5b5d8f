"""Fires when an open item appears, changes its balance, or is settled, by comparing two looks at the open items.

At most 20,000 items are watched, in the service's order: the largest balances first. An answer without accounts counts
as "all settled" only when its sums are zero too; otherwise it changes nothing. After a change of ledger connection,
client or side the first look only takes note.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any, ClassVar, Literal

from connector.core.manifest.handlers import Ratio, Trigger
from connector.core.values.money import as_money, total
from connector.resources import OpenItem
from connector.triggers.ledger.open_item_state import MOST_ITEMS, Item, Key, OpenItemState

Row = dict[str, Any]

BOOKS = ("ledger_connection", "client", "side")
NOTHING = Decimal(0)


def _before_first_look(books: str, start: str) -> OpenItemState:
    """Nothing is known: of these books when all shall fire, else of no books, so that the first look takes note only.

    Open items have no ids in order, so that `since:ID` can mean no more than `now`.
    """
    return OpenItemState(books if start == "all" else "")


def _changes(old: Mapping[Key, Item], seen: Mapping[Key, Item], watched: Mapping[Key, Item]) -> list[tuple[Key, str]]:
    appeared = [(key, "new") for key in watched if key not in old]
    changed = [(key, "changed") for key, item in seen.items() if key in old and old[key].saldo != item.saldo]
    return [*appeared, *changed, *((key, "settled") for key in old if key not in seen)]


def _told(key: Key, row: Row | None, old: Item | None, change: str, looks: int) -> Row:
    kontonummer, beleg = key
    if row is None and old is not None:
        row = {
            "kontonummer": kontonummer,
            "bezeichnung": old.bezeichnung,
            "isDebitor": old.is_debitor,
            "beleg": beleg,
            "belegdatum": old.belegdatum,
            "saldo": NOTHING,
        }
    state = "settled" if change == "settled" else f"{as_money((row or {})['saldo']).normalize():f}"
    return {
        **(row or {}),
        "_id": f"{kontonummer}:{beleg}:{state}:{looks}",
        "_change": change,
        "_previous_saldo": old.saldo if old else None,
    }


def _rows(answer: Row) -> dict[Key, Row]:
    """Every open item with its person account. Items of one document are taken together, as the service groups them."""
    found: dict[Key, Row] = {}
    for konto in _objects(answer.get("konten")):
        kontonummer = str(konto.get("kontonummer", ""))
        account = {
            "kontonummer": kontonummer,
            "bezeichnung": konto.get("bezeichnung"),
            "isDebitor": konto.get("isDebitor"),
        }
        for posten in _objects(konto.get("posten")):
            beleg, saldo = str(posten.get("beleg", "")), _amount(posten.get("saldo"))
            if saldo is None:
                continue
            before = found.get((kontonummer, beleg))
            together = total([saldo, before["saldo"]]) if before else saldo
            found[kontonummer, beleg] = {**account, **posten, "beleg": beleg, "saldo": together}
    return {key: row for key, row in found.items() if row["saldo"]}


def _unread(answer: Row) -> set[Key]:
    """Items whose balance cannot be read, and accounts (without a document) whose items cannot: none is settled."""
    unread: set[Key] = set()
    for konto in _objects(answer.get("konten")):
        kontonummer = str(konto.get("kontonummer", ""))
        if not isinstance(konto.get("posten"), list):
            unread.add((kontonummer, ""))
        for posten in _objects(konto.get("posten")):
            if _amount(posten.get("saldo")) is None:
                unread.add((kontonummer, str(posten.get("beleg", ""))))
    return unread


def _items(rows: Mapping[Key, Row]) -> dict[Key, Item]:
    return {
        key: Item(_text(row["bezeichnung"]), row["isDebitor"] is True, _text(row.get("belegdatum")), row["saldo"])
        for key, row in rows.items()
    }


def _is_empty(answer: Row) -> bool:
    """Whether the answer says that nothing is open, and does not merely say nothing."""
    sums = (_amount(answer.get("sumDebitoren")), _amount(answer.get("sumKreditoren")))
    return isinstance(answer.get("konten"), list) and sums == (NOTHING, NOTHING)


def _objects(value: Any) -> list[Row]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _amount(value: Any) -> Decimal | None:
    try:
        return as_money(value)
    except ValueError:
        return None


class OpenItemChanged(Trigger[OpenItem]):
    """Triggers when an open item is new, has another balance or is settled."""

    manifest_id: ClassVar[str] = "open_item_changed"

    ledger_connection: str
    side: Literal["all", "debitors", "creditors"] | None = None
    minimum: Ratio | None = None
    client: str | None = None

    @staticmethod
    def turn(
        items: list[Row], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
    ) -> tuple[list[Row], str]:
        """The open items that changed, oldest first, and the next cursor."""
        books = "/".join(str(inputs.get(name, "")) for name in BOOKS)
        known = _before_first_look(books, start) if cursor is None else OpenItemState.read(cursor)
        answer = items[0] if items else {}
        rows = _rows(answer)
        if not rows and not _is_empty(answer):
            return [], str(known)
        if known.books != books:
            return [], str(OpenItemState(books, known.looks + 1, dict(islice(_items(rows).items(), MOST_ITEMS))))
        unread = _unread(answer)
        kept = {key: item for key, item in known.items.items() if key in unread or (key[0], "") in unread}
        seen = kept | _items(rows)
        watched = dict(islice(seen.items(), MOST_ITEMS))
        least = as_money(inputs.get("minimum", 0))
        changes = [
            _told(key, rows.get(key), known.items.get(key), change, known.looks)
            for key, change in _changes(known.items, seen, watched)
            if max(abs(one.saldo) for one in (known.items.get(key), seen.get(key)) if one) >= least
        ]
        changes.sort(key=lambda item: (str(item.get("belegdatum") or ""), item["kontonummer"], item["beleg"]))
        return changes, str(OpenItemState(books, known.looks + bool(changes), watched))
