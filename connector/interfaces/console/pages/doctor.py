"""The doctor's page: looks at the credential from all sides, with calls that change nothing."""

from __future__ import annotations

import asyncio

from nicegui import ui

from connector.core.credential import Credential
from connector.core.errors import KontorError
from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.frame import Visit, page
from connector.interfaces.console.pieces import Text, abreast, box, button, link, panel, paragraph, pill
from connector.interfaces.console.snippets import pretty
from connector.runtime.doctor import Finding, examine

TONES = {"ok": "good", "note": "warn", "problem": "bad"}


@ui.page("/doctor")
def doctor() -> None:
    """What is right and wrong with the credential."""
    with page("doctor") as visit:
        paragraph(visit.localize("doctor_intro"), "intro")
        Examination(visit)


class Examination:
    """Runs when the page opens, and again when asked to."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        localize = visit.localize
        with abreast():
            self._again = button(localize("doctor_again"), self._run, "primary")
            self._rights = ui.checkbox(localize("doctor_rights")).props("dense")
        with panel(localize("doctor_findings"), "wide"):
            self._place = box("panel-body").props('role="status" aria-live="polite"')
        ui.timer(0.1, self._run, once=True)

    async def _run(self) -> None:
        localize = self._visit.localize
        self._again.disable()
        self._place.clear()
        with self._place:
            paragraph(localize("running"), "quiet")
        try:
            credential = (await self._visit.desk.session()).credential
            findings = await asyncio.to_thread(self._examine, credential, bool(self._rights.value))
        except NoCredential:
            self._place.clear()
            with self._place:
                paragraph(localize("no_credential"), "quiet")
            return
        finally:
            self._again.enable()
        self._place.clear()
        with self._place:
            for finding in findings:
                self._show(finding)

    def _examine(self, credential: Credential, rights: bool) -> list[Finding]:
        connector = self._visit.desk.connector
        with connector.open(credential) as session:
            return list(examine(connector, session, rights=rights))

    def _show(self, finding: Finding) -> None:
        localize = self._visit.localize
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
