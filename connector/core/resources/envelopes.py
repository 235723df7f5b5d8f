"""Takes answers out of their envelopes: the one place that knows how the service wraps things.

| answer | described as | accepted |
|---|---|---|
| lists | `{data: […]}` | that, `{connections: […]}`, the bare array |
| ledger connections | `{connections: […]}` | the same |
| mobility customers | the bare array | the same |
| trial balance, document types | not shown | the same |
| one resource | `{data: {…}}`, in mobility the bare object | both |
| cash book entry, single payment, started connect flow | not shown | both |
| permission probe | one entry per area, shape not shown | an object by area, or an array, bare or under `data` |
| webhook URL | not shown | `{webhook_url}`, `{url}`, the bare text, bare or under `data` |
| credit balance | `platform: {neuesGuthaben}` beside the data | that, and the same inside `data` |

Everything else is a `ValueError`: an answer that cannot be understood is never read as an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from connector.core.values.json import decode, decode_items
from connector.core.values.money import as_money

if TYPE_CHECKING:
    from connector.core.resources.model import Resource

LIST_KEYS = ("data", "connections")
_AREA_KEYS = ("area", "bereich", "name")
_Model = TypeVar("_Model", bound="Resource")


def items_in(reply: Any) -> list[Any]:
    """The list that a decoded answer carries."""
    if isinstance(reply, dict):
        reply = next((reply[key] for key in LIST_KEYS if key in reply), None)
    if isinstance(reply, list):
        return reply
    raise ValueError("the answer carries no list")


def object_in(reply: Any) -> dict[str, Any]:
    """The single object that a decoded answer carries."""
    if isinstance(reply, dict):
        inner = reply.get("data", reply)
        if isinstance(inner, dict):
            return inner
    raise ValueError("the answer carries no object")


def balance_in(reply: Any) -> Decimal | None:
    """The credit balance after the call, when the answer tells it."""
    if not isinstance(reply, dict):
        return None
    for place in (reply, reply.get("data")):
        platform = place.get("platform") if isinstance(place, dict) else None
        balance = platform.get("neuesGuthaben") if isinstance(platform, dict) else None
        try:
            return as_money(balance)
        except ValueError:
            continue
    return None


def webhook_url_in(reply: Any) -> str | None:
    """The webhook URL that is set, or None when none is."""
    if isinstance(reply, dict) and "data" in reply:
        reply = reply["data"]
    if isinstance(reply, dict):
        known = [key for key in ("webhook_url", "url") if key in reply]
        if not known and reply:
            raise ValueError("the answer carries no webhook URL")
        reply = reply[known[0]] if known else None
    if reply is None or isinstance(reply, str):
        return reply or None
    raise ValueError("the answer carries no webhook URL")


def areas_in(reply: Any) -> dict[str, dict[str, Any]]:
    """The permission probe's entries by the area they speak of; entries without a name are numbered from 1."""
    inner = reply.get("data", reply) if isinstance(reply, dict) else reply
    if isinstance(inner, list) and all(isinstance(entry, dict) for entry in inner):
        return {_area(entry, place): entry for place, entry in enumerate(inner, start=1)}
    if isinstance(inner, dict):
        # What stands beside the entries, such as the credit balance, carries no status.
        entries = {area: entry for area, entry in inner.items() if isinstance(entry, dict) and "status" in entry}
        if entries or not inner:
            return entries
    raise ValueError("the answer carries no permission entries")


def _area(entry: dict[str, Any], place: int) -> str:
    return next((entry[key] for key in _AREA_KEYS if isinstance(entry.get(key), str)), str(place))


def read_one(model: type[_Model], body: bytes) -> _Model:
    """Read the single resource in an answer's body."""
    from connector.core.resources.model import read  # late: the other readers here need no models

    return read(model, object_in(decode(body)))


def read_items(model: type[_Model], body: bytes) -> Iterator[_Model]:
    """Read the resources of a list one by one: beside the body, only one of them is in memory at a time."""
    from connector.core.resources.model import read

    for item in decode_items(body, LIST_KEYS):
        yield read(model, item)
