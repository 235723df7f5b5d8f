"""The list of what needs a person, each with its remedy one click away."""

from __future__ import annotations

from urllib.parse import quote

from nicegui import ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.core.messages import Text as Sentence
from connector.durable.inbox import registration
from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.frame import Visit
from connector.interfaces.console.needs import Need, needs_of
from connector.interfaces.console.pieces import Text, abreast, box, button, link, paragraph, show_error
from connector.interfaces.console.snippets import pretty
from connector.store import deliveries


class NeedList:
    """Fills `place`."""

    def __init__(self, visit: Visit, place: Element) -> None:
        self._visit, self._place = visit, place

    async def fill(self) -> None:
        """Looks again."""
        localize = self._visit.localize
        self._place.clear()
        with self._place:
            paragraph(localize("running"), "quiet")
        try:
            needs = await needs_of(self._visit.desk)
        except NoCredential:
            self._place.clear()
            with self._place:
                paragraph(localize("no_credential"), "quiet")
            return
        except KontorError as error:
            self._place.clear()
            with self._place:
                show_error(error, localize)
            return
        self._place.clear()
        with self._place:
            if not needs:
                paragraph(localize("needs_none"), "all-well")
            for need in needs:
                self._show(need)

    def _show(self, need: Need) -> None:
        localize = self._visit.localize
        blanks = {
            name: localize.of(value) if isinstance(value, Sentence) else localize.cell(value)
            for name, value in need.blanks.items()
        }
        with box("need"):
            with box("need-text"):
                Text("strong", localize(need.word, **blanks))
                advice = localize.of(need.advice) if need.advice else localize(f"{need.word}_advice")
                paragraph(f"→ {advice}", "quiet")
                if need.entry is not None:
                    with ui.expansion(localize("need_inputs")).props("dense"):
                        Text("pre", pretty(need.entry.inputs), "code")
            with abreast("need-remedy"):
                self._remedy(need)

    def _remedy(self, need: Need) -> None:
        localize, visit = self._visit.localize, self._visit
        match need.remedy:
            case "settle":
                button(localize("settle_yes"), lambda: self._settle(need.subject, happened=True), "primary small")
                button(localize("settle_no"), lambda: self._settle(need.subject, happened=False), "small")
            case "replay":
                button(localize("replay"), lambda: self._replay(int(need.subject)), "primary small")
            case "webhook":
                button(localize("take_over"), self._take_over, "primary small")
            case "connect":
                target = f"actions/{visit.desk.connector.roles['bank_connect']}?provider_code={quote(need.subject)}"
                link(localize("renew"), visit.to(target), "button")
            case "link":
                link(localize("reconnect"), need.subject, "button")
            case "doctor":
                link(localize("place_doctor"), visit.to("doctor"), "button")
            case "trigger":
                link(localize("open_trigger"), visit.to(f"triggers/{need.subject}"), "button")

    async def _settle(self, key: str, *, happened: bool) -> None:
        try:
            await (await self._visit.desk.session()).settle(key, happened, "console")
        except KontorError as error:
            ui.notify(self._visit.localize.of(error.message), type="negative")
        await self.fill()

    async def _replay(self, delivery_id: int) -> None:
        context = self._visit.desk.state.context
        now = context.now()
        await self._visit.desk.write(lambda connection: deliveries.replay(connection, delivery_id, now))
        context.wake()
        await self.fill()

    async def _take_over(self) -> None:
        desk = self._visit.desk
        try:
            await registration.ensure(desk.state.context, await desk.credential_id(), takeover=True)
        except KontorError as error:
            ui.notify(self._visit.localize.of(error.message), type="negative")
        await self.fill()
