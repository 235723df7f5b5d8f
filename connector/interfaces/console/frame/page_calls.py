"""The free calls to the service that opening a page makes by itself: none for a viewer, few for anybody else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from connector.core.manifest.model import ActionId
from connector.runtime.session import KONTOR

if TYPE_CHECKING:
    from connector.interfaces.console.console_context import ConsoleContext
    from connector.runtime.result import Options

MAX_CALLS = 12


class PageCalls:
    """The calls of one opening; what they leave out, the page shows as it is stored."""

    def __init__(self, console: ConsoleContext, most: int = MAX_CALLS) -> None:
        self._console = console
        self._left = 0 if console.actor.role == "viewer" else most
        self.left_out = False
        """Whether a call was not made."""

    async def options(self, lookup: str, inputs: Mapping[str, Any], lang: str = "en") -> Options | None:
        """Return the options of a lookup; None where the service is not asked. The cache is asked for nothing."""
        if not self._may_call():
            return None
        session = await self._console.session("viewer")
        found = await session.options(lookup, inputs, lang=lang)
        if found.cached:
            self._left += 1
        return found

    async def output(self, action: ActionId, inputs: Mapping[str, Any]) -> Any:
        """Return what an action answers; None where the service is not asked."""
        if not self._may_call():
            return None
        session = await self._console.session("viewer")
        return (await session.invoke(action, inputs, invoker=KONTOR)).output

    def _may_call(self) -> bool:
        if self._left <= 0:
            self.left_out = True
            return False
        self._left -= 1
        return True
