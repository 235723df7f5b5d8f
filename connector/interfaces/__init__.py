"""The user interfaces of Kontor: command line, HTTP host, web console and MCP server."""
