"""`kontor credits`: the balance, what was spent on what, when it will run out, and the budget that bounds it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from connector.core import localize
from connector.core.client.credits import Surprise
from connector.core.errors import InputError
from connector.core.messages import say
from connector.interfaces.cli.language import language, tell
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.paint import paint
from connector.interfaces.cli.session import opened, store_of
from connector.runtime.budget import FORECAST_DAYS, Forecast, forecast
from connector.store import budgets, usage
from connector.store.budgets import Budget
from connector.store.usage import Spent

if TYPE_CHECKING:
    from connector.runtime.session import Session
    from connector.store import Database

BAR = 30
BOUNDS = ("per_day", "per_flow", "hold_back")
MOST_CREDITS = 10**9


@dataclass(frozen=True, slots=True)
class _Account:
    told: tuple[Decimal, datetime] | None
    spent: Sequence[Spent]
    forecast: Forecast
    budget: Budget
    surprises: tuple[Surprise, ...]
    day: date
    now: datetime


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor credits` understands."""
    for bound in BOUNDS:
        name = "--" + bound.replace("_", "-")
        parser.add_argument(name, metavar="N", help=tell(f"help_credits_{bound}"))


def run(options: argparse.Namespace) -> int:
    """Sets what was given of the budget, then shows the account."""
    given = {bound: _bound(bound, getattr(options, bound)) for bound in BOUNDS if getattr(options, bound) is not None}
    with opened() as (connector, session):
        database = store_of(connector)
        if given:
            _set(database, session.credential.fingerprint, given)
        account = _look(database, session)
    if options.json:
        print_json(_as_dict(account))
    else:
        _print(account)
    return 0


def _bound(name: str, text: str) -> int | None:
    """A bound in credits; 0 and `none` remove it."""
    if text.strip().lower() == "none":
        return None
    if not text.isascii() or not text.isdigit() or int(text[:10]) > MOST_CREDITS:
        field = "--" + name.replace("_", "-")
        raise InputError(say("not_an_integer"), remedy=say("credits_bound_remedy"), field=field)
    return int(text) or None


def _set(database: Database, credential: str, given: dict[str, int | None]) -> None:
    values: dict[str, Any] = {**given, "hold_back": given["hold_back"] or 0} if "hold_back" in given else {**given}

    def change(store: Any) -> None:
        budgets.set_budget(store, credential, replace(budgets.budget_of(store, credential), **values))

    database.write(change).result()


def _look(database: Database, session: Session) -> _Account:
    credential, day = session.credential.fingerprint, session.clock.berlin_today()
    since = (day - timedelta(days=FORECAST_DAYS - 1)).isoformat()
    told = database.read(lambda store: usage.told_balance(store, credential))
    spent = database.read(lambda store: usage.spent(store, credential, since))
    budget = database.read(lambda store: budgets.budget_of(store, credential))
    ahead = forecast(spent, told[0] if told else None, day)
    surprises = tuple(session.state.credits.surprises)
    return _Account(told, spent, ahead, budget, surprises, day, session.clock.utcnow())


def _as_dict(account: _Account) -> dict[str, Any]:
    balance, told_at = account.told or (None, None)
    return {
        "ok": True,
        "balance": balance,
        "told_at": told_at,
        "spent": [
            {"day": line.day, "action": line.label, "flow": line.flow, "calls": line.calls, "credits": line.credits}
            for line in account.spent
        ],
        "forecast": asdict(account.forecast),
        "budget": asdict(account.budget),
        "surprises": [asdict(surprise) for surprise in account.surprises],
    }


def _print(account: _Account) -> None:
    if account.told is None:
        print(tell("doctor_balance_untold"))
    else:
        balance, told_at = localize.number(account.told[0], language()), account.told[1]
        print(paint(tell("credits_balance", balance=balance, age=_age(account.now - told_at)), "bold"))
    if account.forecast.runs_out_on:
        pace = localize.number(account.forecast.per_day, language())
        day = localize.day(account.forecast.runs_out_on, language())
        print(tell("credits_forecast", per_day=pace, day=day))
    if account.spent:
        days = [(account.day - timedelta(days=back)).isoformat() for back in reversed(range(FORECAST_DAYS))]
        _print_bars(tell("credits_by_day"), {day: Decimal(0) for day in days}, [(s.day, s) for s in account.spent])
        _print_bars(tell("credits_by_action"), {}, [(s.label, s) for s in account.spent])
    else:
        print(tell("credits_nothing_spent", days=FORECAST_DAYS))
    for surprise in account.surprises:
        print(paint(tell("credits_surprise", lookup=surprise.label, cost=surprise.cost), "yellow"))
    none = tell("budget_none")
    bounds = [[tell(f"budget_name_{name}"), str(getattr(account.budget, name) or none)] for name in BOUNDS]
    print("\n" + paint(tell("budget_title"), "bold"))
    print_table(bounds)


def _print_bars(title: str, sums: dict[str, Decimal], lines: Sequence[tuple[str, Spent]]) -> None:
    for name, line in lines:
        sums[name] = sums.get(name, Decimal(0)) + line.credits
    most = max(sums.values(), default=Decimal(0))
    print("\n" + paint(title, "bold"))
    bars = {name: "█" * max(1, round(BAR * value / most)) if value else "" for name, value in sums.items()}
    lang = language()
    rows = [[localize.text(name, lang), localize.number(value, lang), bars[name]] for name, value in sums.items()]
    print_table(rows, right={1})


def _age(passed: timedelta) -> str:
    """How long ago something was, roughly."""
    return tell("age_now") if passed < timedelta(minutes=1) else localize.relative(passed, language())
