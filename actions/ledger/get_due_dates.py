"""Computes the discount dates and the due date of an invoice from its payment term."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, ClassVar

from connector.core.manifest.handlers import Action, Day
from connector.core.problems import Problem
from connector.resources import DueDates

IN_DAYS = "NACH_TAGE"
DATES = {"skontoDatum1": "skontoFrist1", "skontoDatum2": "skontoFrist2", "nettoDatum": "nettoFrist"}
COPIED = ("id", "bezeichnung", "faelligkeitsart", "skontoSatz1", "skontoSatz2", "perioden")
MAX_DAYS = 36500


def _after(day: date, days: Any) -> str | None:
    """The day so many days later, on whatever weekday it falls."""
    if days is None:
        return None
    if isinstance(days, bool) or not 0 <= days <= MAX_DAYS or days != int(days):
        raise Problem("days_no_number", days=days)
    return (day + timedelta(days=int(days))).isoformat()


class GetDueDates(Action[DueDates]):
    """Finds the discount dates and the due date of an invoice by its payment term."""

    manifest_id: ClassVar[str] = "get_due_dates"

    ledger_connection: str
    geschaeftsjahrStartDatum: Day
    payment_term: str
    belegdatum: Day
    client: str | None = None

    @staticmethod
    def shape(term: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
        """Return the dates of a term in days; of one by period its texts, which only accounting systems can apply."""
        day: date = inputs["belegdatum"]
        in_days = term.get("faelligkeitsart") == IN_DAYS
        dates = {name: _after(day, term.get(days)) if in_days else None for name, days in DATES.items()}
        copied = {name: term[name] for name in COPIED if name in term}
        return {**copied, "belegdatum": day.isoformat(), **dates}
