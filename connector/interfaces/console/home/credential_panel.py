"""Shows and tests the credential in use, or a form to enter one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from nicegui import ui

from connector.core.errors import KontorError
from connector.core.service.credential import DEFAULT_QUELLE, Credential
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.frame.confirm_dialog import AskBack
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.role_note import offered, role_note
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    definition_list,
    empty_note,
    flex_row,
    keep_current,
    live_region,
    show_error,
)
from connector.operations import people as administration


class CredentialPanel:
    """Builds itself into the current panel."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._body = box("panel-body")
        self._status = live_region()
        keep_current(self._body, self._fill)

    async def _fill(self) -> None:
        localize, console = self._page.localize, self._page.console
        try:
            credential = (await console.session("viewer")).credential
        except NoCredential:
            self._body.clear()
            with self._body:
                empty_note(localize("credential_ask"))
                if offered(self._page, "admin"):
                    self._build_form()
            return
        except KontorError as error:
            self._body.clear()
            with self._body:
                show_error(error, localize)
            return
        self._body.clear()
        with self._body:
            definition_list(
                {
                    localize("credential_service"): credential.base_url,
                    localize("credential_key"): localize("credential_known_as", fingerprint=credential.fingerprint),
                    localize("credential_quelle"): credential.quelle,
                }
            )
            with flex_row():
                if console.actor.may("operator"):
                    button(localize("credential_test"), self._test, "primary")
                if console.actor.may("admin"):
                    button(localize("credential_replace"), self._ask_for_another, "small")
                    button(localize("credential_remove"), self._ask_before_removing, "small")
            if not console.actor.may("admin"):
                role_note(self._page, "admin")
        if console.actor.may("operator"):
            await self._test()

    def _ask_for_another(self) -> None:
        """Ask for the new key; it takes the place of the present one, whose subscriptions stay."""
        localize = self._page.localize
        self._body.clear()
        with self._body:
            TextWidget("h3", localize("key_replace_title"))
            TextWidget("p", localize("key_replace_help"), "quiet")
            key = ui.input(localize("key_new"), password=True).props("outlined dense stack-label").classes("input")
            with flex_row():
                button(localize("key_look"), lambda: self._look_at_new(key), "primary")
                button(localize("ask_back_no"), self._back)

    async def _look_at_new(self, key: ui.input) -> None:
        """Say whom the new key belongs to, before it takes the place of the present one."""
        try:
            present = (await self._page.console.session("viewer")).credential
            credential = replace(present, api_key=key.value or "")
        except KontorError as error:
            self._show_error(error)
            return
        await self._show_owner(credential, "key_replace", lambda: self._replace(key))

    async def _show_owner(self, credential: Credential, verb: str, keep: Callable[[], Awaitable[None]]) -> None:
        """Test a key and say whose it is; only then it can be kept."""
        localize = self._page.localize
        self._status.clear()
        try:
            shown = await self._page.console.preview(credential)
        except KontorError as error:
            self._show_error(error)
            return
        with self._status:
            TextWidget("p", localize("key_test_works", accounts=shown.accounts), "notice good")
            if shown.organizations:
                words = localize("key_belongs_to", organizations=", ".join(shown.organizations))
                tone = "warn" if shown.expected and not {*shown.expected} & {*shown.organizations} else "good"
                TextWidget("p", words, f"notice {tone}")
            else:
                TextWidget("p", localize("key_belongs_unknown"), "notice warn")
            if shown.expected:
                TextWidget("p", localize("key_expected", organizations=", ".join(shown.expected)), "quiet")
            with flex_row():
                button(localize(verb), keep, "primary")

    async def _replace(self, key: ui.input) -> None:
        console = self._page.console
        try:
            console.check("admin")
            workspace = await console.workspace()
            await administration.replace_workspace_key(console.state.context, None, key.value or "", workspace)
        except KontorError as error:
            self._show_error(error)
            return
        key.value = ""
        await self._fill()
        self._status.clear()
        with self._status:
            TextWidget("p", self._page.localize("key_replaced"), "notice good")

    def _ask_before_removing(self) -> None:
        localize = self._page.localize
        AskBack(self._body, localize).show(
            localize("credential_remove_question"), localize("credential_remove"), self._remove, self._back
        )

    def _back(self) -> None:
        with self._status:
            ui.timer(0.1, self._fill, once=True)

    async def _remove(self) -> None:
        try:
            await self._page.console.remove_key()
        except KontorError as error:
            self._show_error(error)
        self._status.clear()
        await self._fill()

    def _show_error(self, error: KontorError) -> None:
        self._status.clear()
        with self._status:
            show_error(error, self._page.localize)

    async def _test(self) -> None:
        localize = self._page.localize
        self._status.clear()
        with self._status:
            empty_note(localize("running"))
        try:
            result = await (await self._page.console.session()).test()
        except KontorError as error:
            self._show_error(error)
            return
        self._status.clear()
        with self._status, box("notice good"):
            TextWidget("span", localize("credential_works", accounts=result["accounts"]))

    def _build_form(self) -> None:
        """Build the form for another key, which is tested before it is kept."""
        localize = self._page.localize
        base_url = ui.input(
            localize("credential_service"),
            placeholder="https://service.example",
            value=self._page.console.state.settings.base_url,
        )
        key = ui.input(localize("credential_key"), password=True)
        quelle = ui.input(localize("credential_quelle"), value=DEFAULT_QUELLE)
        for widget in (base_url, key, quelle):
            widget.props("outlined dense stack-label").classes("input")

        async def save() -> None:
            try:
                wire = self._page.console.state.settings.wire
                credential = Credential(base_url.value or "", key.value or "", quelle.value or "", wire)
                await self._page.console.use(credential)
            except KontorError as error:
                self._show_error(error)
                return
            key.value = ""
            self._status.clear()
            await self._fill()

        async def look() -> None:
            try:
                wire = self._page.console.state.settings.wire
                credential = Credential(base_url.value or "", key.value or "", quelle.value or "", wire)
            except KontorError as error:
                self._show_error(error)
                return
            await self._show_owner(credential, "key_keep", save)

        with flex_row():
            button(localize("key_look"), look, "primary")
