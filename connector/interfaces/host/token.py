"""The host token: given in the environment, or made at the first start and kept in the data folder."""

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
from connector.store.database import data_location as usual_location

VARIABLE = "KONTOR_HOST_TOKEN"
FILE = "host.token"


@dataclass(frozen=True, slots=True)
class HostToken:
    """The token, and where it comes from."""

    text: str = field(repr=False)
    given: bool
    """Somebody has chosen it: only then may the host be reached from other machines."""
    made: bool = False
    """It was made just now, so its owner has not seen it yet."""
    path: Path | None = None


def host_token(data_location: str | None = None, env: Mapping[str, str] = os.environ) -> HostToken:
    """`KONTOR_HOST_TOKEN`, or the token in the data folder, which is made if there is none."""
    given = env.get(VARIABLE, "").strip()
    if given:
        if not given.isascii() or not given.isprintable() or " " in given:
            raise InputError(say("host_token_invalid"), remedy=say("host_token_invalid_remedy"), field=VARIABLE)
        return HostToken(given, given=True)
    location = data_location or usual_location(env)
    folder = usual_location({**env, "KONTOR_DATA": ""}) if "://" in location else location
    path = Path(folder).expanduser() / FILE
    made = not path.exists()
    if made:
        _make(path)
    return HostToken(path.read_text(encoding="ascii").strip(), given=False, made=made, path=path)


def _make(path: Path) -> None:
    """Makes the file whole or not at all, readable by its owner only; of two hosts at once, both use the first's."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{FILE}")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(aside, path)
    finally:
        Path(aside).unlink()
