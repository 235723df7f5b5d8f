"""Control routes for the frame around the world: reset, clock, limits, credits, settings."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from sandbox.control.route import ControlRoute, Order
from sandbox.errors import ServiceError
from sandbox.keys import ORGANIZATION

Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(gt=0)]


class ResetOrder(Struct, forbid_unknown_fields=True):
    seed: int | None = None


class ClockOrder(Struct, forbid_unknown_fields=True):
    advance: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    set: Annotated[datetime, Meta(tz=True)] | None = None
    speed: Annotated[float, Meta(ge=0, le=1e6)] | None = None


class LimitsOrder(Struct, forbid_unknown_fields=True):
    limit: Count | UnsetType = UNSET
    window: Seconds | UnsetType = UNSET
    webhook_limit: Count | UnsetType = UNSET
    webhook_window: Seconds | UnsetType = UNSET
    style: Literal["fixed", "sliding"] | UnsetType = UNSET
    reset: Literal["seconds", "timestamp"] | UnsetType = UNSET
    retry_after: bool | UnsetType = UNSET


class CreditsOrder(Struct, forbid_unknown_fields=True):
    balance: int
    key: str | None = None


class SettingsOrder(Struct, forbid_unknown_fields=True):
    auto_payments: bool | UnsetType = UNSET
    page_size: Annotated[int, Meta(ge=1)] | UnsetType | None = UNSET
    realistic_durations: bool | UnsetType = UNSET


async def reset(order: Order) -> Any:
    await order.service.reset(order.read(ResetOrder).seed)
    return {"seed": order.service.world.seed, "now": order.service.clock.now()}


def clock(order: Order) -> Any:
    wish, clock = order.read(ClockOrder), order.service.clock
    if wish.set is not None:
        try:
            clock.set(wish.set)
        except ValueError:
            raise ServiceError(400, "The clock only moves forward.") from None
    if wish.advance is not None:
        clock.advance(wish.advance)
    if wish.speed is not None:
        clock.run_at(wish.speed)
    return {"now": clock.now(), "speed": clock.speed}


def limits(order: Order) -> Any:
    """Change the rate limits and open fresh windows, so that the new limits hold from the next request on."""
    settings = order.service.world.settings
    settings.limits = structs.replace(settings.limits, **_wished(order.read(LimitsOrder)))
    order.service.limiter.clear()
    return settings.limits


def credits(order: Order) -> Any:
    wish, world = order.read(CreditsOrder), order.service.world
    organization_id = ORGANIZATION
    if wish.key is not None:
        if wish.key not in world.keys:
            raise ServiceError(404, "There is no such API key.")
        organization_id = world.keys[wish.key].organization_id
    world.credits.balances[organization_id] = wish.balance
    return {"balance": wish.balance, "available": world.credits.available(organization_id)}


def settings(order: Order) -> Any:
    current = order.service.world.settings
    for name, value in _wished(order.read(SettingsOrder)).items():
        setattr(current, name, value)
    return current


def _wished(wish: Struct) -> dict[str, Any]:
    return {name: value for name, value in structs.asdict(wish).items() if value is not UNSET}


ROUTES = (
    ControlRoute("POST", "/sandbox/reset", "begin anew {seed?}", reset),
    ControlRoute("POST", "/sandbox/clock", "move time {advance: seconds | set: date-time, speed: factor}", clock),
    ControlRoute(
        "POST",
        "/sandbox/limits",
        "rate limits {limit?, window?, webhook_limit?, webhook_window?, style?: fixed|sliding, "
        "reset?: seconds|timestamp, retry_after?: bool}; opens fresh windows",
        limits,
    ),
    ControlRoute("POST", "/sandbox/credits", "set a balance {balance, key?}", credits),
    ControlRoute("POST", "/sandbox/settings", "switches {auto_payments?, page_size?, realistic_durations?}", settings),
)
