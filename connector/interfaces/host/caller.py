"""Whose key a request carries: read from its headers, for this request only."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from starlette.datastructures import Headers

from connector.core.credential import Credential
from connector.core.errors import InputError, KeyRefused
from connector.core.messages import say
from connector.interfaces.host.refusals import Malformed
from connector.interfaces.host.under_way import REQUEST
from connector.interfaces.host_settings import HostSettings

MOST_LABEL = 100


class Caller(NamedTuple):
    """The parts of a credential as they came, and the flow that spends."""

    base_url: str
    api_key: str
    quelle: str
    flow: str

    @property
    def place(self) -> tuple[str, str, str]:
        """Tells callers apart without keeping the key's text as a name."""
        secret = f"{self.base_url}\n{self.api_key}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(secret).hexdigest(), self.quelle, self.flow

    def credential(self, settings: HostSettings) -> Credential:
        """The credential, checked."""
        try:
            return Credential(self.base_url, self.api_key, self.quelle, settings.wire)
        except InputError as error:
            if error.field == "api_key":
                raise KeyRefused(error.message, remedy=say("host_key_remedy"), outcome="not_sent") from None
            raise


def caller_of(headers: Headers, settings: HostSettings, *, lend_own: bool) -> Caller:
    """Who calls. With `lend_own`, whoever brings no key works with the host's own: the sandbox's demo key."""
    base_url = headers.get("x-kontor-base-url", "")
    if base_url and not settings.allow_base_url_header:
        remedy = say("host_base_url_closed_remedy")
        raise Malformed(say("host_base_url_closed"), remedy=remedy, field="x-kontor-base-url")
    quelle, flow = _label(headers, "x-kontor-quelle"), _label(headers, "x-kontor-flow")
    api_key = headers.get("x-api-key", "").strip()
    own = settings.own_credential
    if not api_key and lend_own and own is not None:
        return Caller(own.base_url, own.api_key, quelle or own.quelle, flow)
    if not api_key:
        raise KeyRefused(say("host_key_missing"), remedy=say("host_key_remedy"), outcome="not_sent")
    if (under_way := REQUEST.get()) is not None:
        under_way.secret = api_key
    return Caller(base_url or settings.base_url, api_key, quelle or settings.quelle, flow)


def _label(headers: Headers, name: str) -> str:
    text = headers.get(name, "").strip()
    if len(text) > MOST_LABEL or not text.isprintable():
        message = say("host_header_invalid", name=name, most=MOST_LABEL)
        raise Malformed(message, remedy=say("host_header_remedy"), field=name)
    return text
