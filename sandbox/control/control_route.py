"""The types of control routes and their requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from connector.sandbox.service import Service
from connector.sandbox.traffic.http_messages import decode_as

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ControlRequest:
    """A request to the control interface."""

    service: Service
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes

    def parse(self, kind: type[T]) -> T:
        return decode_as(self.body, kind)


ControlHandler = Callable[[ControlRequest], Any | Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class ControlRoute:
    method: str
    path: str
    help: str
    handler: ControlHandler
