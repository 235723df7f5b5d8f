"""Subscriptions on pages: a list that says how they fare, and the panel of one with its buttons."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from nicegui import ui
from sqlalchemy import Connection

from connector.core.errors import InputError, KontorError
from connector.core.messages import say
from connector.durable import subscriptions as subscription_changes
from connector.durable.outbox.trial_event import send_test_event
from connector.durable.poller.pages import reads_bank_rows
from connector.durable.sending.address import check_target
from connector.durable.subscriptions import Health, delivery_failure, health_of
from connector.interfaces.console.frame.confirm_dialog import AskBack
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.role_note import role_note
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    definition_list,
    empty_note,
    flex_row,
    keep_current,
    link,
    live_region,
    pill,
    show_error,
)
from connector.interfaces.result_text import EMPTY
from connector.operations.flows import end_subscription
from connector.store.triggers import subscriptions, trial_inbox
from connector.store.triggers.subscriptions import Subscription

MAX_ITEMS = 100
REFRESH_SECONDS = 2.0
TONES = {"active": "good", "failing": "bad", "paused": "warn", "ended": ""}


class SubscriptionList:
    """The subscriptions of one trigger, or of all; those that fail come first, ended ones last."""

    def __init__(self, page: Page, trigger: str | None = None) -> None:
        self._page, self._trigger = page, trigger
        self._container = box("panel-body subscriptions")
        self._shown: object = None
        keep_current(self._container, self.refresh, REFRESH_SECONDS)

    async def refresh(self) -> None:
        """Load the subscriptions, and show them if something changed."""
        workspace = await self._page.console.workspace()

        def read(connection: Connection) -> list[tuple[Subscription, Health]]:
            found = [one for one in subscriptions.listed(connection, workspace) if self._trigger in (None, one.trigger)]
            found.sort(key=lambda one: (one.state == subscriptions.ACTIVE, one.created_at), reverse=True)
            triggers = self._page.console.connector.triggers
            return [(one, health_of(connection, triggers, one)) for one in found[:MAX_ITEMS]]

        rows = await self._page.console.read(read)
        version = [(one, health.state, health.reason, health.waiting) for one, health in rows]
        if version == self._shown:
            return
        self._shown = version
        self._container.clear()
        with self._container:
            if not rows:
                empty_note(self._page.localize("console_subscriptions_none"))
            for one, health in sorted(rows, key=lambda row: row[1].state != "failing"):
                self._show(one, health)

    def _show(self, one: Subscription, health: Health) -> None:
        localize = self._page.localize
        title = localize.of(self._page.console.trigger_title(one.trigger))
        with box("need"):
            with box("need-text"):
                link(title, self._page.url(f"subscriptions/{one.id}")).props["aria-label"] = localize(
                    "subscription_open", name=title
                )
                TextWidget("span", target_name(self._page, one.target_url), "wrap quiet")
                if health.reason is not None and health.state != "ended":
                    TextWidget("span", localize.of(health.reason), "bad-text wrap")
            with flex_row("need-remedy"):
                if health.waiting:
                    TextWidget("span", waiting_text(self._page, health.waiting), "quiet")
                pill(localize(f"subscription_is_{health.state}"), TONES[health.state])


def target_name(page: Page, url: str) -> str:
    """Return whom a subscription sends to: the host's name, since the rest of a URL often holds a secret."""
    return page.localize("inbox_target") if url == trial_inbox.ADDRESS else urlsplit(url).hostname or ""


def waiting_text(page: Page, count: int) -> str:
    """Say how many deliveries wait."""
    one = count == 1
    return page.localize("subscription_waiting_one") if one else page.localize("subscription_waiting_many", count=count)


