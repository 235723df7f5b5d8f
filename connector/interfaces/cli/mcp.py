"""`kontor mcp`: runs the MCP server on stdin and stdout."""

from __future__ import annotations

import argparse
import importlib.util
import os

from connector.core.errors import InputError
from connector.core.messages import say
from connector.interfaces.cli.language import language, localized


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor mcp`."""
    parser.add_argument("--read-only", action="store_true", help=localized("help_mcp_read_only"))


def run(options: argparse.Namespace) -> int:
    """Serve until stdin ends; stdout carries only the protocol, even with `--json`."""
    if importlib.util.find_spec("mcp") is None:
        raise InputError(say("extra_missing", extra="mcp"), remedy=say("extra_missing_remedy", extra="mcp"))
    from connector.interfaces.mcp.stdio import serve
    from connector.runtime.connector import Connector

    connector = Connector()
    try:
        serve(connector, os.environ, language(), read_only=options.read_only)
    finally:
        connector.close()
    return 0
