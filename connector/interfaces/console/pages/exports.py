"""The exports page: two ways for each platform, what they guarantee, the package, and how to install it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import urlsplit

from nicegui import ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.core.service.credential import is_loopback
from connector.export import catalogue
from connector.export.shape import Export, ExportOptions, Via
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    code_block,
    empty_note,
    flex_row,
    heading,
    panel,
    paragraph,
    pill,
    show_error,
)

WAYS: tuple[Via, ...] = ("host", "service")
"""The safer one first."""
COMMAND = "$ "
"""How a line of the steps begins that is run."""


@page_at("/exports")
def exports() -> None:
    """List the platforms."""
    with page_frame("exports") as page:
        paragraph(page.localize("exports_intro"), "intro")
        host = page.console.host_url
        if is_loopback(urlsplit(host).hostname or ""):
            paragraph(page.localize("export_only_here", host=host), "notice")
        names = catalogue.platforms()
        if not names:
            empty_note(page.localize("exports_none"))
        for name in names:
            with panel(platform_name(page, name), "wide"):
                _platform(page, name)


def platform_name(page: Page, platform: str) -> str:
    """Return what people call a platform."""
    return page.localize(f"export_name_{platform}")


def _platform(page: Page, platform: str) -> None:
    with box("ways"):
        for way in WAYS:
            with box(f"way {way}", "section"):
                WayCard(page, platform, way)
    heading(3, page.localize("export_steps_title"))
    _steps(page, page.localize(f"export_steps_{platform}", **catalogue.install_words(platform)).splitlines())


def _steps(page: Page, steps: Sequence[str]) -> None:
    """List the steps; a command stands below its step."""
    item: Element | None = None
    with box("steps", "ol"):
        for step in steps:
            if item is not None and step.startswith(COMMAND):
                with item:
                    code_block(step.removeprefix(COMMAND), page.localize)
            else:
                item = box("", "li")
                with item:
                    TextWidget("span", step)


class WayCard:
    """One way to talk to the service from a platform: what it guarantees, and its package, built on demand."""

    def __init__(self, page: Page, platform: str, way: Via) -> None:
        self._page, self._platform, self._way = page, platform, way
        localize, host = page.localize, way == "host"
        with flex_row():
            heading(3, localize(f"export_way_{way}"))
            pill(localize("export_safer" if host else "export_may_twice"), "good" if host else "warn")
        with box("guarantees", "ul"):
            for line in localize(f"export_{way}_guarantees").splitlines():
                TextWidget("li", line)
        credential = "export_credential_host" if host else "export_credential_service"
        paragraph(localize(credential, host=page.console.host_url), "quiet")
        self._with_writes: ui.checkbox | None = None
        if catalogue.is_unguarded(platform, way):
            self._with_writes = ui.checkbox(localize("export_bring_writes")).props("dense")
            paragraph(localize("export_with_writes"), "quiet")
        self._buttons()
        self._container = box("live").props('role="status" aria-live="polite"')

    def _buttons(self) -> None:
        localize, way = self._page.localize, self._page.localize(f"export_way_{self._way}")
        main = "primary" if self._way == "host" else ""
        with flex_row():
            made = self._installable
            file = ".tgz" if made else ".zip"
            download = button(
                localize("export_download_ready", file=file), self._download_ready if made else self._download_zip, main
            )
            named = {"platform": platform_name(self._page, self._platform), "file": file, "way": way}
            download.props["aria-label"] = localize("export_download_for", **named)
            if made:
                button(localize("export_sources"), self._download_zip, "small")
            button(localize("export_what_is_in"), self._report, "small")

    @property
    def _installable(self) -> bool:
        return catalogue.file_to_install(self._platform) is not None

    def _options(self) -> ExportOptions:
        console, settings = self._page.console, self._page.console.state.settings
        return ExportOptions(
            via=self._way,
            base_url=settings.base_url or ExportOptions().base_url,
            host_url=console.host_url,
            lang="de" if self._page.localize.lang == "de" else "en",
            wire=settings.wire,
            with_writes=self._with_writes is not None and bool(self._with_writes.value),
        )

    async def _built(self) -> Export | None:
        connector, options = self._page.console.connector, self._options()
        try:
            return await asyncio.to_thread(catalogue.export, self._platform, connector, options)
        except KontorError as error:
            self._container.clear()
            with self._container:
                show_error(error, self._page.localize)
            return None

    async def _download_ready(self) -> None:
        connector, options = self._page.console.connector, self._options()
        made = await asyncio.to_thread(catalogue.ready_made, self._platform, connector, options)
        if made is not None:
            ui.download.content(made[1], made[0], "application/gzip")

    async def _download_zip(self) -> None:
        built = await self._built()
        if built is not None:
            ui.download.content(catalogue.as_zip(built), f"kontor-{self._platform}-{self._way}.zip", "application/zip")
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
                    pill(localize(f"export_count_{kind}", count=count))
                findings = len(built.findings)
                pill(localize("lint", count=findings), "bad" if findings else "good")
            for note in built.notes:
                paragraph(localize.of(note), "notice")
            heading(4, localize("dropped", count=len(built.dropped)))
            with box("report").props('tabindex="0"'):
                for finding in built.findings:
                    paragraph(f"{finding.where}: {finding.message}", "bad")
                for one in built.dropped:
                    paragraph(f"{one.id}: {localize.of(one.reason)}", "quiet")
