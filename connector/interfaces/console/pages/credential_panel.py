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
        tongue = self._visit.tongue
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
                show_error(error, tongue)
            return
        self._body.clear()
        with self._body:
            facts(
                {
                    tongue("credential_service"): credential.base_url,
                    tongue("credential_key"): tongue("credential_known_as", fingerprint=credential.fingerprint),
                    tongue("credential_quelle"): credential.quelle,
                }
            )
            with abreast():
                button(tongue("credential_test"), self._test, "primary")
        await self._test()

    async def _test(self) -> None:
        tongue = self._visit.tongue
        self._said.clear()
        with self._said:
            empty(tongue("running"))
        try:
            seen = await (await self._visit.desk.session()).test()
        except KontorError as error:
            self._said.clear()
            with self._said:
                show_error(error, tongue)
            return
        self._said.clear()
        with self._said, box("notice good"):
            Text("span", tongue("credential_works", accounts=seen["accounts"]))

    def _ask(self) -> None:
        """The form for a host that was started without a credential."""
        tongue = self._visit.tongue
        empty(tongue("credential_ask"))
        base_url = ui.input(tongue("credential_service"), placeholder="https://service.example")
        key = ui.input(tongue("credential_key"), password=True)
        quelle = ui.input(tongue("credential_quelle"), value=DEFAULT_QUELLE)
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
                    show_error(error, tongue)
                return
            key.value = ""
            await self._fill()

        button(tongue("credential_save"), take, "primary")
