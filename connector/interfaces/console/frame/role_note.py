"""Says who can do what the visitor's role does not allow; what cannot be done is not offered."""

from __future__ import annotations

from nicegui import ui

from connector.core.callers import Role
from connector.core.errors import KontorError
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import paragraph


def offered(page: Page, role: Role) -> bool:
    """Whether what needs this role is offered to the visitor; where it is not, this says who can do it."""
    if page.console.actor.may(role):
        return True
    role_note(page, role)
    return False


def role_note(page: Page, role: Role) -> None:
    """Name, in the current container, who may do what needs this role."""
    localize = page.localize
    said = paragraph(localize("needs_role", role=localize(f"role_{role}_name")), "quiet")

    async def name_people() -> None:
        try:
            people = await page.console.people_who_may(role)
        except KontorError:  # signed out
            return
        if people:
            said.text = localize("needs_role_of", role=localize(f"role_{role}_name"), people=", ".join(people))

    ui.timer(0.1, name_people, once=True)
