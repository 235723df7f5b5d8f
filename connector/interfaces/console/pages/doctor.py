"""The doctor page: checks the credential with read-only calls."""

from __future__ import annotations

import asyncio

from nicegui import ui

from connector.core.credential import Credential
from connector.core.errors import KontorError
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.page_frame import Page, page_frame
from connector.interfaces.console.snippets import pretty
from connector.interfaces.console.widgets import Text, box, button, flex_row, link, panel, paragraph, pill
from connector.runtime.doctor import Finding, examine

TONES = {"ok": "good", "note": "warn", "problem": "bad"}


@ui.page("/doctor")
def doctor() -> None:
    """Show the findings about the credential."""
    with page_frame("doctor") as page:
        paragraph(page.localize("doctor_intro"), "intro")
        DoctorView(page)


class DoctorView:
    """Runs the checks when the page opens and on request."""

    def __init__(self, page: Page) -> None:
        self._page = page
        localize = page.localize
        with flex_row():
            self._again = button(localize("doctor_again"), self._run, "primary")
            self._rights = ui.checkbox(localize("doctor_rights")).props("dense")
        with panel(localize("doctor_findings"), "wide"):
            self._container = box("panel-body").props('role="status" aria-live="polite"')
        ui.timer(0.1, self._run, once=True)

    async def _run(self) -> None:
        localize = self._page.localize
        self._again.disable()
        self._container.clear()
        with self._container:
            paragraph(localize("running"), "quiet")
        try:
            credential = (await self._page.console.session()).credential
            findings = await asyncio.to_thread(self._examine, credential, bool(self._rights.value))
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

    def _examine(self, credential: Credential, rights: bool) -> list[Finding]:
        connector = self._page.console.connector
        with connector.open(credential) as session:
            return list(examine(connector, session, rights=rights))

    def _show(self, finding: Finding) -> None:
        localize = self._page.localize
        with box("finding"):
            pill(localize(f"finding_{finding.state}"), TONES[finding.state])
            with box("need-text"):
                Text("strong", localize(f"topic_{finding.topic.lower().replace(' ', '_')}"))
                Text("span", localize.of(finding.message), "wrap")
                if finding.remedy:
                    Text("span", f"→ {localize.of(finding.remedy)}", "quiet")
                error: KontorError | None = finding.error
                if error and error.reconnect_url and error.reconnect_url.startswith("https://"):
                    link(localize("reconnect"), error.reconnect_url)
                if finding.details is not None:
                    with ui.expansion(localize("details")).props("dense"):
                        Text("pre", pretty(finding.details), "code")
