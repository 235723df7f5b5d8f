"""The checklist that leads a new workspace from its key to its first trigger and its first platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, box, heading, keep_current, link, pill
from connector.store.schema import deliveries
from connector.store.triggers import subscriptions
from connector.store.trust import credentials, platform_calls


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the set-up, where to do it, and whether it is done."""

    name: str
    """`key`, `trigger`, `fired` or `platform`."""
    place: str
    done: bool


@dataclass(frozen=True, slots=True)
class Known:
    """What the store knows of a workspace."""

    has_key: bool
    subscriptions: Sequence[subscriptions.Subscription]
    fired: bool
    """Whether a delivery has arrived anywhere."""
    platforms: Sequence[str]
    """The labels of the platforms that have called."""


def known_of(connection: Connection, workspace: str, *, has_key: bool) -> Known:
    """Read what is known of a workspace."""
    found = subscriptions.listed(connection, workspace)
    ids = [one.id for one in found]
    done = select(deliveries.c.id).where(deliveries.c.subscription_id.in_(ids), deliveries.c.state == "done").limit(1)
    return Known(
        has_key or credentials.chosen(connection, workspace) is not None,
        found,
        connection.execute(done).first() is not None,
        platform_calls.labels(connection, workspace),
    )


def steps(known: Known, *, sandboxed: bool) -> list[Step]:
    """Return the steps in their order."""
    newest = known.subscriptions[-1].id if known.subscriptions else ""
    where = "sandbox" if sandboxed else f"subscriptions/{newest}".rstrip("/")
    return [
        Step("key", "settings/key", known.has_key),
        Step("trigger", "triggers", bool(known.subscriptions)),
        Step("fired", where, known.fired),
        Step("platform", "exports", bool(known.platforms)),
    ]


def next_step(found: Sequence[Step]) -> Step | None:
    """Return the first step that is not done; None when all are."""
    return next((step for step in found if not step.done), None)


REFRESH_SECONDS = 2.0


class SetupChecklist:
    """Builds itself as the first panel of the page, and is gone when everything is done."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._section = box("panel wide setup", "section")
        self._section.set_visibility(False)
        self._shown: list[Step] | None = None
        keep_current(self._section, self.refresh, REFRESH_SECONDS)

    async def refresh(self) -> None:
        """Show how far the workspace is."""
        console = self._page.console
        workspace = await console.workspace()
        own = console.state.settings.own_credential is not None and workspace == await console.home()
        known = await console.read(lambda connection: known_of(connection, workspace, has_key=own))
        found = steps(known, sandboxed=console.state.sandboxed)
        if found == self._shown:
            return
        self._shown = found
        self._section.set_visibility(next_step(found) is not None)
        self._section.clear()
        with self._section:
            self._build(found)

    def _build(self, found: list[Step]) -> None:
        localize, following = self._page.localize, next_step(found)
        heading(2, localize("setup_title"), "panel-title")
        with box("setup-steps", "ol"):
            for step in found:
                with box("setup-step", "li"):
                    pill(localize("setup_done" if step.done else "setup_open"), "good" if step.done else "")
                    with box("need-text"):
                        if step == following:
                            where = self._page.url(step.place)
                            link(localize(f"setup_{step.name}"), where).classes("setup-next")
                        else:
                            TextWidget("span", localize(f"setup_{step.name}"))
                        if step == following:
                            TextWidget("span", self._help(step), "quiet")

    def _help(self, step: Step) -> str:
        sandboxed = self._page.console.state.sandboxed
        name = f"{step.name}_sandbox" if step.name == "fired" and sandboxed else step.name
        return self._page.localize(f"setup_{name}_help")
