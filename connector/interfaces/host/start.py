"""Prepares a host from options and environment: token, store, engine and, if asked for, the sandbox."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from connector.core.errors import InputError
from connector.core.messages import Text, say
from connector.core.service import environment
from connector.core.service.credential import DEFAULT_QUELLE, Credential, is_loopback
from connector.core.service.wire import Wire
from connector.core.timing import Clock
from connector.durable.settings import Settings
from connector.interfaces.engine_choice import build_engine, temporal_address
from connector.interfaces.host.app import DEMO_KEY
from connector.interfaces.host.server import address_of, listen
from connector.interfaces.host_state import HostSettings, HostState
from connector.runtime.connector import Connector
from connector.store.database.files import data_location
from connector.store.people import people
from connector.store.trust.register_rows import open_sealed_vault
from connector.store.trust.vault import Vault

if TYPE_CHECKING:
    import socket

TOKEN_VARIABLE = "KONTOR_HOST_TOKEN"  # noqa: S105 (a name, not a token)
TOKEN_FILE = "host.token"  # noqa: S105
MIN_TOKEN_LENGTH = 32
"""The host token opens everything, so it must not be guessable."""
SANDBOX_PORT = 8320
SANDBOX_FILE = "sandbox.json"
ALLOW = "allow"
PROXIES_VARIABLE = "KONTOR_TRUSTED_PROXIES"


@dataclass(frozen=True, slots=True)
class HostToken:
    """The token and its origin."""

    text: str = field(repr=False)
    from_env: bool
    """Only a configured token allows the host to listen on other addresses than loopback."""
    is_new: bool = False
    """Whether it was generated just now and must be shown to its owner."""
    path: Path | None = None


def host_token(given_location: str | None = None, env: Mapping[str, str] = os.environ) -> HostToken:
    """Return `KONTOR_HOST_TOKEN`, or the token in the data folder, generating it if missing."""
    given = env.get(TOKEN_VARIABLE, "").strip()
    if given:
        if not given.isascii() or not given.isprintable() or " " in given:
            raise InputError(say("host_token_invalid"), remedy=say("host_token_invalid_remedy"), field=TOKEN_VARIABLE)
        if len(given) < MIN_TOKEN_LENGTH:
            message = say("host_token_short", length=len(given), least=MIN_TOKEN_LENGTH)
            raise InputError(message, remedy=say("host_token_short_remedy"), field=TOKEN_VARIABLE)
        return HostToken(given, from_env=True)
    location = given_location or data_location(env)
    folder = data_location({**env, "KONTOR_DATA": ""}) if "://" in location else location
    path = Path(folder).expanduser() / TOKEN_FILE
    is_new = not path.exists()
    if is_new:
        _generate(path)
    return HostToken(path.read_text(encoding="ascii").strip(), from_env=False, is_new=is_new, path=path)


def _generate(path: Path) -> None:
    """Create the file atomically, readable by its owner only; the first of two concurrent hosts wins."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{TOKEN_FILE}")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        Path(temporary).unlink()


@dataclass(frozen=True, slots=True)
class HostOptions:
    """Options of `kontor serve`."""

    host: str = "127.0.0.1"
    port: int = 8321
    sandbox: bool = False
    console: bool = True
    public_url: str = ""


@dataclass(frozen=True, slots=True)
class PreparedHost:
    """A host that is ready to be served."""

    state: HostState
    listening: socket.socket
    url: str
    token: HostToken


@contextmanager
def open_host(
    options: HostOptions,
    open_store: Callable[[Connector], object],
    env: Mapping[str, str] = os.environ,
    tell: Callable[[Text], None] = lambda _: None,
) -> Iterator[PreparedHost]:
    """Yield a prepared host and clean up afterwards; `open_store` raises if the store cannot be opened.

    `tell` hears what is being done. The token is made last: a start that fails must leave none that nobody was shown.
    """
    settings = _settings(options, env)
    if not env.get(TOKEN_VARIABLE, "").strip() and not is_loopback(options.host):
        raise InputError(say("host_needs_token"), remedy=say("host_needs_token_remedy"), field="--host")
    with ExitStack() as stack:
        location = _location(options, env, stack)
        listening = stack.enter_context(listen(options.host, options.port))
        url = address_of(listening)
        settings = replace(settings, port=listening.getsockname()[1])
        if options.sandbox:
            tell(say("serve_sandbox"))
        kept = bool(env.get("KONTOR_DATA", "").strip()) and "://" not in location
        sandbox_url = _sandbox(stack, location if kept else None) if options.sandbox else None
        if sandbox_url is not None:
            own = Credential(sandbox_url, DEMO_KEY, settings.quelle, settings.wire)
            settings = replace(settings, base_url=sandbox_url, own_credential=own)
        if options.sandbox and not env.get("KONTOR_DATA", "").strip():
            tell(say("serve_data_passing"))
        else:
            tell(say("serve_data", place=_shown(location)))
        connector = Connector(location, separate_keys=True)
        stack.callback(connector.close)
        open_store(connector)
        public_url = options.public_url.rstrip("/") or (url if options.sandbox else "")
        private = options.sandbox or env.get("KONTOR_PRIVATE_TARGETS") == ALLOW
        vault = open_sealed_vault(connector.database, location, env)
        people.take_over(connector.database, datetime.now(UTC))
        token = host_token(location, env)
        state = build_state(
            connector,
            vault,
            token.text,
            settings,
            public_url,
            sandbox_url,
            private_targets=private,
            temporal=temporal_address(env),
        )
        yield PreparedHost(state, listening, url, token)


