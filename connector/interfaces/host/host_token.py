"""The host token: from the environment, or generated at the first start and stored in the data folder."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from connector.core.errors import InputError
from connector.core.messages import say
from connector.store.database import data_location as default_location

VARIABLE = "KONTOR_HOST_TOKEN"
FILE = "host.token"
MIN_LENGTH = 32
"""The host token opens everything, so it must not be guessable."""


@dataclass(frozen=True, slots=True)
class HostToken:
    """The token and its origin."""

    text: str = field(repr=False)
    from_env: bool
    """Only a configured token allows the host to listen on other addresses than loopback."""
    is_new: bool = False
    """Whether it was generated just now and must be shown to its owner."""
    path: Path | None = None


def host_token(data_location: str | None = None, env: Mapping[str, str] = os.environ) -> HostToken:
    """Return `KONTOR_HOST_TOKEN`, or the token in the data folder, generating it if missing."""
    given = env.get(VARIABLE, "").strip()
    if given:
        if not given.isascii() or not given.isprintable() or " " in given:
            raise InputError(say("host_token_invalid"), remedy=say("host_token_invalid_remedy"), field=VARIABLE)
        if len(given) < MIN_LENGTH:
            message = say("host_token_short", length=len(given), least=MIN_LENGTH)
            raise InputError(message, remedy=say("host_token_short_remedy"), field=VARIABLE)
        return HostToken(given, from_env=True)
    location = data_location or default_location(env)
    folder = default_location({**env, "KONTOR_DATA": ""}) if "://" in location else location
    path = Path(folder).expanduser() / FILE
    is_new = not path.exists()
    if is_new:
        _generate(path)
    return HostToken(path.read_text(encoding="ascii").strip(), from_env=False, is_new=is_new, path=path)


def _generate(path: Path) -> None:
    """Create the file atomically, readable by its owner only; the first of two concurrent hosts wins."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{FILE}")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        Path(temporary).unlink()
