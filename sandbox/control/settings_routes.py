"""Control routes for reset, clock, rate limits, credits, organisations and settings."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from connector.sandbox.access.api_keys import ORGANIZATION
from connector.sandbox.access.credits import DEMO_BALANCE
from connector.sandbox.control.control_route import ControlRequest, ControlRoute
from connector.sandbox.organizations import add_organization
from connector.sandbox.traffic.http_messages import ServiceError

Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(gt=0)]


class ResetBody(Struct, forbid_unknown_fields=True):
    seed: int | None = None


class ClockBody(Struct, forbid_unknown_fields=True):
    advance: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    set: Annotated[datetime, Meta(tz=True)] | None = None
    speed: Annotated[float, Meta(ge=0, le=1e6)] | None = None


class LimitsBody(Struct, forbid_unknown_fields=True):
    limit: Count | UnsetType = UNSET
    window: Seconds | UnsetType = UNSET
    webhook_limit: Count | UnsetType = UNSET
    webhook_window: Seconds | UnsetType = UNSET
    style: Literal["fixed", "sliding"] | UnsetType = UNSET
    reset: Literal["seconds", "timestamp"] | UnsetType = UNSET
    retry_after: bool | UnsetType = UNSET
    headers: bool | UnsetType = UNSET


class CreditsBody(Struct, forbid_unknown_fields=True):
    balance: int
    key: str | None = None


class OrganizationBody(Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(pattern="^[a-z0-9-]{1,30}$")]
    credits: int = DEMO_BALANCE


class SettingsBody(Struct, forbid_unknown_fields=True):
    auto_payments: bool | UnsetType = UNSET
    page_size: Annotated[int, Meta(ge=1)] | UnsetType | None = UNSET
    payments_page_size: Annotated[int, Meta(ge=1)] | UnsetType | None = UNSET
    payments_lag: Annotated[float, Meta(ge=0, le=1e6)] | UnsetType = UNSET
    payments_hide_custom_fields: bool | UnsetType = UNSET
    realistic_durations: bool | UnsetType = UNSET
    provider_answer: Literal["success", "unusual", "error"] | UnsetType = UNSET


async def reset(request: ControlRequest) -> Any:
    await request.service.reset(request.parse(ResetBody).seed)
    return {"seed": request.service.world.seed, "now": request.service.clock.now()}


def clock(request: ControlRequest) -> Any:
    body, clock = request.parse(ClockBody), request.service.clock
    if body.set is not None:
        try:
            clock.set(body.set)
        except ValueError:
            raise ServiceError(400, "The clock only moves forward.") from None
    if body.advance is not None:
        clock.advance(body.advance)
    if body.speed is not None:
        clock.set_speed(body.speed)
    return {"now": clock.now(), "speed": clock.speed}


def limits(request: ControlRequest) -> Any:
    """Change the rate limits and reset all windows."""
    settings = request.service.world.settings
    settings.limits = structs.replace(settings.limits, **_given_fields(request.parse(LimitsBody)))
    request.service.limiter.clear()
    return settings.limits


def credits(request: ControlRequest) -> Any:
    body, world = request.parse(CreditsBody), request.service.world
    organization_id = ORGANIZATION
    if body.key is not None:
        if body.key not in world.keys:
            raise ServiceError(404, "There is no such API key.")
        organization_id = world.keys[body.key].organization_id
    world.credits.balances[organization_id] = body.balance
    return {"balance": body.balance, "available": world.credits.available(organization_id)}


def organizations(request: ControlRequest) -> Any:
    body, service = request.parse(OrganizationBody), request.service
    return {"data": add_organization(service.world, body.name, body.credits, service.clock.now())}


def settings(request: ControlRequest) -> Any:
    current = request.service.world.settings
    for name, value in _given_fields(request.parse(SettingsBody)).items():
        setattr(current, name, value)
    return current


def _given_fields(body: Struct) -> dict[str, Any]:
    return {name: value for name, value in structs.asdict(body).items() if value is not UNSET}


ROUTES = (
    ControlRoute("POST", "/sandbox/reset", "begin anew {seed?}", reset),
    ControlRoute("POST", "/sandbox/clock", "move time {advance: seconds | set: date-time, speed: factor}", clock),
    ControlRoute(
        "POST",
        "/sandbox/limits",
        "rate limits {limit?, window?, webhook_limit?, webhook_window?, style?: fixed|sliding, "
        "reset?: seconds|timestamp, retry_after?: bool, headers?: bool}; opens fresh windows",
        limits,
    ),
    ControlRoute("POST", "/sandbox/credits", "set a balance {balance, key?}", credits),
    ControlRoute(
        "POST",
        "/sandbox/organizations",
        "add an organisation with two keys, a bank account and a ledger connection {name, credits?}",
        organizations,
    ),
    ControlRoute(
        "POST",
        "/sandbox/settings",
        "switches {auto_payments?, page_size?, realistic_durations?, provider_answer?: success|unusual|error}, and of "
        "the payments list {payments_page_size?, payments_lag?: seconds, payments_hide_custom_fields?}",
        settings,
    ),
)
