"""The review of a write: what it would do, what the workspace's rules say, and the press that sends it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from nicegui.element import Element

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.core.messages import Text
from connector.core.writes import marks
from connector.core.writes.payees import PayeeChange
from connector.core.writes.policy import CURRENCY, NOTHING_BEFORE, Money, PaidBefore, Policy, Reason, over_limit
from connector.interfaces.console.console_context import ConsoleContext, NoCredential
from connector.interfaces.console.frame.confirm_dialog import arm, focus
from connector.interfaces.console.frame.input_facts import input_facts
from connector.interfaces.console.frame.page_calls import PageCalls
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    flex_row,
    heading,
    link,
    paragraph,
    show_facts,
)
from connector.interfaces.console.runs.payees import PastPayment, listed_payments, payees_of, payments_to, show_past
from connector.runtime.requests import checks, rights
from connector.runtime.writes.policy_check import find_change, money_in, paid_before
from connector.store.runs import payment_records, search
from connector.store.runs.runs import Run
from connector.store.trust import workspaces

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Review:
    """What a person should know before the press."""

    raw: Mapping[str, Any]
    """What was filled in, which is what is sent."""
    inputs: dict[str, Any]
    warnings: tuple[Text, ...]
    money: Money | None
    refusal: KontorError | None
    """Why the rules do not allow it at all."""
    reasons: tuple[Reason, ...]
    """Why another person must approve it; empty when nobody needs to."""
    repeat: Run | None
    """An equal write of the last minutes."""
    unknown: Run | None
    """An equal write of which nobody knows whether it happened."""
    approval_hours: int
    past: tuple[PastPayment, ...] | None
    """Earlier payments to the payee, the newest first; None: they could not be looked up, or it pays nobody."""


async def review(console: ConsoleContext, action: Action, raw: Mapping[str, Any]) -> Review:
    """Read the stored rules and equal runs, and for a payment the free list of payments. Nothing is sent."""
    rights.check_right(console.actor, action)
    warnings: list[Text] = []
    inputs = console.connector.inputs(action).clean(raw, warnings)
    warnings += checks.check(action, inputs)
    money, workspace = money_in(action, inputs), await console.workspace()
    now, day = console.state.context.now(), console.state.context.clock.berlin_today().isoformat()
    contents = marks.digest(action.id, inputs)
    duplicates = action.repeat == "duplicates"

    listed = await _listed(console, money)

    def read(connection: Connection) -> tuple[Policy, Decimal, Run | None, Run | None, PayeeChange | None, PaidBefore]:
        policy = workspaces.find_policy(connection, workspace)
        change, before = None, NOTHING_BEFORE
        if money is not None:
            _, change = find_change(connection, workspace, policy, money, payees_of(action, listed))
            before = paid_before(connection, workspace, day, "", money, is_changed=change is not None)
        has_sum = money is not None and not before.is_altered
        paid = payment_records.total_paid(connection, workspace, day, "") if has_sum else Decimal(0)
        since = now - timedelta(minutes=policy.repeat_minutes)
        repeat = search.recent_equal(connection, workspace, contents, since) if duplicates else None
        unknown = search.unresolved_equal(connection, workspace, contents) if duplicates else None
        return policy, paid, repeat, unknown, change, before

    policy, paid, repeat, unknown, change, before = await console.read(read)
    if change is not None:
        warnings.append(change.text)
    past = None if money is None else payments_to(console.connector, listed, money.payee)
    known = money is None or money.payee in policy.known_payees or any(one.succeeded for one in past or ())
    refusal = policy.refusal(money, known or past is None, keyed=True, before=before) or _over_day(policy, money, paid)
    reasons = policy.approval_reasons(money, unattended_agent=None, before=before)
    return Review(raw, inputs, tuple(warnings), money, refusal, reasons, repeat, unknown, policy.approval_hours, past)


def _over_day(policy: Policy, money: Money | None, paid: Decimal) -> KontorError | None:
    if money is None or policy.most_per_day is None or money.currency != CURRENCY:
        return None
    total = paid + money.amount
    return over_limit("policy_most_per_day", total, policy.most_per_day) if total > policy.most_per_day else None


async def _listed(console: ConsoleContext, money: Money | None) -> list[Mapping[str, Any]] | None:
    if money is None:
        return None
    try:
        return await listed_payments(console.connector, PageCalls(console))
    except (KontorError, NoCredential):
        return None


class ReviewPanel:
    """Built in `container`; `on_send` is called once, with what was reviewed."""

    def __init__(
        self,
        page: Page,
        action: Action,
        container: Element,
        on_send: Callable[[Review], Awaitable[None]],
        on_back: Callable[[], None],
    ) -> None:
        self._page, self._action, self._container = page, action, container
        self._on_send, self._on_back = on_send, on_back
        self._sent = False

    def show(self, found: Review, names: Mapping[str, str], key: str | None) -> None:
        """Show the review, and bring it into view."""
        localize = self._page.localize
        self._sent = False
        facts = input_facts(self._action.inputs, found.inputs, localize, names)
        self._container.clear()
        with self._container, box("panel review", "section").props('tabindex="-1"') as panel:
            heading(2, localize("review_title"), "panel-title")
            if found.money is not None and self._action.money is not None:
                with box("review-money"):
                    TextWidget("span", facts.value(self._action.money.amount), "big-number")
            show_facts(facts)
            with box("verdicts"):
                self._build_verdicts(found)
            with flex_row("form-actions"):
                arm(button(localize("review_back"), self._back))
                if found.refusal is None and found.unknown is None:
                    arm(button(self._send_text(found), lambda: self._send(found), "primary"))
            if key is not None and found.refusal is None:
                paragraph(localize("review_key", key=key), "quiet")
        focus(panel)

    def _send_text(self, found: Review) -> str:
        name = "review_send_again" if found.repeat else "review_ask" if found.reasons else "review_send"
        return self._page.localize(name)

    def _build_verdicts(self, found: Review) -> None:
        page, localize = self._page, self._page.localize
        for warning in found.warnings:
            TextWidget("p", localize.of(warning), "notice warn")
        if found.unknown is not None:
            with box("notice bad").props('role="alert"'):
                TextWidget("strong", localize("review_unknown"))
                link(localize("review_open_run"), page.url(f"runs/{found.unknown.id}"))
        elif found.repeat is not None:
            with box("notice warn").props('role="alert"'):
                ago = localize.ago(found.repeat.made_at, page.console.state.context.now())
                TextWidget("strong", localize("review_repeat", ago=ago))
                link(localize("review_open_run"), page.url(f"runs/{found.repeat.id}"))
        self._build_payee(found)
        if found.refusal is not None:
            with box("notice bad").props('role="alert"'):
                TextWidget("strong", localize.of(found.refusal.message))
                paragraph(f"→ {localize.of(found.refusal.remedy)}")
        elif found.reasons:
            because = ", ".join(localize(f"approval_because_{reason}") for reason in found.reasons)
            text = localize("review_needs_approval", because=because, hours=found.approval_hours)
            TextWidget("p", text, "notice warn")
        elif found.money is not None:
            TextWidget("p", localize("review_allowed"), "notice")
        TextWidget("p", localize("review_cost", cost=localize.cost(self._action.cost)), "quiet")

    def _build_payee(self, found: Review) -> None:
        if found.money is not None and found.past is not None:
            show_past(self._page, self._action, found.inputs, found.past)

    def _back(self) -> None:
        if not self._sent:
            self._on_back()

    async def _send(self, found: Review) -> None:
        if not self._sent:  # the server decides, however often the button was pressed
            self._sent = True
            try:
                await self._on_send(found)
            except BaseException:
                self._sent = False  # under its key it is the same run
                raise
