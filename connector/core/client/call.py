"""A call to the service, before it is sent: what to ask, and how the request will look on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from connector.core.credential import Credential
from connector.core.redact import HIDDEN
from connector.core.values import json
from connector.version import __version__


@dataclass(frozen=True, slots=True)
class Call:
    """One thing to ask of the service, in the words of a manifest."""

    method: str
    path: str
    """Below the base URL, path parameters already filled in."""
    query: Mapping[str, str | list[str]] = field(default_factory=dict)
    body: Any = None
    """Clean values: exact numbers, dates, date-times with a zone, bytes for files (sent as base64)."""
    label: str = ""
    """Who asks (an action's id), for the credit ledger."""
    writes: bool = False
    carries_quelle: bool = False
    lookup: bool = False
    """Fills a dropdown: marked as such on the wire, and expected to be free."""
    cost: int = 0
    reserves: bool = False
    """The cost is only reserved now, and charged when the payment settles."""
    tells_payments: bool = False
    """The answer holds payments, whose states settle or release reservations."""
    unread: bool = False
    """The answer may be large: leave it as bytes, to be read item by item."""
    timeout: float = 30.0
    """Seconds to wait for one answer."""
    deadline: float = 60.0
    """Seconds for all of it: queueing, sending, sending again."""
    wire_names: Mapping[str, str] = field(default_factory=dict)
    """The assumed names this call relies on (wire key: name), to be told apart when the service asks for another."""
    client_named: bool = False
    """A client of the ledger connection was chosen; otherwise its default client is meant."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """The request to the letter. A dry run shows exactly this."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = None

    def shown(self) -> dict[str, Any]:
        """The request as people may see it: without the key."""
        headers = {name: HIDDEN if name == "x-api-key" else value for name, value in self.headers.items()}
        body = None if self.content is None else json.decode(self.content)
        return {"method": self.method, "url": self.url, "headers": headers, "body": body}


def prepare(call: Call, credential: Credential) -> Prepared:
    """What leaves for `call` under `credential`."""
    headers = {
        "x-api-key": credential.api_key,
        "accept": "application/json",
        "accept-encoding": "gzip, deflate",
        "user-agent": f"kontor/{__version__}",
    }
    query = dict(call.query)
    if call.carries_quelle:
        query["quelle"] = credential.quelle
    marker = credential.wire.marker
    if call.lookup and marker.place == "query":
        query[marker.name] = marker.value
    elif call.lookup and marker.place == "header":
        headers[marker.name.lower()] = marker.value
    content = None
    if call.body is not None:
        content = json.encode_clean(call.body)
        headers["content-type"] = "application/json"
    url = f"{credential.base_url}{call.path}"
    if query:
        url = f"{url}?{urlencode(query, doseq=True, quote_via=quote)}"
    return Prepared(call.method, url, headers, content)
