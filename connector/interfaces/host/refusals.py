"""What a host refuses by itself, before or beside what the runtime refuses."""

from __future__ import annotations

from typing import ClassVar

from connector.core.errors import InputError, KontorError, NotFound, Outcome
from connector.core.messages import Text
from connector.interfaces.host import sentences
from connector.interfaces.host.sentences import fill


class HostRefusal(KontorError):
    """A request that never reached the service; the class says with which HTTP status it is answered."""

    http_status: ClassVar[int] = 400
    default_outcome: ClassVar[Outcome] = "not_sent"


class TokenRefused(HostRefusal):
    """The host token is missing or wrong."""

    kind = "host_token"
    http_status = 401

    def __init__(self) -> None:
        super().__init__(sentences.TOKEN_MISSING, remedy=sentences.TOKEN_REMEDY)


class Conflict(HostRefusal):
    """What is asked for is not possible in the state that things are in."""

    kind = "conflict"
    http_status = 409


class TooLarge(HostRefusal):
    """The request is larger than the host takes."""

    kind = "too_large"
    http_status = 413

    def __init__(self, most: int) -> None:
        super().__init__(fill(sentences.TOO_LARGE, most=most // 1024), remedy=sentences.TOO_LARGE_REMEDY)


class HeadersTooLarge(TooLarge):
    """The same for the headers alone."""

    http_status = 431

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.message = fill(sentences.HEADERS_TOO_LARGE, most=most // 1024)


class ResultTooLarge(TooLarge):
    """The service has answered, but with more than a callback carries."""

    default_outcome = "refused"

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.message = fill(sentences.CALLBACK_TOO_LARGE, most=most // 1024)
        self.remedy = sentences.CALLBACK_TOO_LARGE_REMEDY


class TooManyWaiting(HostRefusal):
    """More calls wait to be called back than this host keeps in mind."""

    kind = "rate_limited"
    http_status = 429
    retryable = True

    def __init__(self) -> None:
        super().__init__(sentences.CALLBACKS_BUSY, remedy=sentences.CALLBACKS_BUSY_REMEDY)


class MethodNotAllowed(HostRefusal):
    """The address is right, the method is not."""

    kind = "method_not_allowed"
    http_status = 405

    def __init__(self, method: str) -> None:
        super().__init__(fill(sentences.METHOD, method=method), remedy=sentences.NO_ROUTE_REMEDY)


class Malformed(InputError):
    """The request itself cannot be read, as opposed to an input that does not fit its manifest."""

    http_status: ClassVar[int] = 400

    def __init__(self, message: Text, *, remedy: Text = sentences.BODY_REMEDY, field: str | None = None) -> None:
        super().__init__(message, remedy=remedy, field=field)


def no_route() -> NotFound:
    """Nothing is at this address."""
    return NotFound(sentences.NO_ROUTE, remedy=sentences.NO_ROUTE_REMEDY, outcome="not_sent")
