"""The console: Kontor for people in a browser, mounted by the host under /console.

Built with NiceGUI: its pages are Python like everything else here, all that a browser needs comes from the installed
package, and what happens on the server is seen at once, without an interface of the console's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from connector.interfaces.host_state import HostState

__all__ = ["mount"]

PATH = "/console"


def mount(app: Starlette, state: HostState) -> None:
    """Puts the console into the host. It lets nobody in who has neither the host token nor a one-time link."""
    from connector.interfaces.console.mounting import mount_at

    mount_at(app, state, PATH)
