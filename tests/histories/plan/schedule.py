"""What is to happen in a history, and when: made from a seed, so that it can be made again."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from tests.histories.plan.writes import NOTATIONS, Write
from tests.histories.rules.reading import CASH_BOOK, PAYMENT, PERSON

Backend = Literal["sqlite", "postgresql"]
SECONDS = 36.0
"""How long clients and faults act."""
KEYS, KEYLESS = 23, 9
LARGEST_CENTS = 99_999
ACTIONS = (PAYMENT, PAYMENT, PAYMENT, CASH_BOOK, PERSON)
LANES: dict[str, tuple[str, ...]] = {
    "sqlite": ("http-0-a", "http-0-b", "http-0-c", "http-0-d", "cli-a", "cli-b", "python-a"),
    "postgresql": ("http-0-a", "http-0-b", "http-1-a", "http-1-b", "http-1-c", "cli-a", "python-a"),
}
"""Each lane is a client that does one operation after the other: over HTTP to a host, as a command, or in Python."""


STATUSES = (301, 302, 307, 308, 400, 402, 403, 404, 405, 408, 409, 410, 413, 415, 418, 422, 429, 500, 502, 503, 504)
CONTENTS = ('{"error": "That was not possible."}', "<html>Bad gateway</html>", "", '{"data": {}, "error": "no"}', "[]")
"""None of them is a proof that the description tells of; with some statuses the first is a refusal that is assumed."""
PROVEN_REFUSALS = (
    (401, '{"error": "Invalid API key"}'),
    (403, '{"error": "no", "code": "ledger_endpoint_not_authorized"}'),
    (400, '{"error": "Missing required parameter: connection_id"}'),
)

ROUNDS = ("approved", "approved_by_two", "rejected", "asker_revoked", "approver_revoked")
"""What happens to a payment that must be approved."""


@dataclass(frozen=True)
class Planned:
    """An operation that a client is to begin at some second."""

    at: float
    lane: str
    write: Write
    key: str | None
    notation: int = 0
    again: bool = False
    token: str | None = None
    """Whose token it is asked with; without one, the host's own."""