class SubscriptionPanel:
    """Builds itself into the current panel; its buttons stay, so that no click meets one that goes away."""

    def __init__(self, page: Page, one: Subscription, changed: Callable[[], Awaitable[None]]) -> None:
        self._page, self._one, self._id, self._changed = page, one, one.id, changed
        self._facts = box("panel-body")
        self._buttons = box("panel-body")
        self._said = live_region()
        self._version: object = None
        self._waiting = 0
        self._next_try: TextWidget | None = None
        self._may_change = page.console.actor.may("admin" if one.carries_alerts else "operator")
        with self._buttons:
            self._offer()
        if not self._may_change:
            role_note(page, "admin" if one.carries_alerts else "operator")

    def show(self, one: Subscription, health: Health) -> None:
        """Show how it fares now."""
        self._one, self._waiting = one, health.waiting
        version = (one.state, one.paused_at, one.target_url, health.state, health.reason, health.waiting)
        if version != self._version:
            self._version = version
            self._facts.clear()
            with self._facts:
                self._build(one, health)
            self._buttons.set_visibility(self._may_change and health.state != "ended")
            self._resume_button.set_visibility(one.paused_at is not None)
            self._pause_button.set_visibility(one.paused_at is None)
            stuck = health.waiting > 0 and health.reason is not None
            self._try_now_button.set_visibility(one.paused_at is None and stuck)
        if self._next_try is not None:
            self._next_try.text = self._when(health)

    def _when(self, health: Health) -> str:
        localize = self._page.localize
        if health.next_try is None:
            return localize("subscription_no_next_try")
        return localize("subscription_next_try", at=_moment(self._page, health.next_try))

    def _build(self, one: Subscription, health: Health) -> None:
        localize, self._next_try = self._page.localize, None
        pill(localize(f"subscription_is_{health.state}"), TONES[health.state])
        if health.state == "ended":
            return
        if one.paused_at is not None:
            TextWidget("p", localize("subscription_paused_since", at=localize.date_time(one.paused_at)), "notice")
        if health.reason is not None:
            with box("notice bad"):
                TextWidget("strong", localize.of(health.reason), "wrap")
                if health.state == "failing":
                    self._next_try = TextWidget("p", self._when(health))
        if health.waiting:
            TextWidget("p", waiting_text(self._page, health.waiting), "quiet")

    def _offer(self) -> None:
        localize = self._page.localize
        with flex_row():
            self._resume_button = button(localize("subscription_resume"), self._resume, "primary")
            self._pause_button = button(localize("subscription_pause"), self._pause)
            self._try_now_button = button(localize("subscription_try_now"), self._try_now)
            button(localize("subscription_test"), self._test)
            self._offer_end(box("ending"))
        with ui.expansion(localize("subscription_change_target")).props("dense"), box("fields"):
            target = ui.input(localize("subscription_new_target"), placeholder="https://…")
            target.props("outlined dense stack-label type=url").classes("input")
            button(localize("subscription_change_target"), lambda: self._change_target(target), "small")
        self._buttons.set_visibility(False)  # until it is known which of them there are

    def _offer_end(self, place: ui.element) -> None:
        place.clear()
        with place:
            button(self._page.localize("subscription_end"), lambda: self._ask_end(place), "danger")

    def _ask_end(self, place: ui.element) -> None:
        localize = self._page.localize
        facts = {localize("subscription_end_waiting"): str(self._waiting)} if self._waiting else None

        async def end() -> None:
            await self._do(self._end(self._one), "subscription_now_ended")

        question = localize("subscription_end_question")
        AskBack(place, localize).show(
            question, localize("subscription_end"), end, lambda: self._offer_end(place), facts
        )

    async def _end(self, one: Subscription) -> None:
        self._page.console.check("operator")
        await end_subscription(self._page.console.state, one, "console", self._page.console.source)

    async def _pause(self) -> None:
        by, now = self._page.console.source, self._now()
        pause = subscription_changes.pause
        await self._do(self._write(lambda connection: pause(connection, by, self._id, now)), "subscription_now_paused")

    async def _resume(self) -> None:
        by, now = self._page.console.source, self._now()
        resume = subscription_changes.resume
        await self._do(
            self._write(lambda connection: resume(connection, by, self._id, now)), "subscription_now_resumed"
        )

    async def _try_now(self) -> None:
        by, now = self._page.console.source, self._now()
        try_now = subscription_changes.try_now
        await self._do(
            self._write(lambda connection: try_now(connection, by, self._id, now)), "subscription_now_trying"
        )

    async def _change_target(self, field: ui.input) -> None:
        by, now = self._page.console.source, self._now()
        context, change = self._page.console.state.context, subscription_changes.change_target
        host = target_name(self._page, field.value or "")

        def may_change(connection: Connection) -> bool:
            subscription_changes.check_may_change(connection, by, self._id)
            return True

        async def change_target() -> None:
            await self._write(may_change)
            target = check_target(field.value or "", inbox=True, allow_private=context.allow_private_targets)
            if not await self._write(lambda connection: change(connection, by, self._id, target, now)):
                raise InputError(say("subscription_target_taken"), remedy=say("subscription_target_taken_remedy"))

        await self._do(change_target(), "subscription_target_now", host=host)

    async def _test(self) -> None:
        console, localize = self._page.console, self._page.localize
        self._said.clear()
        try:
            console.check("operator")
            attempt = await send_test_event(console.state.context, console.source, self._one)
        except KontorError as error:
            with self._said:
                show_error(error, localize)
            return
        with self._said:
            if attempt.delivered:
                TextWidget("p", localize("subscription_test_accepted", status=attempt.status), "notice good")
            else:
                why = localize.of(delivery_failure(attempt.status, attempt.error))
                TextWidget("p", localize("subscription_test_refused", why=why), "notice bad")
        await self._changed()

    async def _write(self, change: Callable[[Connection], bool]) -> bool:
        done = await self._page.console.write(change)
        self._page.console.state.context.wake()
        return done

    async def _do(self, change: Awaitable[object], said: str, **values: str) -> None:
        """Make a change, show the new state, and say what was done or why not.

        In this order, so that whoever reads it presses the buttons of the new state.
        """
        localize = self._page.localize
        self._said.clear()
        try:
            await change
        except KontorError as error:
            with self._said:
                show_error(error, localize)
            return
        await self._changed()
        with self._said:
            TextWidget("p", localize(said, **values), "notice good")

    def _now(self) -> datetime:
        return self._page.console.state.context.now()


