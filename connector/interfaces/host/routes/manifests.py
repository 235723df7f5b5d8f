"""Routes that describe the connector and its manifests."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.interfaces.host.endpoint import route
from connector.interfaces.host.json_response import json_response
from connector.interfaces.host.manifest_summary import find_manifest, summary
from connector.interfaces.host.services import HostServices
from connector.version import __version__


class ManifestRoutes:
    """Returns manifests; never calls the service."""

    def __init__(self, services: HostServices) -> None:
        self._state = services.state
        self._connector = services.state.connector

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route("/v1/connector", "GET", self.connector, "viewer"),
            route("/v1/actions", "GET", self.actions, "viewer"),
            route("/v1/actions/{id}", "GET", self.action, "viewer"),
            route("/v1/lookups", "GET", self.lookups, "viewer"),
            route("/v1/triggers", "GET", self.triggers, "viewer"),
            route("/v1/triggers/{id}", "GET", self.trigger, "viewer"),
            route("/v1/triggers/{id}/sample", "GET", self.sample, "viewer"),
        ]

    async def connector(self, request: Request) -> Response:
        """Describe the connector and list the ids of its manifests."""
        about = self._connector.about
        return json_response(
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

    async def actions(self, request: Request) -> Response:
        """List all actions."""
        return json_response({"ok": True, "actions": [summary(one) for one in self._connector.actions.values()]})

    async def lookups(self, request: Request) -> Response:
        """List all lookups."""
        return json_response({"ok": True, "lookups": [summary(one) for one in self._connector.lookups.values()]})

    async def triggers(self, request: Request) -> Response:
        """List all triggers."""
        return json_response({"ok": True, "triggers": [summary(one) for one in self._connector.triggers.values()]})

    async def action(self, request: Request) -> Response:
        """Return the complete manifest of an action."""
        found = find_manifest(self._connector.action, request.path_params["id"])
        return json_response({"ok": True, "manifest": found.raw})

    async def trigger(self, request: Request) -> Response:
        """Return the complete manifest of a trigger."""
        found = find_manifest(self._connector.trigger, request.path_params["id"])
        return json_response({"ok": True, "manifest": found.raw})

    async def sample(self, request: Request) -> Response:
        """Return a trigger's sample items from its manifest."""
        found = find_manifest(self._connector.trigger, request.path_params["id"])
        items = found.sample if isinstance(found.sample, list) else [found.sample]
        return json_response({"ok": True, "items": items})
