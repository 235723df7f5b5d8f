"""How a run stands, in one sentence a bookkeeper understands, what may be done with it, and its course. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from connector.core.data import localize as words
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action
from connector.core.polls.progress import States
from connector.core.problems import title
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.runs.run_details import RunDetails
from connector.store.runs.runs import was_cancelled

Tone = Literal["", "good", "warn", "bad", "accent"]
STATES, PAYMENT_WORDS = "run_state", "payment_status"
"""The sets of words for the states of runs and of payments."""
SAFE_TO_RETRY = frozenset({"refused", "rejected", "expired"})


@dataclass(frozen=True, slots=True)
class Standing:
    """How a run stands."""

    tone: Tone
    word: str
    """Its state in a word or two."""
    headline: str
    detail: str = ""
    moving: bool = False
    """Whether it may change by itself: the page goes on looking."""


class RunReader:
    """Tells how runs stand, in one language."""

    def __init__(self, localize: Localizer, library: Library, payments: States) -> None:
        self._localize, self._library, self._payments = localize, library, payments

    def standing(self, one: RunDetails, payment: str | None = None, *, is_payment: bool = False) -> Standing:
        """Return how a run stands; `payment` is the newest status of the payment that it made."""
        run, say = one.run, self._localize
        match "unknown" if one.unresolved else run.state:
            case "awaiting_approval":
                return self._waiting(one)
            case "claimed" | "sending":
                return Standing("accent", self.state(run.state), say(f"run_is_{run.state}"), moving=True)
            case "done" if is_payment:
                return self._payment(one, payment or self._first_status(one))
            case "done":
                cost = self._cost(one)
                return Standing("good", self.state("done"), say("run_is_done"), cost)
            case "unknown":
                return Standing(
                    "warn", self.state("unknown"), say("run_is_unknown"), say("run_is_unknown_advice"), True
                )
            case "settled":
                return self._settled(one)
            case "rejected" | "expired":
                return self._unapproved(one)
        return self._refused(one)

    def state(self, state: str) -> str:
        """Return what a state is called."""
        return words.word(state, self._library.words[STATES], self._localize.lang)

    def payment_state(self, status: str) -> str:
        """Return what the status of a payment is called."""
        return words.word(status, self._library.words[PAYMENT_WORDS], self._localize.lang)

    def _payment(self, one: RunDetails, status: str | None) -> Standing:
        """A payment that was accepted is not paid: it goes on at the bank."""
        say, credits = self._localize, self._localize.credits(self._price(one.action))
        if status is None:
            return Standing("accent", self.state("done"), say("payment_is_accepted"), self._cost(one))
        word = self.payment_state(status)
        if status in self._payments.succeeded:
            return Standing("good", word, say("payment_is_settled"), say("payment_charged", cost=credits))
        if status in self._payments.final:
            return Standing("bad", word, say("payment_is_failed", status=word), say("payment_not_charged"))
        if status in self._payments.needs_person:
            return Standing("warn", word, say("payment_needs_person"), say("payment_charged_later", cost=credits), True)
        headline = say("payment_is_under_way")
        return Standing("accent", word, headline, say("payment_charged_later", cost=credits), True)

    def _waiting(self, one: RunDetails) -> Standing:
        say, approval = self._localize, one.approval
        word = self.state("awaiting_approval")
        if approval is None:
            return Standing("warn", word, word, moving=True)
        if approval.state == "approved":
            who = approval.decided_person or say("approval_owner")
            return Standing("accent", word, say("run_is_approved", person=who), moving=True)
        until = say.date_time(approval.expires_at)
        return Standing("warn", word, say("run_waits_for_approval", until=until), say("run_nothing_sent_yet"), True)

    def _settled(self, one: RunDetails) -> Standing:
        outcome = one.run.outcome if isinstance(one.run.outcome, Mapping) else {}
        say, happened = self._localize, outcome.get("happened", True)
        note = str(outcome.get("note") or "")
        detail = say("run_settled_note", note=note) if note else ""
        return Standing(
            "good" if happened else "", self.state("settled"), say(f"run_settled_as_{_yes(happened)}"), detail
        )

    def _unapproved(self, one: RunDetails) -> Standing:
        say, approval, state = self._localize, one.approval, one.run.state
        if isinstance(one.run.outcome, Mapping) and one.run.outcome.get("withdrawn"):
            return Standing("", say("run_withdrawn_word"), say("approval_withdrawn"), say("run_nothing_sent"))
        if state == "rejected" and approval is not None:
            who = approval.decided_person or say("approval_owner")
            why = say("run_rejected_why", why=approval.why) if approval.why else say("run_nothing_sent")
            return Standing("bad", self.state(state), say("run_is_rejected", person=who), why)
        return Standing("bad", self.state(state), say("run_is_expired"), say("run_nothing_sent"))

    def _refused(self, one: RunDetails) -> Standing:
        say, outcome = self._localize, one.run.outcome if isinstance(one.run.outcome, Mapping) else {}
        if was_cancelled(one.run):
            return Standing("", say("run_cancelled_word"), say("run_cancelled"), say("run_nothing_sent"))
        lang = say.lang
        remedy = outcome.get("remedy")
        advice = str(remedy.get(lang) or "") if isinstance(remedy, Mapping) else ""
        message = str(outcome.get("message") or "") if lang == "en" else ""
        sent = "run_was_not_sent" if outcome.get("outcome") == "not_sent" else "run_was_refused"
        headline = message or say.of(title(str(outcome.get("kind") or "error")))
        return Standing("bad", self.state(one.run.state), f"{say(sent)} {headline}", advice)

    def _cost(self, one: RunDetails) -> str:
        outcome = one.run.outcome if isinstance(one.run.outcome, Mapping) else {}
        cost = outcome.get("cost")
        return "" if cost is None else self._localize("run_cost", cost=self._localize.credits(Decimal(cost)))

    def _first_status(self, one: RunDetails) -> str | None:
        status = one.output.get("status") if isinstance(one.output, Mapping) else None
        return status if isinstance(status, str) else None

    def _price(self, action: Action | None) -> Decimal:
        return Decimal(action.cost.credits) if action is not None else Decimal(0)


def _yes(happened: Any) -> str:
    return "done" if happened else "not_done"


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
