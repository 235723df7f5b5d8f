"""What this host is, and the manifests that it runs."""

from __future__ import annotations

from starlette.requests import Request
from starlette.routing import Route

from connector.interfaces.host.answers import Answer, answer
from connector.interfaces.host.endpoint import route
from connector.interfaces.host.manifests_shown import named, summary
from connector.interfaces.host.parts import HostParts
from connector.version import __version__


class About:
    """Reads manifests; calls nobody."""

    def __init__(self, parts: HostParts) -> None:
        self._state = parts.state
        self._connector = parts.state.connector

    def routes(self) -> list[Route]:
        """The routes."""
        return [
            route("/v1/connector", "GET", self.connector),
            route("/v1/actions", "GET", self.actions),
            route("/v1/actions/{id}", "GET", self.action),
            route("/v1/lookups", "GET", self.lookups),
            route("/v1/triggers", "GET", self.triggers),
            route("/v1/triggers/{id}", "GET", self.trigger),
            route("/v1/triggers/{id}/sample", "GET", self.sample),
        ]

    async def connector(self, request: Request) -> Answer:
        """The connector's own manifest, and what there is."""
        about = self._connector.about
        return answer(
            {
                "ok": True,
                **{name: about[name] for name in ("id", "title", "description")},
                "version": __version__,
                "callbacks": True,
                "sandbox": self._state.sandboxed,
                "public_url": self._state.public_url,
                "actions": list(self._connector.actions),
                "lookups": list(self._connector.lookups),
                "triggers": list(self._connector.triggers),
            }
        )

    async def actions(self, request: Request) -> Answer:
        """All actions."""
        return answer({"ok": True, "actions": [summary(one) for one in self._connector.actions.values()]})

    async def lookups(self, request: Request) -> Answer:
        """All lookups."""
        return answer({"ok": True, "lookups": [summary(one) for one in self._connector.lookups.values()]})

    async def triggers(self, request: Request) -> Answer:
        """All triggers."""
        return answer({"ok": True, "triggers": [summary(one) for one in self._connector.triggers.values()]})

    async def action(self, request: Request) -> Answer:
        """One action's manifest, whole."""
        found = named(self._connector.action, request.path_params["id"])
        return answer({"ok": True, "manifest": found.raw})

    async def trigger(self, request: Request) -> Answer:
        """One trigger's manifest, whole."""
        found = named(self._connector.trigger, request.path_params["id"])
        return answer({"ok": True, "manifest": found.raw})

    async def sample(self, request: Request) -> Answer:
        """What a trigger gives a flow, for its builder; nobody is asked for it."""
        found = named(self._connector.trigger, request.path_params["id"])
        items = found.sample if isinstance(found.sample, list) else [found.sample]
        return answer({"ok": True, "items": items})
