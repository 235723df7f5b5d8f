"""Chooses the language of a response."""

from __future__ import annotations


def language_of(accept_language: str | None) -> str:
    """Return `de` if `Accept-Language` prefers German to English, else `en`."""
    if not accept_language:
        return "en"
    wanted: dict[str, float] = {}
    for part in accept_language.lower().split(",")[:20]:
        name, _, rest = part.strip().partition(";")
        code = name.strip().partition("-")[0]
        wanted[code] = max(wanted.get(code, 0.0), _weight(rest))
    german = wanted.get("de", 0.0)
    return "de" if german > wanted.get("en", 0.0) else "en"


def _weight(parameters: str) -> float:
    for parameter in parameters.split(";"):
        name, _, value = parameter.strip().partition("=")
        if name == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
