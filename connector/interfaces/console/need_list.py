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
        tongue = self._visit.tongue
        self._place.clear()
        with self._place:
            paragraph(tongue("running"), "quiet")
        try:
            needs = await needs_of(self._visit.desk)
        except NoCredential:
            self._place.clear()
            with self._place:
                paragraph(tongue("no_credential"), "quiet")
            return
        except KontorError as error:
            self._place.clear()
            with self._place:
                show_error(error, tongue)
            return
        self._place.clear()
        with self._place:
            if not needs:
                paragraph(tongue("needs_none"), "all-well")
            for need in needs:
                self._show(need)

    def _show(self, need: Need) -> None:
        tongue = self._visit.tongue
        blanks = {
            name: tongue.of(value) if isinstance(value, Sentence) else tongue.cell(value)
            for name, value in need.blanks.items()
        }
        with box("need"):
            with box("need-text"):
                Text("strong", tongue(need.word, **blanks))
                advice = tongue.of(need.advice) if need.advice else tongue(f"{need.word}_advice")
                paragraph(f"→ {advice}", "quiet")
                if need.entry is not None:
                    with ui.expansion(tongue("need_inputs")).props("dense"):
                        Text("pre", pretty(need.entry.inputs), "code")
            with abreast("need-remedy"):
                self._remedy(need)

    def _remedy(self, need: Need) -> None:
        tongue, visit = self._visit.tongue, self._visit
        match need.remedy:
            case "settle":
                button(tongue("settle_yes"), lambda: self._settle(need.subject, happened=True), "primary small")
                button(tongue("settle_no"), lambda: self._settle(need.subject, happened=False), "small")
            case "replay":
                button(tongue("replay"), lambda: self._replay(int(need.subject)), "primary small")
            case "webhook":
                button(tongue("take_over"), self._take_over, "primary small")
            case "connect":
                target = f"actions/start_bank_connect?provider_code={quote(need.subject)}"
                link(tongue("renew"), visit.to(target), "button")
            case "link":
                link(tongue("reconnect"), need.subject, "button")
            case "doctor":
                link(tongue("place_doctor"), visit.to("doctor"), "button")
            case "trigger":
                link(tongue("open_trigger"), visit.to(f"triggers/{need.subject}"), "button")

    async def _settle(self, key: str, *, happened: bool) -> None:
        try:
            await (await self._visit.desk.session()).settle(key, happened, "console")
        except KontorError as error:
            ui.notify(self._visit.tongue.of(error.message), type="negative")
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
            ui.notify(self._visit.tongue.of(error.message), type="negative")
        await self.fill()
