"""The policy of a workspace, as a page of its settings."""

from __future__ import annotations

from connector.core.messages import say
from connector.interfaces.console.page_frame import page_at, page_frame
from connector.interfaces.console.policy_form import PolicyForm
from connector.interfaces.console.settings_links import settings_links
from connector.interfaces.console.widgets import box, panel


@page_at("/settings/policy")
async def settings_policy() -> None:
    """Show the policy, to be read by all and changed by admins."""
    with page_frame("settings", say("settings_policy")) as page:
        settings_links(page, "policy")
        with panel(page.localize("policy_title"), "wide"):
            form = PolicyForm(page, box("panel-body"))
        await form.build()
