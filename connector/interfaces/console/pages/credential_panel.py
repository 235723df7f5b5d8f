"""Which service and key the console works with, whether the key works, and a form where there is none."""

from __future__ import annotations

from nicegui import ui

from connector.core.credential import DEFAULT_QUELLE, Credential
from connector.core.errors import KontorError
from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.frame import Visit
from connector.interfaces.console.pieces import Text, abreast, box, button, empty, facts, live_region, show_error


class CredentialPanel:
    """Builds itself into the panel around it."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._body = box("panel-body")
        self._said = live_region()
        ui.timer(0.1, self._fill, once=True)

    async def _fill(self) -> None:
        localize = self._visit.localize
        try:
            credential = (await self._visit.desk.session()).credential
        except NoCredential:
            self._body.clear()
            with self._body:
                self._ask()
            return
        except KontorError as error:
            self._body.clear()
            with self._body:
                show_error(error, localize)
            return
        self._body.clear()
        with self._body:
            facts(
                {
                    localize("credential_service"): credential.base_url,
                    localize("credential_key"): localize("credential_known_as", fingerprint=credential.fingerprint),
                    localize("credential_quelle"): credential.quelle,
                }
            )
            with abreast():
                button(localize("credential_test"), self._test, "primary")
        await self._test()

    async def _test(self) -> None:
        localize = self._visit.localize
        self._said.clear()
        with self._said:
            empty(localize("running"))
        try:
            seen = await (await self._visit.desk.session()).test()
        except KontorError as error:
            self._said.clear()
            with self._said:
                show_error(error, localize)
            return
        self._said.clear()
        with self._said, box("notice good"):
            Text("span", localize("credential_works", accounts=seen["accounts"]))

    def _ask(self) -> None:
        """The form for a host that was started without a credential."""
        localize = self._visit.localize
        empty(localize("credential_ask"))
        base_url = ui.input(localize("credential_service"), placeholder="https://service.example")
        key = ui.input(localize("credential_key"), password=True)
        quelle = ui.input(localize("credential_quelle"), value=DEFAULT_QUELLE)
        for widget in (base_url, key, quelle):
            widget.props("outlined dense stack-label").classes("input")

        async def take() -> None:
            try:
                wire = self._visit.desk.state.settings.wire
                credential = Credential(base_url.value or "", key.value or "", quelle.value or "", wire)
                await self._visit.desk.use(credential)
            except KontorError as error:
                self._said.clear()
                with self._said:
                    show_error(error, localize)
                return
            key.value = ""
            await self._fill()

        button(localize("credential_save"), take, "primary")
