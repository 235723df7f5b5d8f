"""`kontor sandbox`: runs the simulated service."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

from connector.core.errors import InputError
from connector.core.messages import say
from connector.interfaces.cli.language import localized
from connector.interfaces.cli.output import print_json

PROGRAM = "kontor sandbox"
KEY = "sandbox-key"
PORTS = 65_536
MAX_SPEED = 1e6


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor sandbox`."""
    parser.add_argument(
        "--host", default="127.0.0.1", metavar=localized("metavar_address"), help=localized("help_sandbox_host")
    )
    parser.add_argument("--port", type=int, default=8320, metavar="N", help=localized("help_sandbox_port"))
    parser.add_argument("--seed", type=int, default=1, metavar="N", help=localized("help_sandbox_seed"))
    parser.add_argument("--data", type=Path, metavar=localized("metavar_file"), help=localized("help_sandbox_data"))
    parser.add_argument("--speed", type=float, default=1.0, metavar="N", help=localized("help_sandbox_speed"))
    parser.add_argument("--allow-loopback-webhooks", action="store_true", help=localized("help_sandbox_loopback"))
    parser.add_argument("--auto-payments", action="store_true", help=localized("help_sandbox_auto_payments"))


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    if importlib.util.find_spec("uvicorn") is None or importlib.util.find_spec("starlette") is None:
        raise InputError(say("extra_missing", extra="sandbox"), remedy=say("extra_missing_remedy", extra="sandbox"))
    for name, is_valid in (("--port", 0 <= options.port < PORTS), ("--speed", 0 <= options.speed <= MAX_SPEED)):
        if not is_valid:
            raise InputError(say("argument_out_of_range"), remedy=say("usage_remedy", command=PROGRAM), field=name)
    from connector.sandbox.server import serve

    def on_ready(url: str) -> None:
        if options.json:
            print_json({"ok": True, "url": url, "api_key": KEY})
        else:
            print(localized("sandbox_ready", url=url, key=KEY), flush=True)

    try:
        serve(
            host=options.host,
            port=options.port,
            seed=options.seed,
            data=options.data,
            speed=options.speed,
            allow_loopback_webhooks=options.allow_loopback_webhooks,
            auto_payments=options.auto_payments,
            on_ready=on_ready,
        )
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(
            say("port_taken", port=options.port, why=why), remedy=say("port_taken_remedy"), field="--port"
        ) from None
    return 0
