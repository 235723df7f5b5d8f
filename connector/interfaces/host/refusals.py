"""What a host refuses by itself, before or beside what the runtime refuses."""

from __future__ import annotations

from typing import ClassVar

from connector.core.errors import InputError, KontorError, NotFound, Outcome
from connector.core.messages import Text, say


class HostRefusal(KontorError):
    """A request that never reached the service; the class says with which HTTP status it is answered."""

    http_status: ClassVar[int] = 400
    default_outcome: ClassVar[Outcome] = "not_sent"


class TokenRefused(HostRefusal):
    """The host token is missing or wrong."""

    kind = "host_token"
    http_status = 401

    def __init__(self) -> None:
        super().__init__(say("host_token_missing"), remedy=say("host_token_remedy"))


class Conflict(HostRefusal):
    """What is asked for is not possible in the state that things are in."""

    kind = "conflict"
    http_status = 409


class TooLarge(HostRefusal):
    """The request is larger than the host takes."""

    kind = "too_large"
    http_status = 413

    def __init__(self, most: int) -> None:
        super().__init__(say("host_too_large", most=most // 1024), remedy=say("host_too_large_remedy"))


class HeadersTooLarge(TooLarge):
    """The same for the headers alone."""

    http_status = 431

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.message = say("host_headers_too_large", most=most // 1024)


class ResultTooLarge(TooLarge):
    """The service has answered, but with more than a callback carries."""

    default_outcome = "refused"

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.message = say("host_callback_too_large", most=most // 1024)
        self.remedy = say("host_callback_too_large_remedy")


class TooManyWaiting(HostRefusal):
    """More calls wait to be called back than this host keeps in mind."""

    kind = "rate_limited"
    http_status = 429
    retryable = True

    def __init__(self) -> None:
        super().__init__(say("host_callbacks_busy"), remedy=say("host_callbacks_busy_remedy"))


class MethodNotAllowed(HostRefusal):
    """The address is right, the method is not."""

    kind = "method_not_allowed"
    http_status = 405

    def __init__(self, method: str) -> None:
        super().__init__(say("host_method", method=method), remedy=say("host_no_route_remedy"))


class Malformed(InputError):
    """The request itself cannot be read, as opposed to an input that does not fit its manifest."""

    http_status: ClassVar[int] = 400

    def __init__(self, message: Text, *, remedy: Text | None = None, field: str | None = None) -> None:
        super().__init__(message, remedy=remedy or say("host_body_remedy"), field=field)


def no_route() -> NotFound:
    """Nothing is at this address."""
    return NotFound(say("host_no_route"), remedy=say("host_no_route_remedy"), outcome="not_sent")
