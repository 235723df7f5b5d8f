"""The doctor page: checks the credential with read-only calls, after it was asked to."""

from __future__ import annotations

import asyncio

from nicegui import ui
from sqlalchemy import Connection

from connector.core.errors import KontorError
from connector.core.service.credential import Credential
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.role_note import offered
from connector.interfaces.console.frame.snippets import pretty
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    flex_row,
    link,
    panel,
    paragraph,
    pill,
    show_error,
)
from connector.operations.attention import findings_of
from connector.runtime.doctor import REQUESTS, Finding, examine
from connector.store.triggers import due_work, hooks

CHECKED_AGAIN = 1
"""The engine reads the webhook URL too, so that the overview says the same."""
TONES = {"ok": "good", "note": "warn", "problem": "bad"}


@page_at("/doctor")
def doctor() -> None:
    """Show the findings about the credential."""
    with page_frame("doctor") as page:
        paragraph(page.localize("doctor_intro"), "intro")
        DoctorView(page)


class DoctorView:
    """Says what the checks cost, and runs them on request; opening the page sends nothing."""

    def __init__(self, page: Page) -> None:
        self._page = page
        localize = page.localize
        cost = page.console.connector.action_for("permission_probe").cost
        paragraph(localize("doctor_spends", requests=REQUESTS + CHECKED_AGAIN), "quiet")
        may = offered(page, "operator")
        with flex_row() as asked:
            self._again = button(localize("doctor_begin"), self._run, "primary")
            words = localize("doctor_rights_each", cost=localize.cost(cost))
            self._rights = ui.checkbox(words).props("dense")
        asked.set_visibility(may)
        with panel(localize("doctor_findings"), "wide"):
            self._container = box("panel-body").props('role="status" aria-live="polite"')
            with self._container:
                paragraph(localize("doctor_not_yet"), "quiet")

    async def _run(self) -> None:
        localize = self._page.localize
        self._again.disable()
        self._container.clear()
        with self._container:
            paragraph(localize("running"), "quiet")
        try:
            credential = (await self._page.console.session()).credential
            findings = await asyncio.to_thread(self._examine, credential, bool(self._rights.value))
            await self._check_webhook_url()
            findings += findings_of(await self._page.console.attention(fresh=True))
        except KontorError as error:
            self._container.clear()
            with self._container:
                show_error(error, localize)
            return
        except NoCredential:
            self._container.clear()
            with self._container:
                paragraph(localize("no_credential"), "quiet")
            return
        finally:
            self._again.enable()
        self._container.clear()
        with self._container:
            for finding in findings:
                self._show(finding)

    async def _check_webhook_url(self) -> None:
        """Let the engine look at the webhook URL now, so that the overview says what the doctor has found."""
        context, credential_id = self._page.console.state.context, await self._page.console.credential_id()
        now = context.now()

        def make_due(connection: Connection) -> None:
            hook = hooks.of_credential(connection, credential_id)
            if hook is not None and hook.state != "released":
                due_work.schedule(connection, due_work.WEBHOOK_URLS, credential_id, now)

        await context.write(make_due)
        context.wake()

    def _examine(self, credential: Credential, rights: bool) -> list[Finding]:
        connector = self._page.console.connector
        with connector.open(credential) as session:
            return list(examine(connector, session, rights=rights, only_free_lists=True))

    def _show(self, finding: Finding) -> None:
        localize = self._page.localize
        with box("finding"):
            pill(localize(f"finding_{finding.state}"), TONES[finding.state])
            with box("need-text"):
                TextWidget("strong", localize(f"topic_{finding.topic.lower().replace(' ', '_')}"))
                TextWidget("span", localize.of(finding.message), "wrap")
                if finding.remedy:
                    TextWidget("span", f"→ {localize.of(finding.remedy)}", "quiet")
                error: KontorError | None = finding.error
                if error and error.reconnect_url and error.reconnect_url.startswith("https://"):
                    link(localize("reconnect"), error.reconnect_url)
                if finding.details is not None:
                    with ui.expansion(localize("details")).props("dense"):
                        TextWidget("pre", pretty(finding.details), "code")
