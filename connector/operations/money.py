"""What a workspace allows (its policy), what its API key has spent, and the budget of that key."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema
from sqlalchemy import Connection

from connector.core.callers import Actor, CallSource, current_source
from connector.core.data import localize
from connector.core.messages import Text, say
from connector.core.timing import Clock
from connector.core.writes.policy import Policy as AllowedByWorkspace
from connector.core.writes.policy_change import loosened
from connector.durable.context import JobContext
from connector.operations.operation import (
    LEFT_OUT,
    Access,
    Amount,
    Answer,
    Count,
    Document,
    In,
    Ok,
    Workspace,
    ok,
    operation,
)
from connector.operations.people import named_workspace
from connector.runtime.connector import Connector
from connector.runtime.lookups import LOOKUP_LABEL
from connector.runtime.records.usage import FORECAST_DAYS, Forecast, forecast
from connector.store.people import policy_changes
from connector.store.people.policy_changes import PolicyChange as AskedChange
from connector.store.rates import usage
from connector.store.rates.usage import Budget, Charged, Spent
from connector.store.triggers import timeline
from connector.store.trust import audit, workspaces
from connector.store.trust.audit_sendings import policy_told

ABOUT_BUDGET = "budget:"
"""The beginning of what the timeline calls the budget of a key."""
COUNTED_SECONDS = 2.0
"""How long to wait for what was counted in memory to be stored."""
Limit = Annotated[Any, WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]})]


class Policy(Answer):
    """What a workspace allows; a value that is left out stays as it is, and null takes the default."""

    most_each: Limit = LEFT_OUT
    most_per_day: Limit = LEFT_OUT
    most_per_payee: Limit = LEFT_OUT
    approve_above: Limit = LEFT_OUT
    payees: Literal["any", "known"] = LEFT_OUT
    changed_payees: Literal["warn", "approve"] = LEFT_OUT
    known_payees: list[str] = LEFT_OUT
    agents: list[str] = LEFT_OUT
    approval_hours: Count = LEFT_OUT
    repeat_minutes: Count = LEFT_OUT
    keep_writes_days: Count = LEFT_OUT
    keep_reads_days: Count = LEFT_OUT
    key_required: bool = LEFT_OUT
    undeclared_paths: bool = LEFT_OUT
    loosen: Literal["alone", "approve"] = LEFT_OUT


class WaitingChange(Answer):
    """What of a change waits for a second person, because it would loosen the policy."""

    id: str
    settings: list[str]
    expires_at: datetime


POLICY_SHOWN = ok("PolicyShown", workspace=str, policy=Policy)
POLICY_SET = ok("PolicySet", workspace=str, policy=Policy, waiting=(WaitingChange, LEFT_OUT))
PolicyChange = Annotated[Mapping[str, Any], In("whole body", model=Policy)]


@operation("GET /v1/policy", "admin", POLICY_SHOWN)
async def show_policy(context: JobContext, actor: Actor | None, workspace: Workspace = None) -> Document:
    """What a workspace allows."""
    home = await named_workspace(context, actor, workspace)
    policy = await context.read(lambda connection: workspaces.find_policy(connection, home))
    return {"ok": True, "workspace": home, "policy": policy.as_dict()}


@operation("PUT /v1/policy", "admin", POLICY_SET)
async def set_policy(
    context: JobContext, actor: Actor | None, given: PolicyChange, workspace: Workspace = None
) -> Document:
    """Changes what a workspace allows; what is not named stays.

    Where the policy says `loosen: approve`, what would loosen it waits for a second person; the rest holds at once.
    """
    home, now = await named_workspace(context, actor, workspace), context.now()
    actions, by = context.connector.actions, replace(current_source(), actor=actor)

    def change(connection: Connection) -> tuple[AllowedByWorkspace, AskedChange | None]:
        before = workspaces.find_policy(connection, home, lock=True)
        wanted = before.changed(given, actions)
        loosening = loosened(before, wanted) if before.loosen == "approve" else ()
        at_once = {name: value for name, value in given.items() if name not in loosening}
        changed = before.changed(at_once, actions) if loosening else wanted
        if at_once or not loosening:
            workspaces.save_policy(connection, home, changed, now)
            details = {"changed": sorted(at_once), "policy": policy_told(changed)}
            audit.record_by(connection, by, workspace=home, what="policy.changed", details=details, now=now)
        return changed, _ask(connection, home, before, wanted, loosening, by, now) if loosening else None

    policy, waiting = await context.write(change)
    context.connector.shared.policies.clear()
    document: Document = {"ok": True, "workspace": home, "policy": policy.as_dict()}
    if waiting is not None:
        shown = {"id": waiting.id, "settings": sorted(waiting.after), "expires_at": waiting.expires_at}
        document["waiting"] = shown
    return document


def _ask(
    connection: Connection,
    workspace: str,
    before: AllowedByWorkspace,
    wanted: AllowedByWorkspace,
    loosening: Sequence[str],
    by: CallSource,
    now: datetime,
) -> AskedChange:
    """Let what would loosen a policy wait for a second person."""
    former, values = before.as_dict(), wanted.as_dict()
    until = now + timedelta(hours=before.approval_hours)
    change = policy_changes.ask(
        connection,
        workspace,
        {name: former[name] for name in loosening},
        {name: values[name] for name in loosening},
        by.actor,
        now,
        until,
    )
    details = {"changed": sorted(loosening)}
    what = "policy.loosening_asked"
    audit.record_by(connection, by, workspace=workspace, what=what, subject=change.id, details=details, now=now)
    return change


class SpentLine(Answer):
    """What an action spent on a day."""

    day: date
    action: str
    flow: str
    calls: Count
    credits: Amount
    reserved: Amount


class CreditForecast(Answer):
    """When the credits run out, if they are spent as in the last days."""

    per_day: Amount
    runs_out_on: date | None


class CreditBudget(Answer):
    """The limits of an API key."""

    per_day: Count | None
    per_flow: Count | None
    hold_back: Count


class ChargedDropdown(Answer):
    """A dropdown that should be free and was charged."""

    label: str
    calls: Count
    credits: Amount
    last_on: date


class CreditReport(Ok):
    """What an API key has spent, from what answers told."""

    balance: Amount | None
    told_at: datetime | None
    reserved: Annotated[Amount, Field(description="For payments under way; charged when they settle, else expired.")]
    spent: list[SpentLine]
    forecast: CreditForecast
    budget: CreditBudget
    surprises: Annotated[list[ChargedDropdown], Field(description="Dropdowns that should be free and were charged.")]


@dataclass(frozen=True, slots=True)
class SpentCredits:
    """What is known of the credits of one API key: balance, spending, forecast, budget."""

    balance: tuple[Decimal, datetime] | None
    spent: Sequence[Spent]
    forecast: Forecast
    budget: Budget
    surprises: Sequence[Charged]
    """Dropdowns that should be free and were charged."""
    day: date
    now: datetime
    reserved: Decimal
    """For payments under way, whenever they were made."""

    def as_dict(self) -> Document:
        """Return it as the public interfaces show it."""
        balance, told_at = self.balance or (None, None)
        return {
            "ok": True,
            "balance": balance,
            "told_at": told_at,
            "reserved": self.reserved,
            "spent": [
                {
                    "day": line.day,
                    "action": line.label,
                    "flow": line.flow,
                    "calls": line.calls,
                    "credits": line.credits,
                    "reserved": line.reserved,
                }
                for line in self.spent
            ],
            "forecast": asdict(self.forecast),
            "budget": asdict(self.budget),
            "surprises": [asdict(surprise) for surprise in self.surprises],
        }


def load_report(store: Connection, credential: str, clock: Clock) -> SpentCredits:
    """Load the report of an API key by its fingerprint."""
    day = clock.berlin_today()
    spent = usage.spent(store, credential, (day - timedelta(days=FORECAST_DAYS - 1)).isoformat())
    balance = usage.last_balance(store, credential)
    return SpentCredits(
        balance,
        spent,
        forecast(spent, balance[0] if balance else None, day),
        usage.budget_of(store, credential),
        usage.charged(store, credential, LOOKUP_LABEL),
        day,
        clock.utcnow(),
        sum(usage.reservations(store, credential).values(), Decimal(0)),
    )


@operation("GET /v1/credits", "viewer", CreditReport, needs_key=True)
async def show_credits(context: JobContext, actor: Actor | None, access: Access) -> Document:
    """What the key has spent, its balance and its budget.

    Nothing is asked of the service.
    """
    async with access.session() as session:
        credential, clock = session.credential.fingerprint, session.clock
    writing = context.connector.shared.usage.flush()
    if writing is not None:
        await asyncio.wait({asyncio.wrap_future(writing)}, timeout=COUNTED_SECONDS)
    report = await context.read(lambda store: load_report(store, credential, clock))
    return report.as_dict()


def change_budget(
    connection: Connection, by: CallSource, fingerprint: str, given: Mapping[str, int | None], now: datetime
) -> None:
    """Set the given limits; what is not given stays. 0 kept back is nothing kept back."""
    values: dict[str, Any] = {**given, **({"hold_back": given["hold_back"] or 0} if "hold_back" in given else {})}
    budget = replace(usage.budget_of(connection, fingerprint), **values)
    usage.set_budget(connection, fingerprint, budget)
    home = workspaces.of_key(connection, fingerprint)
    audit.record_by(connection, by, workspace=home, what="budget.changed", details=asdict(budget), now=now)
    timeline.record(connection, ABOUT_BUDGET + fingerprint, "budget.changed", now, {**asdict(budget), "by": by.person})


def surprise_text(charged: Charged, titles: Mapping[str, Text]) -> Text:
    """Return the sentence about a dropdown that was charged; a lookup that is no more is called by its id."""
    return say(
        "credits_surprise",
        lookup=titles.get(charged.label, charged.label),
        calls=charged.calls,
        cost=localize.in_both(localize.credits, charged.credits),
        day=localize.in_both(localize.text, charged.last_on),
    )


def titles_by_label(connector: Connector) -> dict[str, Text]:
    """Return what everything that can be charged is called, by the label of its usage; lookups by their id too."""
    lookups = {id: lookup.title for id, lookup in connector.lookups.items()}
    marked = {f"{LOOKUP_LABEL}{id}": title for id, title in lookups.items()}
    others = [*connector.triggers.values(), *connector.actions.values()]
    return {**lookups, **marked, **{manifest.id: manifest.title for manifest in others}}
