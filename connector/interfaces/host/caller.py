"""The caller of a request: API key, base URL and labels from its headers."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from starlette.datastructures import Headers

from connector.core.credential import Credential
from connector.core.errors import InputError, KeyRefused
from connector.core.messages import say
from connector.interfaces.host.errors import BadRequest
from connector.interfaces.host.in_flight import CURRENT_REQUEST
from connector.interfaces.host_settings import HostSettings

MAX_LABEL_LENGTH = 100


class Caller(NamedTuple):
    """Unchecked credential values, and the flow whose budget pays."""

    base_url: str
    api_key: str
    quelle: str
    flow: str

    @property
    def pool_key(self) -> tuple[str, str, str]:
        """Key of the session pool; contains a hash instead of the API key."""
        secret = f"{self.base_url}\n{self.api_key}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(secret).hexdigest(), self.quelle, self.flow

    def credential(self, settings: HostSettings) -> Credential:
        """Return the validated credential."""
        try:
            return Credential(self.base_url, self.api_key, self.quelle, settings.wire)
        except InputError as error:
            if error.field == "api_key":
                raise KeyRefused(error.message, remedy=say("host_key_remedy"), outcome="not_sent") from None
            raise


def caller_from_headers(headers: Headers, settings: HostSettings) -> Caller:
    """Read the caller; without `x-api-key` its API key is empty."""
    base_url = headers.get("x-kontor-base-url", "")
    if base_url and not settings.allow_base_url_header:
        remedy = say("host_base_url_closed_remedy")
        raise BadRequest(say("host_base_url_closed"), remedy=remedy, field="x-kontor-base-url")
    quelle, flow = _label(headers, "x-kontor-quelle"), _label(headers, "x-kontor-flow")
    api_key = headers.get("x-api-key", "").strip()
    if api_key and (in_flight := CURRENT_REQUEST.get()) is not None:
        in_flight.secret = api_key
    return Caller(base_url or settings.base_url, api_key, quelle or (settings.quelle if api_key else ""), flow)


def key_missing() -> KeyRefused:
    """Return the error for a request without an API key whose workspace holds none."""
    return KeyRefused(say("host_key_missing"), remedy=say("host_key_remedy"), outcome="not_sent")


def _label(headers: Headers, name: str) -> str:
    text = headers.get(name, "").strip()
    if len(text) > MAX_LABEL_LENGTH or not text.isprintable():
        message = say("host_header_invalid", name=name, most=MAX_LABEL_LENGTH)
        raise BadRequest(message, remedy=say("host_header_remedy"), field=name)
    return text
