"""What running an action needs, and what becomes of it where the database fails before it is sent, and afterwards."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from connector.client import Call, Sender
from connector.client.steps import Commit, Query, Steps
from connector.core.callers import Invoker
from connector.core.data.fields import LookupUse
from connector.core.manifest.model import Action
from connector.core.service.credential import Credential
from connector.core.timing import Clock
from connector.runtime.lookups import PickedRows
from connector.runtime.records.heartbeat import Heartbeat

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.manifest.inputs import Inputs
    from connector.core.writes.policy import Policy
    from connector.store.runs.runs import NewRun

T = TypeVar("T")
log = logging.getLogger("kontor.runs")


class SendingHost(Protocol):
    """A host, which can send a write later."""

    def keep_waiting(
        self, connection: Connection, credential: Credential, run: NewRun, callback_url: str | None
    ) -> str | None:
        """Keep what sending the run later needs; return the subscription that tells the caller, if one is wanted."""


RecordRead = Callable[[dict[str, Any], datetime, Literal["done", "refused"], dict[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionContext:
    """What running an action needs."""

    action: Action
    inputs: Inputs
    sender: Sender
    heartbeat: Heartbeat
    find_action: Callable[[str], Action]
    """Returns an action by id, for looking up a write."""
    check_budget: Callable[[Call], Steps[None]]
    """Raises when the budget does not allow the call."""
    workspace: Callable[[], Steps[str]]
    """Returns the workspace that the write belongs to."""
    policy: Callable[[str, bool], Steps[Policy]]
    """Returns the policy of a workspace; with True as it is now, else as it was moments ago."""
    moving_paths: Mapping[str, str]
    """What a write to each of these paths moves."""
    picks: PickedRows
    """The lists that dropdowns were filled from."""
    listed_values: Callable[[LookupUse, Mapping[str, Any], bool], Steps[frozenset[str]]]
    """Returns the values that a dropdown offers for the inputs of the form; with True those of this moment."""
    host: SendingHost | None = None
    """The host that sends later what is approved; None where this process is none."""
    invoker: Invoker = Invoker()  # noqa: RUF009 - it is frozen
    record_read: RecordRead | None = None
    """Records a read as a light run: its inputs, when it began, its state and its outcome; None: it is none."""

    @property
    def credential(self) -> Credential:
        """Under which it is run."""
        return self.sender.credential

    @property
    def clock(self) -> Clock:
        """By which it is timed."""
        return self.sender.clock


def before_sending(steps: Steps[T] | Commit | Query) -> Steps[Any]:
    """Carry out what precedes the sending: when the database fails, nothing was sent."""
    try:
        return (yield steps) if isinstance(steps, Commit | Query) else (yield from steps)
    except Exception as error:
        from connector.store.database.errors import DATABASE_ERRORS, store_down

        if isinstance(error, DATABASE_ERRORS):
            raise store_down(error) from error
        raise


def try_commit(change: Callable[[Connection], Any], *, durable: bool = True) -> Steps[Any]:
    """Commit a change if the database can, and return what it returns: whatever fails, the caller is told the same."""
    try:
        return (yield Commit(change, durable))
    except Exception as error:
        log.warning("what became of a write was not recorded: %s", type(error).__name__)
        return None