@dataclass(frozen=True)
class Fault:
    """A disturbance that is to begin at some second and to last."""

    name: str
    at: float
    lasts: float = 0.0
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Schedule:
    """All of one history."""

    name: str
    seed: int
    backend: Backend
    operations: tuple[Planned, ...]
    faults: tuple[Fault, ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def make_schedule(seed: int, backend: Backend, faults: tuple[str, ...]) -> Schedule:
    """Make the schedule of a seed: the same every time."""
    dice = random.Random(f"{seed}/{backend}/{','.join(faults)}")
    disturbances = tuple(disturbance(name, dice, backend) for name in faults)
    moments = [fault.at for fault in disturbances]
    planned = [
        *(operation for number in range(KEYS) for operation in _keyed(dice, f"{seed}-k{number}", backend, moments)),
        *(
            operation
            for number in range(KEYLESS)
            for operation in _keyless(dice, f"{seed}-p{number}", backend, moments)
        ),
    ]
    planned.sort(key=lambda operation: operation.at)
    return Schedule(f"{seed}-{backend}", seed, backend, tuple(planned), disturbances)


def disturbance(name: str, dice: random.Random, backend: Backend) -> Fault:
    """Choose when a fault begins, how long it lasts, and how strong it is."""
    at = round(dice.uniform(3, 14), 1)
    host = dice.randrange(2) if backend == "postgresql" else 0
    match name:
        case "stop_host":
            return Fault(name, at, dice.choice((4.0, 23.0, 23.0)), {"host": host})
        case "kill_host":
            victims = (f"host-{host}", "python-a")
            return Fault(name, at, dice.uniform(10, 20), {"victims": dice.choices(victims, (4, 1), k=2)})
        case "clock_step":
            steps = [dice.choice((300, 86_400, 259_200)), -dice.choice((300, 86_400, 259_200))]
            dice.shuffle(steps)
            return Fault(name, at, 16.0, {"host": 0, "steps": steps})
        case "restore":
            return Fault(name, at + 3, dice.uniform(6, 10), {})
        case "list_lag":
            return Fault(name, at, 24.0, {"seconds": dice.choice((4, 40))})
        case "late_acting":
            return Fault(name, at, 8.0, {"seconds": dice.choice((4, 12, 26))})
        case "list_without_keys":
            return Fault(name, at, 24.0, {})
        case "paged_list":
            return Fault(name, at, 20.0, {"size": dice.choice((20, 30))})
        case "postgres_frozen":
            return Fault(name, at, dice.choice((3.0, 12.0)), {})
        case "postgres_killed":
            return Fault(name, at, dice.uniform(1, 4), {})
        case "any_answer":
            return Fault(name, at, dice.uniform(8, 16), {"answers": _answers(dice)})
        case "approvals":
            return Fault(name, at, 0.0, {"rounds": dice.choices(ROUNDS, k=6)})
        case "file_deleted":
            return Fault(name, at, dice.uniform(4, 8), {})
        case "rate_storm":
            return Fault(name, at, dice.uniform(2, 5), {})
        case "disk_full":
            return Fault(name, at, dice.uniform(4, 8), {})
        case "key_replaced":
            return Fault(name, at, SECONDS, {})
        case "lost_before" | "lost_after" | "error_after":
            return Fault(name, at, dice.uniform(6, 12), {"probability": dice.choice((0.5, 0.9))})
    raise ValueError(f"there is no fault {name!r}")


def _answers(dice: random.Random) -> list[dict[str, Any]]:
    """Choose answers to writes. One that proves a refusal comes only where nothing was done: nobody could see that."""
    refusals = [{"kind": "answer_before", "status": status, "content": content} for status, content in PROVEN_REFUSALS]
    limiter = {"kind": "answer_before", "status": 429, "limit_headers": "refused"}
    others = [
        {
            "kind": dice.choice(("answer_before", "answer_after")),
            "status": dice.choice(STATUSES),
            "content": dice.choice(CONTENTS),
            "limit_headers": dice.choice(("usual", "none")),
        }
        for _ in range(4)
    ]
    return [*others, dice.choice([*refusals, limiter])]


def _keyed(dice: random.Random, name: str, backend: Backend, moments: list[float]) -> list[Planned]:
    """Plan a key: its first attempt and one to three repeats through any client."""
    action, cents = dice.choice(ACTIONS), _cents(dice)
    write = Write(action, f"{name} a", cents, refused=dice.random() < 0.06)
    other = Write(action, f"{name} b", cents + 1)
    at = _moment(dice, moments)
    lane = _lane(dice, backend)
    planned = [Planned(at, lane, write, name, _notation(dice))]
    for _ in range(dice.choice((0, 1, 1, 1, 2))):
        at = min(at + dice.choice((0.0, 0.2, 1.0, 4.0, 12.0, 22.0)), SECONDS)
        asked = other if dice.random() < 0.12 else write
        planned.append(Planned(at, _lane(dice, backend), asked, name, _notation(dice)))
    if dice.random() < 0.12:  # a platform's new execution of the same step
        after = min(at + dice.choice((3.0, 8.0)), SECONDS)
        planned.append(Planned(after, _lane(dice, backend), write, f"{name}-new"))
    return planned


def _keyless(dice: random.Random, name: str, backend: Backend, moments: list[float]) -> list[Planned]:
    """Plan presses without a key: one, or several of the same, said to be meant or not."""
    write = Write(dice.choice(ACTIONS), f"{name} a", _cents(dice))
    at = _moment(dice, moments)
    planned = [Planned(at, _lane(dice, backend), write, None)]
    if dice.random() < 0.5:
        again = dice.random() < 0.4
        at = min(at + dice.choice((0.0, 0.5, 5.0)), SECONDS)
        planned.append(Planned(at, _lane(dice, backend), write, None, _notation(dice), again))
    return planned


def _moment(dice: random.Random, moments: list[float]) -> float:
    """Choose a second: more often than not around the beginning of a disturbance."""
    if moments and dice.random() < 0.6:
        return round(max(0.0, dice.choice(moments) + dice.uniform(-0.8, 4.0)), 2)
    return round(dice.uniform(0, SECONDS - 6), 2)


def _lane(dice: random.Random, backend: Backend) -> str:
    """Choose a client; less often the command line, which takes a second to start."""
    lanes = LANES[backend]
    return dice.choices(lanes, [1 if lane.startswith("cli") else 3 for lane in lanes])[0]


def _cents(dice: random.Random) -> int:
    """Choose an amount: often one with a trailing zero, which can be left out."""
    return dice.randrange(10, 9_999) * 10 if dice.random() < 0.5 else dice.randrange(100, LARGEST_CENTS)


def _notation(dice: random.Random) -> int:
    return dice.randrange(NOTATIONS) if dice.random() < 0.3 else 0
