"""Names of cursors: the key's fingerprint, then a given name or one derived from trigger and inputs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.values import json

MAX_NAME_CHARACTERS = 200


def cursor_name(fingerprint: str, trigger_id: str, inputs: Mapping[str, Any], name: str | None = None) -> str:
    """Return the cursor's name. `inputs` are converted; equal inputs of one trigger give equal names."""
    if name is None:
        plain = json.encode({key: inputs[key] for key in sorted(inputs)})
        return f"{fingerprint}:{trigger_id}-{hashlib.sha256(plain).hexdigest()[:10]}"
    if not 0 < len(name.strip()) <= len(name) <= MAX_NAME_CHARACTERS or not name.isprintable():
        raise InputError(say("cursor_name_invalid", most=MAX_NAME_CHARACTERS), field="name")
    return f"{fingerprint}:{name}"
