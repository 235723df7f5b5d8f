"""`kontor serve`, `worker`, `sandbox` and `mcp`: what runs until it is stopped."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import signal
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from connector.core.errors import InputError
from connector.core.messages import Text, say
from connector.core.service.environment import VARIABLES
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json
from connector.interfaces.cli.session import open_store

if TYPE_CHECKING:
    from connector.interfaces.host.start import PreparedHost

SERVE_PROGRAM = "kontor serve"
PORTS = 65_536
NEEDED = ("uvicorn", "starlette", "httptools", "prometheus_client", "standardwebhooks")
LEVELS = VARIABLES["KONTOR_LOG"].values
SANDBOX_PROGRAM = "kontor sandbox"
SANDBOX_KEY = "sandbox-key"
MAX_SPEED = 1e6


def serve_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor serve`."""
    parser.add_argument("--sandbox", action="store_true", help=localized("help_serve_sandbox"))
    parser.add_argument(
        "--host", default="127.0.0.1", metavar=localized("metavar_address"), help=localized("help_sandbox_host")
    )
    parser.add_argument("--port", type=int, default=8321, metavar="N", help=localized("help_serve_port"))
    parser.add_argument("--no-console", action="store_true", help=localized("help_serve_no_console"))
    parser.add_argument(
        "--public-url",
        default=os.environ.get("KONTOR_PUBLIC_URL", ""),
        metavar="URL",
        help=localized("help_serve_public"),
    )


def serve_command(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        raise InputError(say("extra_missing", extra="host"), remedy=say("extra_missing_remedy", extra="host"))
    if not 0 <= options.port < PORTS:
        raise InputError(
            say("argument_out_of_range"), remedy=say("usage_remedy", command=SERVE_PROGRAM), field="--port"
        )
    tell = _silent if options.json else _print_progress
    tell(say("serve_begins"))
    from connector.interfaces.host import logs
    from connector.interfaces.host.app import build
    from connector.interfaces.host.server import HostServer
    from connector.interfaces.host.start import HostOptions, open_host

    host_options = HostOptions(
        options.host, options.port, options.sandbox, console=not options.no_console, public_url=options.public_url
    )
    try:
        with open_host(host_options, open_store, tell=tell) as host:
            own = host.state.settings.own_credential
            logs.configure(_log_level(), [host.token.text, own.api_key if own else ""])
            tell(say("serve_console" if host_options.console else "serve_routes"))
            app = build(host.state)
            has_console = app.console_path is not None

            def on_ready() -> None:
                _print_address(host, has_console=has_console, as_json=options.json)

            tell(say("serve_engine"))
            HostServer(app, host.state, on_ready).run([host.listening])
    except OSError as error:
        why = error.strerror or str(error)
        message, remedy = say("port_taken", port=options.port, why=why), say("port_taken_remedy")
        raise InputError(message, remedy=remedy, field="--port") from None
    return 0


def _print_progress(doing: Text) -> None:
    print(doing.in_(language()), flush=True)


def _silent(_: Text) -> None:
    """With `--json` one document is printed, and nothing else."""


def _log_level() -> str:
    """Return `KONTOR_LOG`; the default is `info`, or `warning` on a terminal."""
    given = os.environ.get("KONTOR_LOG", "").strip().lower()
    default = "warning" if sys.stderr.isatty() else "info"
    return given if given in LEVELS else default


def _print_address(host: PreparedHost, *, has_console: bool, as_json: bool) -> None:
    """Print the URL to open, and where nobody keeps what is printed, what signs in: a link and a new host token."""
    is_kept = _is_file(sys.stdout) if as_json else not sys.stdout.isatty()
    url = f"{host.url}/console" if has_console else host.url
    if has_console and not is_kept:
        url += f"?token={host.state.issue_login_token()}"
    path = None if host.token.path is None else str(host.token.path)
    if as_json:
        token = {"host_token": host.token.text} if host.token.is_new and not is_kept else {}
        token |= {"token_file": path} if is_kept and path is not None else {}
        print_json({"ok": True, "url": url, "base_url": host.url, "sandbox_url": host.state.sandbox_url, **token})
    else:
        print(localized("host_ready", url=url), flush=True)
        if is_kept:
            print(localized("host_token_set" if path is None else "host_token_kept", path=path), flush=True)
        elif host.token.is_new:
            print(localized("host_token_made", token=host.token.text), flush=True)
    sys.stdout.flush()


def _is_file(stream: TextIO) -> bool:
    """Whether what is printed goes to a file; a program that reads it from a pipe has asked for it."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # it is no file of the system
        return False


def worker_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor worker`: all is in the environment."""


def worker_command(options: argparse.Namespace) -> int:
    """Work until Ctrl-C or SIGTERM."""
    from connector.interfaces.engine_choice import build_engine, required_address
    from connector.runtime.connector import Connector
    from connector.store.database.files import data_location
    from connector.store.trust.register_rows import open_sealed_vault

    address = required_address(os.environ)
    connector = Connector(separate_keys=True)
    try:
        open_store(connector)
        engine = build_engine(
            address,
            connector,
            open_sealed_vault(connector.database, data_location()),
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


def sandbox_arguments(parser: argparse.ArgumentParser) -> None:
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


def sandbox_command(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    if importlib.util.find_spec("uvicorn") is None or importlib.util.find_spec("starlette") is None:
        raise InputError(say("extra_missing", extra="sandbox"), remedy=say("extra_missing_remedy", extra="sandbox"))
    for name, is_valid in (("--port", 0 <= options.port < PORTS), ("--speed", 0 <= options.speed <= MAX_SPEED)):
        if not is_valid:
            raise InputError(
                say("argument_out_of_range"), remedy=say("usage_remedy", command=SANDBOX_PROGRAM), field=name
            )
    from connector.sandbox.server import serve

    def on_ready(url: str) -> None:
        if options.json:
            print_json({"ok": True, "url": url, "api_key": SANDBOX_KEY})
        else:
            print(localized("sandbox_ready", url=url, key=SANDBOX_KEY), flush=True)

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


def mcp_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kontor mcp`."""
    parser.add_argument("--read-only", action="store_true", help=localized("help_mcp_read_only"))


def mcp_command(options: argparse.Namespace) -> int:
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
