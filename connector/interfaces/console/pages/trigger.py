"""One trigger: watch it live, look at a sample, subscribe an address to it, and see what became of that."""

from __future__ import annotations

from nicegui import ui

from connector.core.errors import KontorError
from connector.core.manifest.model import Trigger
from connector.durable.inbox import registration
from connector.durable.subscribe import SubscriptionRequest, subscribe
from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.form import Form
from connector.interfaces.console.frame import Visit, desk_here, page
from connector.interfaces.console.live_watch import LiveWatch
from connector.interfaces.console.pages.missing import not_there
from connector.interfaces.console.pieces import Text, abreast, box, button, code, live_region, panel, pill, show_error
from connector.interfaces.console.snippets import pretty
from connector.interfaces.console.subscription_list import SubscriptionList

STARTS = ("now", "all")


@ui.page("/triggers/{id}")
def trigger_page(id: str) -> None:
    """The page of one trigger. What its address carries as a query is filled in."""
    given = dict(ui.context.client.request.query_params)
    try:
        trigger = desk_here().connector.trigger(id)
    except KontorError as error:
        not_there(error, "triggers")
        return
    with page("triggers", trigger.title) as visit:
        TriggerDesk(visit, trigger, given)


class TriggerDesk:
    """The trigger's filters with everything around them."""

    def __init__(self, visit: Visit, trigger: Trigger, given: dict[str, str]) -> None:
        self._visit, self._trigger = visit, trigger
        localize = visit.localize
        with box("pills"):
            pill(localize(f"source_{trigger.source}"), "accent" if trigger.source == "event" else "")
            pill(localize.cost(trigger.cost), "" if trigger.cost.credits else "good")
            Text("code", trigger.id, "id")
        Text("p", localize.of(trigger.description), "intro")
        with box("split"):
            with panel(localize("filters_title")):
                self._form = Form(visit, trigger.inputs, given)
                if not self._form.fields:
                    Text("p", localize("filters_none"), "quiet")
            with box("split-side"):
                with panel(localize("live_title")):
                    LiveWatch(visit, trigger, self._form)
                with panel(localize("sample_title")), ui.expansion(localize("sample_show")).props("dense"):
                    code(pretty(trigger.sample), localize)
        with panel(localize("subscribe_title"), "wide"):
            self._subscribe_form()
            self._said = live_region()
        with panel(localize("subscriptions_title"), "wide"):
            self._list = SubscriptionList(visit, trigger.id)

    def _subscribe_form(self) -> None:
        localize = self._visit.localize
        Text("p", localize("subscribe_help"), "quiet")
        with box("fields"):
            with box("field"):
                self._target = ui.input(localize("subscribe_target"), placeholder="https://…")
                self._target.props("outlined dense stack-label type=url").classes("input")
            if self._trigger.source == "poll":
                with box("field"):
                    options = {start: localize(f"start_{start}") for start in STARTS}
                    self._start = ui.select(options, value="now", label=localize("subscribe_start"))
                    self._start.props("outlined dense stack-label options-dense").classes("input")
            else:
                with box("field"):
                    self._takeover = ui.checkbox(localize("take_over_allowed")).props("dense")
                    self._pass_on = ui.checkbox(localize("pass_on")).props("dense")
        with abreast():
            button(localize("subscribe"), self._subscribe, "primary")

    async def _subscribe(self) -> None:
        localize, desk = self._visit.localize, self._visit.desk
        polled = self._trigger.source == "poll"
        wish = SubscriptionRequest(
            self._trigger.id, self._form.inputs, self._target.value or "", self._start.value if polled else "now"
        )
        try:
            context, credential_id = desk.state.context, await desk.credential_id()
            if not polled:
                await registration.ensure(context, credential_id, self._takeover.value, self._pass_on.value)
            _, secret = await subscribe(context, credential_id, wish, context.now())
        except KontorError as error:
            self._said.clear()
            with self._said:
                show_error(error, localize)
            self._form.point_at(error)
            return
        except NoCredential:
            self._said.clear()
            with self._said:
                Text("p", localize("no_credential"), "notice bad")
            return
        self._said.clear()
        with self._said:
            Text("p", localize("subscribed"), "notice good")
            code(secret, localize)
        await self._list.fill()
