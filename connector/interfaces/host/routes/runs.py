"""Routes for runs: the writes and reads of the caller's workspace, and settling those whose outcome is unknown."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from connector.core.messages import say
from connector.interfaces import approving
from connector.interfaces.host.endpoint import actor_of, route
from connector.interfaces.host.errors import BadRequest
from connector.interfaces.host.json_response import json_response
from connector.interfaces.host.request_parsing import read_object, required
from connector.interfaces.host.services import HostServices
from connector.store.runs import KINDS, STATES, Run

FILTERS = ("state", "action", "key", "after", "kind")
PAGE_SIZE = 200


class RunRoutes:
    """Lists, shows and settles runs."""

    def __init__(self, services: HostServices) -> None:
        self._services = services

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            route("/v1/runs", "GET", self.listed, "viewer"),
            route("/v1/runs/{id}", "GET", self.one, "viewer"),
            route("/v1/runs/{id}/settle", "POST", self.settle, "operator"),
            route("/v1/runs/{id}/approve", "POST", self.approve, "approver"),
            route("/v1/runs/{id}/reject", "POST", self.reject, "approver"),
            route("/v1/approvals", "GET", self.waiting, "viewer"),
        ]

    async def listed(self, request: Request) -> Response:
        """List writes, or with `kind=read` reads, the oldest first; `after` continues behind an id."""
        unknown = [name for name in request.query_params if name not in FILTERS]
        if unknown:
            raise BadRequest(say("host_field_unknown", name=unknown[0][:64]), field=unknown[0][:64])
        filters = {name: value for name in FILTERS if (value := request.query_params.get(name))}
        if filters.get("state", "done") not in STATES:
            raise BadRequest(say("run_state_unknown", states=", ".join(STATES)), field="state")
        if filters.get("kind", "write") not in KINDS:
            raise BadRequest(say("run_kind_unknown", kinds=", ".join(KINDS)), field="kind")
        async with self._services.sessions.acquire(
            await self._services.caller(request), wait_for_slot=False
        ) as session:
            found = await session.runs(**filters, limit=PAGE_SIZE)
        return json_response({"ok": True, "runs": [one.as_dict() for one in found]})

    async def one(self, request: Request) -> Response:
        """Show one run."""
        async with self._services.sessions.acquire(
            await self._services.caller(request), wait_for_slot=False
        ) as session:
            found = await session.find_run(request.path_params["id"])
        return await self._shown(found)

    async def _shown(self, found: Run) -> Response:
        context = self._services.state.context
        shown = await context.read(lambda connection: approving.shown_run(context, connection, found))
        return json_response({"ok": True, "run": shown})

    async def settle(self, request: Request) -> Response:
        """Record whether an unknown run happened, and what becomes of the equal ones that wait for it."""
        body = await read_object(request, {"happened": bool, "note": str, "release": bool, "waiting": int})
        async with self._services.sessions.acquire(
            await self._services.caller(request), wait_for_slot=False
        ) as session:
            happened, note, actor = required(body, "happened"), body.get("note", ""), actor_of(request)
            about_waiting = {name: body[name] for name in ("release", "waiting") if name in body}
            found = await session.settle(request.path_params["id"], happened, note, actor, **about_waiting)
        self._services.state.context.wake()
        return await self._shown(found)

    async def approve(self, request: Request) -> Response:
        """Approve a run that waits: the host then sends it."""
        return await self._decide(request, approve=True)

    async def reject(self, request: Request) -> Response:
        """Reject a run that waits: it is not sent."""
        return await self._decide(request, approve=False)

    async def _decide(self, request: Request, *, approve: bool) -> Response:
        body = await read_object(request, {"why": str})
        actor, id = actor_of(request), request.path_params["id"]
        document = await approving.decide_run(
            self._services.state.context, actor, id, approve=approve, why=body.get("why", "")
        )
        return json_response(document)

    async def waiting(self, request: Request) -> Response:
        """List the runs that wait for approval."""
        workspace = request.query_params.get("workspace") or None
        return json_response(await approving.list_approvals(self._services.state.context, actor_of(request), workspace))
