"""Which changes of a policy loosen it, so that a second person may have to approve them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from connector.core.writes.policy import Policy


def _higher(before: Any, after: Any) -> bool:
    """A limit that is not set is the highest."""
    return before is not None and (after is None or after > before)


def _lower(before: Any, after: Any) -> bool:
    return bool(after < before)


def _added(before: Any, after: Any) -> bool:
    return bool(set(after) - set(before))


def _becomes(loose: Any) -> Callable[[Any, Any], bool]:
    return lambda before, after: after == loose != before


_LOOSENS: Mapping[str, Callable[[Any, Any], bool]] = {
    "most_each": _higher,
    "most_per_day": _higher,
    "most_per_payee": _higher,
    "approve_above": _higher,
    "approval_hours": _higher,
    "payees": _becomes("any"),
    "known_payees": _added,
    "changed_payees": _becomes("warn"),
    "key_required": _becomes(False),
    "agents": _added,
    "undeclared_paths": _becomes(True),
    "repeat_minutes": _lower,
    "keep_writes_days": _lower,
    "loosen": _becomes("alone"),
}
"""By setting, whether its new value allows more than the one before; the others only say how long reads are kept."""


def loosened(before: Policy, after: Policy) -> tuple[str, ...]:
    """Return the settings that allow more than before."""
    return tuple(name for name, loosens in _LOOSENS.items() if loosens(getattr(before, name), getattr(after, name)))
