"""The exports page: contents, omissions and download of each platform's package."""

from __future__ import annotations

import asyncio

from nicegui import ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.export import catalogue
from connector.export.shape import Export, ExportOptions
from connector.interfaces.console.page_frame import Page, page_frame
from connector.interfaces.console.widgets import (
    Text,
    box,
    button,
    empty_note,
    flex_row,
    panel,
    paragraph,
    pill,
    show_error,
)


@ui.page("/exports")
def exports() -> None:
    """List the platforms."""
    with page_frame("exports") as page:
        paragraph(page.localize("exports_intro"), "intro")
        names = catalogue.platforms()
        if not names:
            empty_note(page.localize("exports_none"))
        with box("panels"):
            for name in names:
                with panel(name):
                    PackagePanel(page, name)


class PackagePanel:
    """One platform's package, built on demand."""

    def __init__(self, page: Page, platform: str) -> None:
        self._page, self._platform = page, platform
        localize = page.localize
        self._via = ui.radio({"service": localize("via_service"), "host": localize("via_host")}, value="service")
        self._via.props("dense inline")
        with flex_row():
            button(localize("download"), self._download, "primary small")
            button(localize("report"), self._report, "small")
        self._container = box("live").props('role="status" aria-live="polite"')

    async def _built(self) -> Export | None:
        console, localize = self._page.console, self._page.localize
        settings = console.state.settings
        options = ExportOptions(
            via=self._via.value,
            base_url=settings.base_url or ExportOptions().base_url,
            host_url=console.host_url,
            lang="de" if localize.lang == "de" else "en",
            wire=settings.wire,
        )
        try:
            return await asyncio.to_thread(catalogue.export, self._platform, console.connector, options, check=True)
        except KontorError as error:
            self._container.clear()
            with self._container:
                show_error(error, localize)
            return None

    async def _download(self) -> None:
        built = await self._built()
        if built is not None:
            ui.download.content(catalogue.as_zip(built), f"kontor-{self._platform}.zip", "application/zip")
            self._show(self._container, built)

    async def _report(self) -> None:
        built = await self._built()
        if built is not None:
            self._show(self._container, built)

    def _show(self, container: Element, built: Export) -> None:
        localize = self._page.localize
        container.clear()
        with container:
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
