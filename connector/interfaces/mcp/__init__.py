"""The MCP server: every action as a tool, over stdio (`kontor mcp`) and HTTP (`/mcp` on the host).

Needs the extra `[mcp]`.
"""

from __future__ import annotations

from connector.interfaces.mcp.http import http_app
from connector.interfaces.mcp.server import build_server

__all__ = ["build_server", "http_app"]
