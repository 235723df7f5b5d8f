"""What every engine can be asked in the tests of a promise: a service or host, seen through a platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Trigger

Row = dict[str, Any]
Address = Mapping[str, str]
"""Where the package shall go: `baseUrl`, `apiKey`, and `hostToken` for a host."""


@dataclass(frozen=True)
class Means:
    """What a platform knows of one call: which run it is, and what its user has said about it."""

    run: str = ""
    """A message or a run of the platform; the same for its own retry. Another one for each call where it is empty."""
    own: str = ""
    """A key of the user's own."""
    again: bool = False
    tried: bool = False
    """A person tries the step out, where the platform tells that."""
    agent: bool = False


ANY = Means()
"""Nothing is known of the call, nor said about it."""


class Refusal(Exception):
    """What the platform would show to a person."""

    def __init__(self, message: str, details: Mapping[str, Any]) -> None:
        super().__init__(message)
        assert " " in message, "a name, not a sentence"
        self.message = message
        """Message and remedy."""
        self.kind = str(details.get("kind", ""))
        self.outcome = str(details.get("outcome", ""))
        self.field = details.get("field")
        self.remedy = str(details.get("remedy", ""))
        self.status = details.get("status")


class PollFlow(Protocol):
    """A flow that a poll starts."""

    def poll(self) -> list[Row]: ...

    def reborn(self) -> None:
        """As after the platform was ended and started again: only what it keeps is there."""

    def refused(self) -> Refusal:
        """What a poll that fails tells."""


class EventFlow(Protocol):
    """A flow that an event starts."""

    @property
    def url(self) -> str: ...

    def switch_on(self) -> None: ...

    def switch_off(self) -> None: ...

    def deliver(self, body: str, headers: Mapping[str, str] | None = None) -> tuple[int, list[Row]]:
        """Hands on what comes in: what is answered, and what fires."""

    def fired(self) -> list[Row]:
        """What fires on the next delivery."""


class Stand(Protocol):
    """One engine at one service or host."""

    name: str

    def run(self, action: Action, inputs: Row, means: Means = ...) -> Any: ...

    def at_once(self, action: Action, inputs: Row, means: Sequence[Means]) -> list[Any]:
        """Several calls at one moment; a refusal stands in place of its result."""

    def run_raw(self, action: Action, raw: Row, means: Means = ...) -> Any:
        """With inputs as another step hands them over."""

    def options(self, manifest: Action | Trigger, field: Field, inputs: Row) -> list[tuple[str, str]]: ...

    def poll_flow(self, trigger: Trigger, start: str = "now", since: str = "", **inputs: Any) -> PollFlow: ...

    def event_flow(self, trigger: Trigger, replace: bool = False, **inputs: Any) -> EventFlow: ...


def items_of(action: Action, result: Any) -> list[Row]:
    """The rows of a result, whether the platform hands on a list or an object with one."""
    if not action.is_list:
        return [result]
    return list(result if isinstance(result, list) else result["items"])
