"""Run by an interpreter that has the 1.x package: talks to the server over both transports, and prints what it got."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def talk(session: ClientSession) -> dict:
    started = await session.initialize()
    tools = (await session.list_tools()).tools
    accounts = await session.call_tool("list_bank_accounts", {})
    refused = await session.call_tool("initiate_payment", {"account_id": "8101"})
    resource = await session.read_resource("kontor://actions/get_payment")
    return {
        "protocol": started.protocolVersion,
        "tools": [tool.name for tool in tools],
        "read_only": {tool.name: tool.annotations.readOnlyHint for tool in tools},
        "accounts": json.loads(accounts.content[0].text),
        "refused": refused.isError,
        "resource": json.loads(resource.contents[0].text)["id"],
    }


async def main(transport: str, target: str) -> None:
    if transport == "stdio":
        server = StdioServerParameters(command=target, args=["mcp"], env=dict(os.environ))
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            sys.stdout.write(json.dumps(await talk(session)))
    else:
        headers = {"x-api-key": "sandbox-key"}
        async with (
            streamablehttp_client(target, headers=headers) as (read, write, _),
            ClientSession(read, write) as session,
        ):
            sys.stdout.write(json.dumps(await talk(session)))


asyncio.run(main(*sys.argv[1:]))
