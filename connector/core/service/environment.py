"""The environment variables that Kontor reads: all of them, by what they are for. Their meanings are messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from connector.core.messages import LANGUAGES, Text, say


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable."""

    name: str
    group: str
    """For whom it is: everybody who calls the `service`, a `host`, a `caller` of a host, or the `machine`."""
    default: str = ""
    """What holds where it is not set; empty where nothing does."""
    secret: bool = False
    values: tuple[str, ...] = ()
    """The values that it takes; empty where it takes any."""

    @property
    def meaning(self) -> Text:
        """What it says, in one sentence."""
        return say(f"variable_{self.name.lower()}", values=", ".join(self.values))

    def as_dict(self, lang: str) -> dict[str, Any]:
        """Return it as JSON documents carry it."""
        return {
            "name": self.name,
            "group": self.group,
            "default": self.default,
            "secret": self.secret,
            "values": list(self.values),
            "meaning": self.meaning.in_(lang),
        }


GROUPS = ("service", "host", "caller", "machine")
VARIABLES = {
    variable.name: variable
    for variable in (
        Variable("KONTOR_BASE_URL", "service"),
        Variable("KONTOR_API_KEY", "service", secret=True),
        Variable("KONTOR_QUELLE", "service", "kontor"),
        Variable("KONTOR_LANG", "service", "en", values=LANGUAGES),
        Variable("KONTOR_DATA", "service", "~/.local/share/kontor"),
        Variable("KONTOR_WORKSPACE", "service", "default"),
        Variable("KONTOR_MANIFESTS", "service"),
        Variable("KONTOR_WIRE", "service"),
        Variable("KONTOR_PUBLISHER", "service"),
        Variable("KONTOR_READ_BACK_DAYS", "service", "35"),
        Variable("KONTOR_HOST_TOKEN", "host", secret=True),
        Variable("KONTOR_PUBLIC_URL", "host"),
        Variable("KONTOR_DATA_KEY", "host", secret=True),
        Variable("KONTOR_PRIVATE_TARGETS", "host", values=("allow",)),
        Variable("KONTOR_TRUSTED_PROXIES", "host", "127.0.0.1,::1"),
        Variable("KONTOR_BASE_URL_HEADER", "host", values=("allow",)),
        Variable("KONTOR_ENGINE", "host", "embedded", values=("embedded", "temporal")),
        Variable("KONTOR_TEMPORAL", "host"),
        Variable("KONTOR_LOG", "host", "info", values=("debug", "info", "warning", "error")),
        Variable("KONTOR_HOST_URL", "caller"),
        Variable("NO_COLOR", "machine"),
        Variable("XDG_DATA_HOME", "machine", "~/.local/share"),
        Variable("XDG_CACHE_HOME", "machine", "~/.cache"),
        Variable("HTTPS_PROXY", "machine"),
        Variable("NO_PROXY", "machine"),
        Variable("SSL_CERT_FILE", "machine"),
    )
}


def default(name: str) -> str:
    """Return what holds where a variable is not set."""
    return VARIABLES[name].default
