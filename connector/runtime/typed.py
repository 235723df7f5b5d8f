"""Runs and watches by handlers: what comes of them has their types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from connector.client.steps import Pause, Steps
from connector.core.manifest.handlers import Action, Handler, Trigger
from connector.runtime.poll import Polled
from connector.runtime.result import Result

T = TypeVar("T")
Output = TypeVar("Output")


class Polls(Protocol):
    """What a watch needs of a blocking session."""

    def poll(self, trigger: str, inputs: Mapping[str, Any], cursor: str | None, start: str) -> Polled:
        """Poll once."""

    def carry_out(self, steps: Steps[T]) -> T:
        """Carry out a procedure."""


class AsyncPolls(Protocol):
    """What a watch needs of an asynchronous session."""

    async def poll(self, trigger: str, inputs: Mapping[str, Any], cursor: str | None, start: str) -> Polled:
        """Poll once."""

    async def carry_out(self, steps: Steps[T]) -> T:
        """Carry out a procedure."""


def typed_result(action: Action[Output], result: Result[Any]) -> Result[Any]:
    """Return a result whose output has the handler's type; a dry run's is the request, and one that waits has none."""
    if result.dry_run or result.waits:
        return result
    return result.with_output(typed(type(action), result.output))


def typed(handler: type[Handler], value: Any) -> Any:
    """Return an answer in the handler's type; one that is no such thing at all stays as it came."""
    try:
        return _adapter(handler).validate_python(value)
    except ValidationError:
        return value


@lru_cache(maxsize=256)
def _adapter(handler: type[Handler]) -> TypeAdapter[Any]:
    return TypeAdapter(handler.output_type())


class _Watch(Generic[Output]):
    """The items of a trigger as they come. After an error it can be used again, and goes on where it was."""

    def __init__(self, trigger: Trigger[Output], interval: float, cursor: str | None, start: str) -> None:
        self._trigger, self._interval, self._start = trigger, interval, start
        self._items: Iterator[Output] = iter(())
        self._next_cursor = cursor
        self._is_more = True
        self.cursor = cursor
        """Up to where all items were taken: with it another process goes on."""

    def _take(self, polled: Polled) -> None:
        self._next_cursor, self._is_more = polled.cursor, polled.more
        self._items = iter([typed(type(self._trigger), item) for item in polled.items])

    def _pause(self) -> Steps[None]:
        """Wait until the next poll; not before the first, nor where a list was cut off."""
        self.cursor = self._next_cursor
        if not self._is_more:
            yield Pause(self._interval)


class Watch(_Watch[Output]):
    """The items of a trigger, in a blocking session."""

    def __init__(self, session: Polls, trigger: Trigger[Output], *rest: Any) -> None:
        super().__init__(trigger, *rest)
        self._session = session

    def __iter__(self) -> Iterator[Output]:
        return self

    def __next__(self) -> Output:
        while True:
            for item in self._items:
                return item
            self._session.carry_out(self._pause())
            id, inputs = self._trigger.manifest_id, self._trigger.given_inputs()
            self._take(self._session.poll(id, inputs, self.cursor, self._start))


class AsyncWatch(_Watch[Output]):
    """The items of a trigger, in an event loop."""

    def __init__(self, session: AsyncPolls, trigger: Trigger[Output], *rest: Any) -> None:
        super().__init__(trigger, *rest)
        self._session = session

    def __aiter__(self) -> AsyncWatch[Output]:
        return self

    async def __anext__(self) -> Output:
        while True:
            for item in self._items:
                return item
            await self._session.carry_out(self._pause())
            id, inputs = self._trigger.manifest_id, self._trigger.given_inputs()
            self._take(await self._session.poll(id, inputs, self.cursor, self._start))