class SubscriptionFacts:
    """What the subscription does, and when it looks next and why not sooner."""

    def __init__(self, page: Page, title: str) -> None:
        self._page, self._title = page, title
        self._body = box("panel-body")
        self._shown: dict[str, str] = {}

    def show(self, one: Subscription, health: Health) -> None:
        """Show the facts, if one of them changed."""
        localize = self._page.localize
        rows = {
            localize("head_trigger"): self._title,
            localize("head_target"): target_name(self._page, one.target_url) or EMPTY,
            **self._filters(one),
            localize("subscription_since"): localize.date_time(one.created_at),
            localize("subscription_last_delivery"): self._time(health.delivered_at),
        }
        if one.carries_alerts:
            del rows[localize("head_trigger")]
        elif one.cursor_name is None:
            rows[localize("subscription_next_look")] = localize("subscription_on_event")
        elif health.state != "ended":
            rows[localize("subscription_last_look")] = self._time(health.last_poll)
            rows[localize("subscription_next_look")] = self._next_look(one, health)
        if rows != self._shown:
            self._shown = rows
            self._body.clear()
            with self._body:
                definition_list(rows)

    def _filters(self, one: Subscription) -> dict[str, str]:
        localize, known = self._page.localize, self._page.console.connector.triggers.get(one.trigger)
        labels = {field.name: localize.of(field.label) for field in known.inputs} if known is not None else {}
        return {labels.get(name, name): localize.format_value(value, name) for name, value in one.inputs.items()}

    def _next_look(self, one: Subscription, health: Health) -> str:
        localize, known = self._page.localize, self._page.console.connector.triggers.get(one.trigger)
        if health.next_poll is None:
            return EMPTY
        at = _moment(self._page, health.next_poll)
        if known is None or not reads_bank_rows(known) or health.last_poll is None:
            return at
        stale = health.last_poll + timedelta(seconds=self._page.console.state.context.settings.stale_seconds)
        cost = localize.cost(known.cost)
        return localize("subscription_next_look_paid", at=at, cost=cost, stale=localize.date_time(stale))

    def _time(self, at: datetime | None) -> str:
        return self._page.localize.date_time(at) if at else EMPTY


def _moment(page: Page, at: datetime) -> str:
    """Say when something is due, relative to now and by the clock."""
    localize = page.localize
    return f"{localize.ago(at, page.console.state.context.now())} ({localize.clock_time(at)})"
