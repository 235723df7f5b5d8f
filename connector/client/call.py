"""A call to the service before it is sent, and the HTTP request it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from connector.core.service.credential import HIDDEN, Credential
from connector.core.values import json
from connector.version import __version__


@dataclass(frozen=True, slots=True)
class Call:
    """One call to the service, as a manifest describes it."""

    method: str
    path: str
    """Relative to the base URL, with path parameters filled in."""
    query: Mapping[str, str | list[str]] = field(default_factory=dict)
    body: Any = None
    """Converted values: exact numbers, dates, date-times with a zone, bytes for files (sent as base64)."""
    label: str = ""
    """The id of the action, lookup or trigger, under which the credit ledger counts the call."""
    writes: bool = False
    serves_write: bool = False
    """Whether it is a read that a write waits for: it may use the permits that are reserved for writes."""
    carries_quelle: bool = False
    lookup: bool = False
    """Whether it fills a dropdown, and is expected to be free."""
    marked: bool = False
    """Whether it carries the marker of a dropdown."""
    names_result: bool = False
    """Whether a success must name what was made: a write without that may not have been done."""
    made_names: tuple[str, ...] = ()
    """What of it a success must name, any of these; empty: whatever it is."""
    cost: int = 0
    reserves: bool = False
    """Whether the cost is only reserved now, and charged when the payment settles."""
    returns_payments: bool = False
    """Whether the answer contains payments, whose states settle or release reservations."""
    keep_raw: bool = False
    """Whether to return the body as bytes without decoding it: for large lists that are read in chunks."""
    timeout: float = 30.0
    """Seconds to wait for one answer."""
    deadline: float = 60.0
    """Seconds for the whole call: waiting for a permit, sending, retrying."""
    wire_names: Mapping[str, str] = field(default_factory=dict)
    """The assumed parameter names that this call uses (wire key: name), for the hint when the service wants another."""
    has_client: bool = False
    """Whether a client of the ledger connection was given; otherwise its default client is used."""


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """The HTTP request exactly as it is sent. A dry run shows this."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the request for display, with the API key hidden."""
        headers = {name: HIDDEN if name == "x-api-key" else value for name, value in self.headers.items()}
        body = None if self.content is None else json.decode(self.content)
        return {"method": self.method, "url": self.url, "headers": headers, "body": body}


def prepare(call: Call, credential: Credential) -> PreparedRequest:
    """Build the HTTP request for `call` under `credential`."""
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
    if call.marked and marker.place == "query":
        query[marker.name] = marker.value
    elif call.marked and marker.place == "header":
        headers[marker.name.lower()] = marker.value
    content = None
    if call.body is not None:
        content = json.encode_clean(call.body)
        headers["content-type"] = "application/json"
    url = f"{credential.base_url}{call.path}"
    if query:
        url = f"{url}?{urlencode(query, doseq=True, quote_via=quote)}"
    return PreparedRequest(call.method, url, headers, content)
