"""MCP: every action as a tool for agents, over stdio (`kontor mcp`) and over HTTP (`/mcp` on the host).

Needs the extra `[mcp]`; nothing else in Kontor does.
"""

from __future__ import annotations

from connector.interfaces.mcp.http import http_app
from connector.interfaces.mcp.server import build_server

__all__ = ["build_server", "http_app"]
