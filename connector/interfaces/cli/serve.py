"""`kontor serve`: runs the host with its console; with `--sandbox` also the simulated service."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from typing import TYPE_CHECKING

from connector.core.environment import VARIABLES
from connector.core.errors import InputError
from connector.core.messages import Text, say
from connector.interfaces.cli.language import language, localized
from connector.interfaces.cli.output import print_json
from connector.interfaces.cli.session import open_store

if TYPE_CHECKING:
    from connector.interfaces.host.start import PreparedHost

PROGRAM = "kontor serve"
PORTS = 65_536
NEEDED = ("uvicorn", "starlette", "httptools", "prometheus_client", "standardwebhooks")
LEVELS = VARIABLES["KONTOR_LOG"].values


def arguments(parser: argparse.ArgumentParser) -> None:
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


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        raise InputError(say("extra_missing", extra="host"), remedy=say("extra_missing_remedy", extra="host"))
    if not 0 <= options.port < PORTS:
        raise InputError(say("argument_out_of_range"), remedy=say("usage_remedy", command=PROGRAM), field="--port")
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
    """Print the URL to open, and the host token if it is new."""
    url = f"{host.url}/console?token={host.state.issue_login_token()}" if has_console else host.url
    if as_json:
        token = {"host_token": host.token.text} if host.token.is_new else {}
        print_json({"ok": True, "url": url, "base_url": host.url, "sandbox_url": host.state.sandbox_url, **token})
    else:
        print(localized("host_ready", url=url), flush=True)
        if host.token.is_new:
            print(localized("host_token_made", token=host.token.text), flush=True)
    sys.stdout.flush()
