"""Faults on demand: what goes wrong with which request or outgoing event, how often, and by which seed."""

from __future__ import annotations

from fnmatch import fnmatchcase
from random import Random
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

RequestFaultKind = Literal[
    "drop_before",  # the TCP connection is cut, nothing was done
    "drop_after",  # done, then the TCP connection is cut
    "error_500",  # nothing was done
    "error_500_after",  # done, then 500
    "slow",  # done after a delay
    "slow_after",  # done, answered after a delay
    "malformed",  # done, 200 with broken JSON
    "wrong_content_type",  # done, 200 with an HTML page
    "rate_limited",  # 429, nothing was done
    "truncated",  # done, the answer breaks off before its announced length
]
EventFaultKind = Literal[
    "event_repeat",  # delivered twice
    "event_reorder",  # delivered after the event that follows it
    "event_delay",  # delivered late; later events pass it
    "event_lose",  # never delivered
]
REQUEST_KINDS = frozenset(get_args(RequestFaultKind))


class FaultMatch(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Which requests or events a fault is for; what is left out matches all."""

    method: str | None = None
    path: str | None = None
    """A prefix, or a glob when it holds one of `*?[`."""
    event: str | None = None
    """The same for the name of an outgoing event."""


class FaultOrder(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    kind: RequestFaultKind | EventFaultKind
    times: Annotated[int, Meta(ge=1)] | None = 1
    """How often it strikes; None: for ever."""
    probability: Annotated[float, Meta(ge=0, le=1)] = 1.0
    seed: int = 0
    match: FaultMatch = FaultMatch()
    seconds: Annotated[float, Meta(ge=0, le=1e6)] = 5.0
    """For the kinds that wait: `slow` and `slow_after` in real time, `event_delay` on the sandbox's clock."""


class Fault(Struct, kw_only=True):
    id: int
    order: FaultOrder
    struck: int = 0

    @property
    def kind(self) -> str:
        return self.order.kind


class Faults:
    """The faults ordered so far. For each request or event the first that matches and strikes is the only one."""

    def __init__(self) -> None:
        self.ordered: list[Fault] = []
        self._dice: dict[int, Random] = {}
        self._next_id = 1

    def order(self, order: FaultOrder) -> Fault:
        fault = Fault(id=self._next_id, order=order)
        self._next_id += 1
        self.ordered.append(fault)
        self._dice[fault.id] = Random(order.seed)
        return fault

    def clear(self) -> None:
        self.ordered.clear()
        self._dice.clear()

    def strike_request(self, method: str, path: str) -> Fault | None:
        for fault in self.ordered:
            match = fault.order.match
            if (
                fault.kind in REQUEST_KINDS
                and (match.method is None or match.method.upper() == method)
                and _fits(match.path, path)
                and self._strikes(fault)
            ):
                return fault
        return None

    def strike_event(self, event: str) -> Fault | None:
        for fault in self.ordered:
            if fault.kind not in REQUEST_KINDS and _fits(fault.order.match.event, event) and self._strikes(fault):
                return fault
        return None

    def _strikes(self, fault: Fault) -> bool:
        if fault.order.times is not None and fault.struck >= fault.order.times:
            return False
        if self._dice[fault.id].random() >= fault.order.probability:
            return False
        fault.struck += 1
        return True


def _fits(pattern: str | None, text: str) -> bool:
    if pattern is None:
        return True
    if any(sign in pattern for sign in "*?["):
        return fnmatchcase(text, pattern)
    return text.startswith(pattern)
