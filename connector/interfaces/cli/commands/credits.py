"""`kontor credits`: shows balance, spending and forecast, and sets the budget."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from connector.core.callers import current_source
from connector.core.data import localize
from connector.core.errors import InputError
from connector.core.messages import Text, say
from connector.interfaces.cli.language import colored, language, localized
from connector.interfaces.cli.output import print_json, print_table
from connector.interfaces.cli.session import open_session, open_store
from connector.operations.money import SpentCredits, change_budget, load_report, surprise_text, titles_by_label
from connector.runtime.records.usage import FORECAST_DAYS
from connector.store.rates.usage import Spent

if TYPE_CHECKING:
    from connector.store import Database

BAR_WIDTH = 30
LIMITS = ("per_day", "per_flow", "hold_back")
MAX_CREDITS = 10**9


def credits_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor credits`."""
    for limit in LIMITS:
        name = "--" + limit.replace("_", "-")
        parser.add_argument(name, metavar="N", help=localized(f"help_credits_{limit}"))


def credits_command(options: argparse.Namespace) -> int:
    """Set the given limits, then print the report."""
    given = {
        limit: _parse_limit(limit, getattr(options, limit)) for limit in LIMITS if getattr(options, limit) is not None
    }
    with open_session() as (connector, session):
        database = open_store(connector)
        if given:
            _set_budget(database, session.credential.fingerprint, given, session.clock.utcnow())
        report = database.read(lambda store: load_report(store, session.credential.fingerprint, session.clock))
    if options.json:
        print_json(report.as_dict())
    else:
        _print(report, titles_by_label(connector))
    return 0


def _parse_limit(name: str, text: str) -> int | None:
    """Parse a limit in credits; 0 and `none` remove it."""
    if text.strip().lower() == "none":
        return None
    if not text.isascii() or not text.isdigit() or int(text[:10]) > MAX_CREDITS:
        field = "--" + name.replace("_", "-")
        raise InputError(
            say("not_an_integer", field=field, example=MAX_CREDITS), remedy=say("credits_bound_remedy"), field=field
        )
    return int(text) or None


def _set_budget(database: Database, credential: str, given: dict[str, int | None], now: datetime) -> None:
    by = current_source()
    database.write(lambda store: change_budget(store, by, credential, given, now)).result()


def _print(report: SpentCredits, titles: Mapping[str, Text]) -> None:
    if report.balance is None:
        print(localized("doctor_balance_untold"))
    else:
        balance, told_at = localize.credits(report.balance[0], language()), report.balance[1]
        print(colored(localized("credits_balance", balance=balance, age=_age(report.now - told_at)), "bold"))
    if report.reserved:
        print(localized("credits_reserved", count=localize.number(report.reserved, language())))
    if report.forecast.runs_out_on:
        per_day = localize.credits(report.forecast.per_day, language())
        day = localize.day(report.forecast.runs_out_on, language())
        print(localized("credits_forecast", per_day=per_day, day=day))
    if report.spent:
        days = [(report.day - timedelta(days=back)).isoformat() for back in reversed(range(FORECAST_DAYS))]
        _print_bars(localized("credits_by_day"), {day: Decimal(0) for day in days}, [(s.day, s) for s in report.spent])
        named = [(titles[s.label].in_(language()) if s.label in titles else s.label, s) for s in report.spent]
        _print_bars(localized("credits_by_action"), {}, named)
    else:
        print(localized("credits_nothing_spent", days=FORECAST_DAYS))
    for surprise in report.surprises:
        print(colored(surprise_text(surprise, titles).in_(language()), "yellow"))
    none = localized("budget_none")
    limits = [[localized(f"budget_name_{name}"), str(getattr(report.budget, name) or none)] for name in LIMITS]
    print("\n" + colored(localized("budget_title"), "bold"))
    print_table(limits)


def _print_bars(title: str, sums: dict[str, Decimal], lines: Sequence[tuple[str, Spent]]) -> None:
    for name, line in lines:
        sums[name] = sums.get(name, Decimal(0)) + line.credits
    maximum = max(sums.values(), default=Decimal(0))
    print("\n" + colored(title, "bold"))
    bars = {name: "█" * max(1, round(BAR_WIDTH * value / maximum)) if value else "" for name, value in sums.items()}
    lang = language()
    rows = [[localize.text(name, lang), localize.number(value, lang), bars[name]] for name, value in sums.items()]
    print_table(rows, right={1})


def _age(elapsed: timedelta) -> str:
    """Format an elapsed time, rounded."""
    return localized("age_now") if elapsed < timedelta(minutes=1) else localize.relative(elapsed, language())
