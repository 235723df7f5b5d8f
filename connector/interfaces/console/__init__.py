"""The web console, mounted by the host under /console.

Built with NiceGUI: pages are Python, all assets come from the installed package, and server-side changes are pushed
to the browser without an API of the console's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from connector.interfaces.host_state import HostState

__all__ = ["mount"]

PATH = "/console"


def mount(app: Starlette, state: HostState) -> None:
    """Mount the console; it requires the host token or a one-time link."""
    from connector.interfaces.console.mounting import mount_at

    mount_at(app, state, PATH)
