"""Checks whether the webhook URL that the service calls is still ours, and whether events arrive."""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sqlalchemy import Connection

from connector.core.data import localize
from connector.core.errors import KontorError
from connector.core.messages import say
from connector.durable.context import JobContext
from connector.durable.inbox.registration import current_url, lease_name, record_check, release_hook, trouble_of
from connector.durable.settings import WEBHOOK_CHECK_INTERVAL
from connector.durable.work import KeyedWork, hold_lease, notify_overdue, run_due
from connector.store.runs import payment_records
from connector.store.triggers import due_work, hooks, subscriptions
from connector.store.triggers.hooks import Hook

SILENT_AFTER = timedelta(minutes=20)
"""A payment that changes this much later than the last event is reported: events seem to be missing."""


class CheckWork(KeyedWork):
    """Checks of webhook URLs; a key is the id of a credential with a hook."""

    name = due_work.WEBHOOK_URLS
    most = 4

    async def work(self, key: str) -> int:
        """Check the credential's hook, if its last check is ten minutes old; return 1 if it was."""
        context, now = self.context, self.context.now()
        hook = await context.read(lambda connection: hooks.of_credential(connection, key))
        if hook is None or hook.state == "released" or _next_check(hook, now) > now:
            return 0
        return int(await _check(context, hook))

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when the hook's next check is due, unless it was released."""
        hook = hooks.of_credential(connection, key)
        return None if hook is None or hook.state == "released" else _next_check(hook, self.context.now())


async def check_due(context: JobContext, now: datetime) -> int:
    """Check all hooks that are due; return how many were checked."""
    await context.write(lambda connection: notify_overdue(connection, now, now))
    return await run_due(CheckWork(context))


def _next_check(hook: Hook, now: datetime) -> datetime:
    return now if hook.checked_at is None else hook.checked_at + WEBHOOK_CHECK_INTERVAL


async def _check(context: JobContext, hook: Hook) -> bool:
    async with hold_lease(context, lease_name(hook.credential_id)) as lease:
        unchanged = await context.read(lambda connection: hooks.by_token(connection, hook.token_digest)) == hook
        if lease is None or not unchanged:  # another host is checking it, or just has
            return False
        try:
            wanted = await context.read(lambda connection: subscriptions.active(connection, hook.credential_id))
            if not wanted:
                await release_hook(context, hook)
                return True
            session = await context.session(hook.credential_id)
            current = await current_url(session)
        except KontorError as error:
            await record_check(context, hook, hook.state, trouble_of(error.message, error.remedy))
            return True
        if current == context.vault.open(hook.sealed_url):
            await record_check(context, hook, "active", await _silence_warning(context, hook))
        else:
            host = urlsplit(current or "").hostname
            message = say("hub_drifted", host=host) if host else say("hub_cleared")
            await record_check(context, hook, "drifted", trouble_of(message, say("hub_drifted_remedy")))
        return True


async def _silence_warning(context: JobContext, hook: Hook) -> str | None:
    """Return a warning when payments change but no events arrive."""
    changed = await context.read(lambda connection: payment_records.last_change(connection, hook.credential_id))
    if changed is None or hook.heard_at is None or changed - hook.heard_at < SILENT_AFTER:
        return None
    since = localize.in_both(localize.date_time, hook.heard_at)
    return trouble_of(say("hub_silent", since=since), say("hub_silent_remedy"))