def build_state(
    connector: Connector,
    vault: Vault,
    token: str,
    settings: HostSettings,
    public_url: str = "",
    sandbox_url: str | None = None,
    *,
    private_targets: bool = False,
    clock: Clock | None = None,
    engine_settings: Settings | None = None,
    temporal: str | None = None,
) -> HostState:
    """Build the state of a host; with the sandbox, loopback webhook URLs are allowed."""
    engine = build_engine(
        temporal,
        connector,
        vault,
        public_url=public_url or None,
        allow_private_targets=private_targets,
        allow_loopback_hooks=sandbox_url is not None,
        clock=clock,
        settings=engine_settings,
    )
    return HostState(
        connector, connector.database, vault, engine, engine.context, token, sandbox_url, public_url, settings
    )


def _location(options: HostOptions, env: Mapping[str, str], stack: ExitStack) -> str:
    """The data location; with the sandbox and no KONTOR_DATA, a temporary folder."""
    if options.sandbox and not env.get("KONTOR_DATA", "").strip():
        return stack.enter_context(tempfile.TemporaryDirectory(prefix="kontor-trial-"))
    return data_location(env)


def _settings(options: HostOptions, env: Mapping[str, str]) -> HostSettings:
    base_url = env.get("KONTOR_BASE_URL", "").strip()
    open_header = env.get("KONTOR_BASE_URL_HEADER") == ALLOW
    if not base_url and not options.sandbox and not open_header:
        raise InputError(say("base_url_missing"), remedy=say("host_base_url_remedy"), field="KONTOR_BASE_URL")
    own = None
    if not options.sandbox:
        with suppress(InputError):  # the host's own credential is optional
            own = Credential.from_env(env)
    return HostSettings(
        host=options.host,
        port=options.port,
        base_url=base_url,
        allow_base_url_header=open_header,
        quelle=env.get("KONTOR_QUELLE", "").strip() or DEFAULT_QUELLE,
        wire=Wire.load(env),
        own_credential=own,
        trusted_proxies=_trusted_proxies(env),
        console=options.console,
    )


def _trusted_proxies(env: Mapping[str, str]) -> str:
    """Return `KONTOR_TRUSTED_PROXIES`; raise for what is no address or network, or for all of them at once."""
    given = env.get(PROXIES_VARIABLE, "").replace(",", " ").split()
    for text in given:
        try:
            everybody = ip_network(text, strict=False).prefixlen == 0
        except ValueError:
            everybody = True
        if everybody:
            message = say("trusted_proxies_invalid", given=text[:80])
            raise InputError(message, remedy=say("trusted_proxies_remedy"), field=PROXIES_VARIABLE)
    return ",".join(given) or environment.default(PROXIES_VARIABLE)


def _shown(location: str) -> str:
    """A data location for people: a folder, or a database without its user and password."""
    if "://" not in location:
        return str(Path(location).expanduser())
    address = urlsplit(location)
    return f"{address.scheme.partition('+')[0]}://{address.hostname or ''}{address.path}"


def _sandbox(stack: ExitStack, folder: str | None) -> str:
    """Start the sandbox on its default port, or on a free one; its world is kept where the host's data are."""
    from connector.sandbox.server import SandboxServer

    data = Path(folder).expanduser() / SANDBOX_FILE if folder else None
    try:
        server = SandboxServer(port=SANDBOX_PORT, allow_loopback_webhooks=True, auto_payments=True, data=data)
    except OSError:
        server = SandboxServer(allow_loopback_webhooks=True, auto_payments=True, data=data)
    return stack.enter_context(server).url
