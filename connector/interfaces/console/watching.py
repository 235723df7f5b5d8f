"""Watching a trigger live: what has come since the last look, without a subscription and without an address.

An event trigger is watched at the hub's record of events, so nothing more is asked of the service than confirming
them. A poll trigger is polled as `kontor watch` does: a paid list only after a free sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from connector.core.manifest.model import Trigger
from connector.durable.inbox import registration
from connector.durable.inbox.envelope import read_envelope
from connector.durable.poller.cursor_names import cursor_name
from connector.durable.poller.one_shot import PollRequest, poll_once, poll_request
from connector.interfaces.console.desk import Desk
from connector.runtime import checks
from connector.store import events
from connector.store.events import Event

LATEST = 200
EVENT_SECONDS = 1.0
POLL_SECONDS = 15.0
"""Between looks at the service: live enough, and a third of the rate limit at most."""
KEEP_HOOK = timedelta(minutes=5)
"""How often the hub is told that somebody still listens; it gives the webhook URL back when nobody does."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that a watch has seen."""

    at: datetime
    id: str
    item: dict[str, Any]


class Watch:
    """One page's watch on one trigger."""

    def __init__(self, desk: Desk, trigger: Trigger, inputs: dict[str, Any]) -> None:
        self._desk, self._trigger, self._raw = desk, trigger, inputs
        self._inputs: dict[str, Any] = {}
        self._last_id = 0
        self._undecided: set[int] = set()
        self._what: PollRequest | None = None
        self._ensured: datetime | None = None

    @property
    def seconds(self) -> float:
        """How often to look."""
        return EVENT_SECONDS if self._trigger.source == "event" else POLL_SECONDS

    async def begin(self, *, takeover: bool = False) -> None:
        """Checks the inputs, and makes sure that what is watched comes here."""
        if self._trigger.source == "poll":
            work = await self._desk.poll_work()
            plain = poll_request(work, self._trigger.id, self._raw, "now", None)
            # A name of the console's own: watching moves no flow's cursor.
            own = f"console {plain.name.partition(':')[2]}"
            fingerprint = work.session.credential.fingerprint
            name = cursor_name(fingerprint, self._trigger.id, plain.inputs, own)
            self._what = PollRequest(plain.trigger, plain.inputs, plain.start, name)
            await poll_once(work, self._what, only_on_change=True)
            return
        self._inputs = self._desk.connector.inputs(self._trigger).clean(self._raw)
        checks.check(self._trigger, self._inputs)
        await self._listen(takeover=takeover)
        latest = await self._latest()
        self._last_id = max((event.id for event in latest), default=0)

    async def look(self) -> list[Seen]:
        """What has come since the last look, the oldest first."""
        now = self._desk.state.context.now()
        if self._what is not None:
            outcome = await poll_once(await self._desk.poll_work(), self._what, only_on_change=True)
            found = outcome.polled.items if outcome.polled else ()
            return [Seen(now, str(item.get("_id")), item) for item in found]
        if self._ensured is None or now - self._ensured > KEEP_HOOK:
            await self._listen(takeover=False)
        seen = []
        for event in reversed(await self._latest()):
            if event.id <= self._last_id and event.id not in self._undecided:
                continue
            self._last_id = max(self._last_id, event.id)
            self._undecided.discard(event.id)
            if event.state == "new":
                self._undecided.add(event.id)
            elif event.state in {"fired", "unknown"}:
                seen += self._passed(event)
        return seen

    def _passed(self, event: Event) -> list[Seen]:
        envelope = read_envelope(event.body)
        if self._trigger.events and envelope.event not in self._trigger.events:
            return []
        if self._trigger.event is None or not self._trigger.event.fires(envelope.event, envelope.data, self._inputs):
            return []
        return [Seen(event.arrived_at, event.event_id, {**envelope.data, "_event": envelope.event})]

    async def _listen(self, *, takeover: bool) -> None:
        context = self._desk.state.context
        await registration.ensure(context, await self._desk.credential_id(), takeover=takeover)
        self._ensured = context.now()

    async def _latest(self) -> list[Event]:
        credential_id = await self._desk.credential_id()
        return list(await self._desk.read(lambda connection: events.listed(connection, credential_id, LATEST)))
