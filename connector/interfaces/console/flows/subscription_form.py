"""The form that subscribes an address to a trigger: one form with the filters, whose mistakes are told at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from connector.core.callers import ROLE_TO_MOVE
from connector.core.data.fields import Choice, Field
from connector.core.errors import InputError, KontorError
from connector.core.manifest.model import Trigger
from connector.core.messages import say
from connector.durable.inbox import registration
from connector.durable.sending.address import MAX_URL_CHARACTERS, check_target
from connector.durable.subscriptions import Subscribed, SubscriptionRequest, subscribe
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.forms.form import Form
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    code_block,
    flex_row,
    link,
    live_region,
    show_error,
    show_problems,
)
from connector.runtime.requests import checks
from connector.store.triggers import trial_inbox

TARGET, START, TAKE_OVER, PASS_ON = "target_url", "start", "take_over", "pass_on"
STARTS = ("now", "all")


def fields_of(trigger: Trigger, *, may_take_over: bool) -> list[Field]:
    """Return what is asked beside the trigger's own inputs."""
    fields = [
        Field(
            TARGET,
            "string",
            say("subscribe_target"),
            say("subscribe_target_help"),
            hint=say("subscribe_target_hint"),
            presence="required",
            max_length=MAX_URL_CHARACTERS,
        )
    ]
    if trigger.source == "poll":
        starts = tuple(Choice(start, say(f"start_{start}")) for start in STARTS)
        label, help = say("subscribe_start"), say("subscribe_start_help")
        fields.append(Field(START, "enum", label, help, default=STARTS[0], values=starts))
    elif trigger.needs_webhook_url:
        if may_take_over:
            fields.append(Field(TAKE_OVER, "boolean", say("take_over_allowed"), say("take_over_allowed_help")))
        fields.append(Field(PASS_ON, "boolean", say("pass_on"), say("pass_on_help")))
    return fields


class SubscriptionForm:
    """Builds itself into the current panel."""

    def __init__(self, page: Page, trigger: Trigger, filters: Form, on_done: Callable[[], Awaitable[None]]) -> None:
        self._page, self._trigger, self._filters, self._on_done = page, trigger, filters, on_done
        self._fields = fields_of(trigger, may_take_over=page.console.actor.may(ROLE_TO_MOVE["webhook_url"]))
        TextWidget("p", page.localize("subscribe_help"), "quiet")
        self._form = Form(page, self._fields, on_enter=self._subscribe)
        with flex_row():
            button(page.localize("subscribe"), self._subscribe, "primary")
            button(page.localize("subscribe_inbox"), self._subscribe_inbox)
        self._said = live_region()

    async def _subscribe_inbox(self) -> None:
        self._form.fill(TARGET, trial_inbox.ADDRESS)
        await self._subscribe()

    async def _subscribe(self) -> None:
        localize, console = self._page.localize, self._page.console
        self._said.clear()
        if self._has_problems():
            return
        asked = self._form.inputs
        request = SubscriptionRequest(
            self._trigger.id, self._filters.inputs, str(asked[TARGET]), str(asked.get(START, STARTS[0]))
        )
        is_called = self._trigger.needs_webhook_url
        try:
            console.check(ROLE_TO_MOVE["webhook_url"] if is_called and asked.get(TAKE_OVER) else "operator")
            context, credential_id = console.state.context, await console.credential_id()
            if is_called:
                take_over, pass_on = bool(asked.get(TAKE_OVER)), bool(asked.get(PASS_ON))
                await registration.ensure(context, credential_id, take_over, pass_on)
            subscribed = await subscribe(context, credential_id, request, context.now())
        except KontorError as error:
            with self._said:
                show_error(error, localize)
            self._filters.show_field_error(error)
            return
        except NoCredential:
            with self._said:
                TextWidget("p", localize("no_credential"), "notice bad")
            return
        with self._said:
            self._show_done(request, subscribed)
        await self._on_done()

    def _show_done(self, request: SubscriptionRequest, subscribed: Subscribed) -> None:
        localize = self._page.localize
        if request.target_url == trial_inbox.ADDRESS:
            with box("notice good"):
                TextWidget("span", localize("subscribed_inbox"))
                link(localize("inbox_open"), self._page.url("inbox"))
        else:
            TextWidget("p", localize("subscribed_before" if subscribed.existing else "subscribed"), "notice good")
            code_block(subscribed.secret, localize)

    def _has_problems(self) -> bool:
        """Mark everything that is wrong, with the filters and with the address, and list it."""
        connector, trigger = self._page.console.connector, self._trigger
        found = checks.problems(trigger, connector.inputs(trigger), self._filters.inputs)
        own = self._problems_of_target()
        self._form.show_errors(own)
        self._filters.show_errors(found)
        if found or own:
            with self._said:
                fields = [*trigger.inputs, *self._fields]
                show_problems([*found, *own], fields, self._page.localize, self._lead)
        return bool(found or own)

    def _problems_of_target(self) -> list[InputError]:
        target = str(self._form.inputs.get(TARGET, ""))
        if not target:
            return [InputError(say("subscribe_target_missing"), field=TARGET)]
        try:
            check_target(target, inbox=True, allow_private=self._page.console.state.context.allow_private_targets)
        except InputError as error:
            return [error]
        return []

    def _lead(self, path: str) -> None:
        (self._form if self._form.widget_at(path) is not None else self._filters).focus(path)
