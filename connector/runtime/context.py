"""What running an action needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from connector.core.client import Call
from connector.core.clock import Clock
from connector.core.credential import Credential
from connector.core.manifest.model import Action
from connector.core.roles import Actor
from connector.runtime.heartbeat import Heartbeat
from connector.runtime.picks import PickedRows
from connector.runtime.steps import Steps

if TYPE_CHECKING:
    from connector.core.manifest.inputs import Inputs


@dataclass(frozen=True, slots=True)
class ActionContext:
    """What running an action needs."""

    action: Action
    inputs: Inputs
    credential: Credential
    clock: Clock
    heartbeat: Heartbeat
    find_action: Callable[[str], Action]
    """Returns an action by id, for looking up a write."""
    check_budget: Callable[[Call], Steps[None]]
    """Raises when the budget does not allow the call."""
    workspace: Callable[[], Steps[str]]
    """Returns the workspace that the write belongs to."""
    moving_paths: Mapping[str, str]
    """What a write to each of these paths moves."""
    picks: PickedRows
    """The lists that dropdowns were filled from."""
    actor: Actor | None = None
    """Who runs it; None: whoever uses Kontor alone."""
