"""The course of a run, from the moment it was asked for to its end. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.run_details import RunDetails

TOLD = frozenset(
    {
        "asked",
        "approved",
        "rejected",
        "withdrawn",
        "expired",
        "void",
        "released",
        "sent",
        "refused",
        "unknown",
        "done",
        "settled",
        "cancelled",
    }
)
"""What the audit log tells of runs, and people should know."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of the course."""

    at: datetime
    text: str


def course(one: RunDetails, localize: Localizer, payment: tuple[str, datetime] | None = None) -> list[Moment]:
    """Return what happened, in order; `payment` is the last status seen, in words, and when."""
    moments = [Moment(one.run.made_at, localize("course_made", person=who(one, localize)))]
    moments += list(_told(one, localize))
    told = {happening.what for happening in one.history}
    if one.run.state == "done" and "run.done" not in told:
        moments.append(Moment(one.run.changed_at, localize("course_answered")))
    if one.run.kind == "read":
        moments.append(Moment(one.run.changed_at, localize("course_answered")))
    if payment is not None:
        moments.append(Moment(payment[1], localize("course_payment", status=payment[0])))
    unique = {(moment.at.replace(microsecond=0), moment.text): moment for moment in moments}
    return sorted(unique.values(), key=lambda moment: moment.at)


def who(one: RunDetails, localize: Localizer) -> str:
    """Return who made the run."""
    return one.run.person or one.run.actor or localize("approval_owner")


def _told(one: RunDetails, localize: Localizer) -> Iterator[Moment]:
    for happening in one.history:
        what = happening.what.partition(".")[2]
        if what not in TOLD:
            continue
        person = happening.person or happening.actor or localize("approval_owner")
        note = str(happening.details.get("note") or happening.details.get("why") or "")
        text = localize(f"course_run_{what}", person=person)
        yield Moment(happening.at, f"{text} {localize('course_note', note=note)}" if note else text)
