"""`kontor worker`: does what workflows of Temporal hand out, on as many machines as wanted."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal

from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json
from connector.interfaces.cli.session import open_store


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor worker`: all is in the environment."""


def run(options: argparse.Namespace) -> int:
    """Work until Ctrl-C or SIGTERM."""
    from connector.interfaces.engine_choice import build_engine, required_address
    from connector.runtime.connector import Connector
    from connector.store.database import data_location
    from connector.store.key_check import open_vault

    address = required_address(os.environ)
    connector = Connector(separate_keys=True)
    try:
        open_store(connector)
        engine = build_engine(
            address,
            connector,
            open_vault(connector.database, data_location()),
            public_url=os.environ.get("KONTOR_PUBLIC_URL", "").rstrip("/") or None,
            allow_private_targets=os.environ.get("KONTOR_PRIVATE_TARGETS") == "allow",
        )

        async def work() -> None:
            loop = asyncio.get_running_loop()
            for sign in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(sign, lambda: asyncio.ensure_future(engine.stop()))
            if options.json:
                print_json({"ok": True, "engine": "temporal", "address": address})
            else:
                print(localized("worker_ready", address=address), flush=True)
            await engine.run()

        asyncio.run(work())
    finally:
        connector.close()
    return 0
