"""Sends one delivery, with limits on size and time, without redirects, to checked addresses only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Self

import httpx

from connector.client.clients import nothing_of_others
from connector.core.errors import InputError
from connector.core.messages import say
from connector.durable.sending.address import check_target
from connector.durable.sending.pinned_address import AddressRefused, PinnedTransport, Resolve, system_resolver
from connector.version import __version__

TIMEOUT = 15.0
MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_ANSWER_BYTES = 16 * 1024
MAX_RETRY_AFTER = 8 * 3600.0
RETRY_AFTER_STATUSES = frozenset({429, 503})
FIXED_HEADERS: Mapping[str, str] = {"Content-Type": "application/json", "User-Agent": f"kontor/{__version__}"}


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one attempt: a status, or the reason why there is none."""

    status: int | None
    error: str = ""
    retry_after: float | None = None
    hung: bool = False
    """Whether the subscriber let it wait for an answer in vain."""

    @property
    def own_error(self) -> str:
        """Why there is no status; without what a subscriber answered, who may have quoted what was sent."""
        return self.error if self.status is None else ""

    @property
    def delivered(self) -> bool:
        """Whether the subscriber accepted it."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        """Whether the subscriber answered 410 and wants no more deliveries."""
        return self.status == 410


def no_answer(seconds: float) -> Attempt:
    """Return the result of an attempt that waited so long in vain."""
    return Attempt(None, say("send_no_answer", seconds=f"{seconds:g}").en, hung=True)


class Sender:
    """Sends to any number of subscribers concurrently. Close it at the end."""

    def __init__(
        self, *, allow_private: bool = False, resolve: Resolve = system_resolver, seconds: float = TIMEOUT
    ) -> None:
        self._allow_private = allow_private
        self._seconds = seconds
        self._http = httpx.AsyncClient(
            transport=PinnedTransport(allow_private=allow_private, resolve=resolve),
            trust_env=False,
            **nothing_of_others(),
        )

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> Attempt:
        """Post the body. Failures are returned as an attempt, never raised."""
        try:
            check_target(url, allow_private=self._allow_private)
            if len(body) > MAX_BODY_BYTES:
                return Attempt(None, say("send_too_large", size=MAX_BODY_BYTES).en)
            async with asyncio.timeout(self._seconds):
                return await self._post(url, body, headers)
        except InputError as error:
            return Attempt(None, error.message.en)
        except AddressRefused as error:
            return Attempt(None, str(error))
        except (TimeoutError, httpx.TimeoutException):
            return no_answer(self._seconds)
        except (httpx.RequestError, httpx.InvalidURL, OSError, ValueError) as error:
            return Attempt(None, f"{type(error).__name__}: {error}")

    async def _post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Attempt:
        # Without the client's own headers; the time of the whole attempt is limited instead of each phase.
        request = httpx.Request("POST", url, headers={**FIXED_HEADERS, **headers}, content=body)
        request.extensions["timeout"] = httpx.Timeout(None).as_dict()
        async with contextlib.aclosing(await self._http.send(request, stream=True)) as answer:
            status = answer.status_code
            retry_after = _retry_after(answer) if status in RETRY_AFTER_STATUSES else None
            message = await _read_start(answer)
        if 200 <= status < 300:
            return Attempt(status)
        if 300 <= status < 400:
            return Attempt(status, say("send_redirect").en)
        return Attempt(status, message, retry_after)

    async def aclose(self) -> None:
        """Close the pooled connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


async def _read_start(answer: httpx.Response) -> str:
    """Return the beginning of an answer as printable text, reading no more than `MAX_ANSWER_BYTES`."""
    read = b""
    with contextlib.suppress(httpx.NetworkError, httpx.ProtocolError):  # the status is known, which is enough
        async for chunk in answer.aiter_raw():
            read += chunk
            if len(read) >= MAX_ANSWER_BYTES:
                break
    text = read[:200].decode("utf-8", "replace")
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()


def _retry_after(answer: httpx.Response) -> float | None:
    """Return the seconds of the Retry-After header, given as a number or as a date."""
    text = answer.headers.get("retry-after", "")
    try:
        seconds = float(text) if text.strip().isdigit() else _seconds_until(parsedate_to_datetime(text))
    except (ValueError, TypeError):
        return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER)


def _seconds_until(moment: datetime) -> float:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - datetime.now(UTC).timestamp()
