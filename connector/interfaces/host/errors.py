"""Errors that the host itself raises, in addition to those of the runtime."""

from __future__ import annotations

from datetime import datetime

from connector.core.errors import NotFound
from connector.core.messages import Text, say
from connector.operations.operation import BadRequest, HostError


class TokenRefused(HostError):
    """The host token is missing or wrong."""

    kind = "host_token"
    http_status = 401

    def __init__(self) -> None:
        super().__init__(say("host_token_missing"), remedy=say("host_token_remedy"))


class TooManyTokens(HostError):
    """Too many wrong tokens came from this address."""

    kind = "rate_limited"
    http_status = 429
    retryable = True

    def __init__(self, retry_at: datetime) -> None:
        super().__init__(say("host_too_many_tokens"), remedy=say("host_token_remedy"), retry_at=retry_at)


class PayloadTooLarge(HostError):
    """The request body is too large."""

    kind = "too_large"
    http_status = 413

    def __init__(self, max_bytes: int) -> None:
        super().__init__(say("host_too_large", most=max_bytes // 1024), remedy=say("host_too_large_remedy"))


class BodyHoldsTooMuch(PayloadTooLarge):
    """The request body holds more than is read."""

    def __init__(self, why: Text) -> None:
        super().__init__(0)
        self.message = say("host_holds_too_much", why=why)


class EncodingRefused(BadRequest):
    """The request body is compressed: only reading it would show how large it is."""

    http_status = 415

    def __init__(self, name: str) -> None:
        message, remedy = say("host_encoding", name=name[:64]), say("host_encoding_remedy")
        super().__init__(message, remedy=remedy, field="content-encoding")


class TooManyConnections(HostError):
    """The tokens of one workspace hold too many connections."""

    kind = "rate_limited"
    http_status = 429
    retryable = True

    def __init__(self) -> None:
        super().__init__(say("host_too_many_connections"), remedy=say("host_too_many_connections_remedy"))


class HeadersTooLarge(PayloadTooLarge):
    """The request headers are too large."""

    http_status = 431

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self.message = say("host_headers_too_large", most=max_bytes // 1024)


class ResultTooLarge(PayloadTooLarge):
    """The result is too large for a callback."""

    default_outcome = "refused"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self.message = say("host_callback_too_large", most=max_bytes // 1024)
        self.remedy = say("host_callback_too_large_remedy")


class TooManyCallbacks(HostError):
    """Too many callbacks are pending."""

    kind = "rate_limited"
    http_status = 429
    retryable = True

    def __init__(self) -> None:
        super().__init__(say("host_callbacks_busy"), remedy=say("host_callbacks_busy_remedy"))


class MethodNotAllowed(HostError):
    """The path exists, but not for this method."""

    kind = "method_not_allowed"
    http_status = 405

    def __init__(self, method: str) -> None:
        super().__init__(say("host_method", method=method), remedy=say("host_no_route_remedy"))


def route_not_found() -> NotFound:
    """Return the 404 error for an unknown path."""
    return NotFound(say("host_no_route"), remedy=say("host_no_route_remedy"), outcome="not_sent")
