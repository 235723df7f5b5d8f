"""Fault injection for requests and outgoing events."""

from __future__ import annotations

from fnmatch import fnmatchcase
from random import Random
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

RequestFaultKind = Literal[
    "drop_before",  # connection aborted before processing
    "drop_after",  # connection aborted after processing
    "error_500",  # 500 before processing
    "error_500_after",  # 500 after processing
    "slow",  # delayed before processing
    "slow_after",  # delayed after processing
    "malformed",  # processed, 200 with broken JSON
    "wrong_content_type",  # processed, 200 with an HTML page
    "rate_limited",  # 429 before processing
    "truncated",  # processed, response shorter than its Content-Length
    "act_late",  # connection aborted at once, processed later
    "answer_before",  # any answer, without processing
    "answer_after",  # any answer, after processing
]
EventFaultKind = Literal[
    "event_repeat",  # delivered twice
    "event_reorder",  # delivered after the event that follows it
    "event_delay",  # delivered late, after later events
    "event_lose",  # never delivered
]
REQUEST_KINDS = frozenset(get_args(RequestFaultKind))


class FaultMatch(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Selects requests or events; a missing field matches all."""

    method: str | None = None
    path: str | None = None
    """A prefix, or a glob if it contains one of `*?[`."""
    event: str | None = None
    """Prefix or glob of the event name."""


class FaultSpec(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    kind: RequestFaultKind | EventFaultKind
    times: Annotated[int, Meta(ge=1)] | None = 1
    """How often it is applied; None: always."""
    probability: Annotated[float, Meta(ge=0, le=1)] = 1.0
    seed: int = 0
    match: FaultMatch = FaultMatch()
    seconds: Annotated[float, Meta(ge=0, le=1e6)] = 5.0
    """The delay of `slow`, `slow_after` and `act_late` in real time, of `event_delay` on the sandbox's clock."""
    status: Annotated[int, Meta(ge=300, le=599)] = 500
    """The status of `answer_before` and `answer_after`."""
    content: str = '{"error": "That was not possible."}'
    """Their body."""
    limit_headers: Literal["usual", "refused", "none"] = "usual"
    """Their rate-limit headers: those of any answer, those of the limiter when it refuses, or none."""


class Fault(Struct, kw_only=True, rename={"spec": "order", "applied": "struck"}):
    """An injected fault and how often it was applied; its JSON names are part of the control interface."""

    id: int
    spec: FaultSpec
    applied: int = 0

    @property
    def kind(self) -> str:
        return self.spec.kind


class Faults:
    """The injected faults; at most one, the first that matches, is applied to a request or event."""

    def __init__(self) -> None:
        self.injected: list[Fault] = []
        self._generators: dict[int, Random] = {}
        self._next_id = 1

    def inject(self, spec: FaultSpec) -> Fault:
        fault = Fault(id=self._next_id, spec=spec)
        self._next_id += 1
        self.injected.append(fault)
        self._generators[fault.id] = Random(spec.seed)
        return fault

    def clear(self) -> None:
        self.injected.clear()
        self._generators.clear()

    def remove(self, fault_id: int) -> bool:
        """Remove one fault; False if there is none with this id."""
        remaining = [fault for fault in self.injected if fault.id != fault_id]
        removed = len(remaining) < len(self.injected)
        self.injected = remaining
        return removed

    def match_request(self, method: str, path: str) -> Fault | None:
        for fault in self.injected:
            match = fault.spec.match
            if (
                fault.kind in REQUEST_KINDS
                and (match.method is None or match.method.upper() == method)
                and _matches(match.path, path)
                and self._applies(fault)
            ):
                return fault
        return None

    def match_event(self, event: str) -> Fault | None:
        for fault in self.injected:
            if fault.kind not in REQUEST_KINDS and _matches(fault.spec.match.event, event) and self._applies(fault):
                return fault
        return None

    def _applies(self, fault: Fault) -> bool:
        if fault.spec.times is not None and fault.applied >= fault.spec.times:
            return False
        if self._generators[fault.id].random() >= fault.spec.probability:
            return False
        fault.applied += 1
        return True


def _matches(pattern: str | None, text: str) -> bool:
    if pattern is None:
        return True
    if any(sign in pattern for sign in "*?["):
        return fnmatchcase(text, pattern)
    return text.startswith(pattern)
