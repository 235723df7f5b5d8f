"""The faces of Kontor: command line, HTTP host, console and MCP server."""
