"""Builds the MCP server: lists tools and resources from the manifests, and runs tool calls."""

from __future__ import annotations

from typing import Any

from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    InputRequiredResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplateReference,
)

from connector.core.messages import say
from connector.interfaces.mcp import manifest_resources
from connector.interfaces.mcp.confirmation import Confirmation
from connector.interfaces.mcp.run_tools import run_tools
from connector.interfaces.mcp.tool_calls import OpenSession, ToolCalls
from connector.interfaces.mcp.tools import all_tools
from connector.runtime.connector import Connector
from connector.version import __version__

Context = ServerRequestContext[Any, Any]
NAME = "kontor"


def build_server(
    connector: Connector, open_session: OpenSession, lang: str = "en", *, read_only: bool = False
) -> Server[Any]:
    """Build the server; `open_session` opens the session for a request. With `read_only` no tool changes anything."""
    calls = ToolCalls(connector, open_session, lang, read_only=read_only)

    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(
            tools=[*all_tools(connector, lang, read_only=read_only), *run_tools(lang, read_only=read_only)]
        )

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        confirmation = Confirmation(context, params, lang)
        progress = context.session.report_progress
        return await calls.call(params.name, params.arguments or {}, context.request, progress, confirmation)

    async def list_resources(context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=manifest_resources.resources(connector, lang))

    async def list_templates(context: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=manifest_resources.templates())

    async def read_resource(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        found = manifest_resources.read(connector, str(params.uri))
        if found is None:
            raise MCPError(code=INVALID_PARAMS, message=f"There is no resource {str(params.uri)[:200]!r}.")
        return found

    async def complete(context: Context, params: CompleteRequestParams) -> CompleteResult:
        found: list[str] = []
        if isinstance(params.ref, ResourceTemplateReference) and params.argument.name == "id":
            found = manifest_resources.completions(connector, params.ref.uri, params.argument.value)
        return CompleteResult(completion=Completion(values=found, total=len(found), has_more=False))

    return Server(
        NAME,
        version=__version__,
        title=connector.about["title"][lang],
        instructions=say("mcp_instructions").in_(lang),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_completion=complete,
    )
