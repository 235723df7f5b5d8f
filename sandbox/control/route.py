"""What a control route is: a place, a line of help, and a function of the running sandbox."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sandbox import encoding
from sandbox.service import Service

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Order:
    """One call to the control interface."""

    service: Service
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes

    def read(self, kind: type[T]) -> T:
        return encoding.decode_as(self.body, kind)


ControlHandler = Callable[[Order], Any | Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class ControlRoute:
    method: str
    path: str
    line: str
    handler: ControlHandler
