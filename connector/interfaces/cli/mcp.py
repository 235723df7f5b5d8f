"""`kontor mcp`: every action as a tool for agents, on stdin and stdout."""

from __future__ import annotations

import argparse
import importlib.util
import os

from connector.core.errors import InputError
from connector.core.messages import say
from connector.interfaces.cli.language import language


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `kontor mcp` understands: nothing more than every command does."""


def run(options: argparse.Namespace) -> int:
    """Serves until stdin ends. The protocol has stdout to itself, `--json` or not."""
    if importlib.util.find_spec("mcp") is None:
        raise InputError(say("extra_missing", extra="mcp"), remedy=say("extra_missing_remedy", extra="mcp"))
    from connector.interfaces.mcp.stdio import serve
    from connector.runtime.connector import Connector

    connector = Connector()
    try:
        serve(connector, os.environ, language())
    finally:
        connector.close()
    return 0
