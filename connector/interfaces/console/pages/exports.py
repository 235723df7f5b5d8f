"""The packages for each platform: what they hold, what had to be left out, and the download."""

from __future__ import annotations

import asyncio

from nicegui import ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.export import catalogue
from connector.export.shape import Export, ExportOptions
from connector.interfaces.console.frame import Visit, page
from connector.interfaces.console.pieces import Text, abreast, box, button, empty, panel, paragraph, pill, show_error


@ui.page("/exports")
def exports() -> None:
    """What each platform gets."""
    with page("exports") as visit:
        paragraph(visit.localize("exports_intro"), "intro")
        names = catalogue.platforms()
        if not names:
            empty(visit.localize("exports_none"))
        with box("panels"):
            for name in names:
                with panel(name):
                    Package(visit, name)


class Package:
    """One platform's package; built when it is asked for."""

    def __init__(self, visit: Visit, platform: str) -> None:
        self._visit, self._platform = visit, platform
        localize = visit.localize
        self._via = ui.radio({"service": localize("via_service"), "host": localize("via_host")}, value="service")
        self._via.props("dense inline")
        with abreast():
            button(localize("download"), self._download, "primary small")
            button(localize("report"), self._report, "small")
        self._place = box("live").props('role="status" aria-live="polite"')

    async def _built(self) -> Export | None:
        desk, localize = self._visit.desk, self._visit.localize
        settings = desk.state.settings
        options = ExportOptions(
            via=self._via.value,
            base_url=settings.base_url or ExportOptions().base_url,
            host_url=desk.host_url,
            lang="de" if localize.lang == "de" else "en",
            wire=settings.wire,
        )
        try:
            return await asyncio.to_thread(catalogue.export, self._platform, desk.connector, options, check=True)
        except KontorError as error:
            self._place.clear()
            with self._place:
                show_error(error, localize)
            return None

    async def _download(self) -> None:
        built = await self._built()
        if built is not None:
            ui.download.content(catalogue.as_zip(built), f"kontor-{self._platform}.zip", "application/zip")
            self._show(self._place, built)

    async def _report(self) -> None:
        built = await self._built()
        if built is not None:
            self._show(self._place, built)

    def _show(self, place: Element, built: Export) -> None:
        localize = self._visit.localize
        place.clear()
        with place:
            counts = {kind: len(ids) for kind, ids in built.holds.items()}
            with box("pills"):
                for kind, count in counts.items():
                    pill(f"{count} {kind}")
                findings = len(built.findings)
                pill(localize("lint", count=findings), "bad" if findings else "good")
            Text("h3", localize("dropped", count=len(built.dropped)))
            with box("report").props('tabindex="0"'):
                for finding in built.findings:
                    paragraph(f"{finding.where}: {finding.message}", "bad")
                for one in built.dropped:
                    paragraph(f"{one.kind} {one.id}: {localize.of(one.reason)}", "quiet")
