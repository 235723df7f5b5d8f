"""Asks now and then how the bank connections and accounts of a key stand, at no cost, and keeps what is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from connector.core.errors import KontorError, NotFound
from connector.durable.banks import BANK, save_bank, watching_triggers
from connector.durable.poller import group_poll
from connector.durable.settings import BANK_CHECK_INTERVAL
from connector.durable.work import KeyedWork
from connector.runtime.session import KONTOR, AsyncSession
from connector.store.database import leases
from connector.store.triggers import bank_connections, bank_states, due_work, subscriptions
from connector.store.trust import credentials

if TYPE_CHECKING:
    from connector.durable.context import JobContext

MAX_BANKS = 12
"""Bank connections that one check asks for; those that were seen longest ago come first, and the rest soon after."""
SOON = timedelta(minutes=1)
FRESH = timedelta(minutes=2)
"""What was seen within this time is not asked for again because somebody opens a page."""
KEPT_OF_ACCOUNTS = ("name", "updated_at")


class BankStateWork(KeyedWork):
    """Checks of bank connections and accounts; a key is a credential's id."""

    name = due_work.BANK_STATES
    most = 4

    async def work(self, key: str) -> int:
        """Ask for the bank connections of a credential, once in the interval; return how many were asked for."""
        context, now = self.context, self.context.now()

        def is_due(connection: Connection) -> bool:
            credential = credentials.find(connection, None, key)
            usable = credential is not None and credential.revoked_at is None
            return usable and leases.claim_timer(connection, _timer(key), BANK_CHECK_INTERVAL, now)

        return await check_banks(context, key) if await context.write(is_due) else 0

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when to ask again; never for a key without bank connections and accounts."""
        known = any(bank_states.listed(connection, key, kind) for kind in ("connection", "account"))
        credential = credentials.find(connection, None, key)
        if not known or credential is None or credential.revoked_at is not None:
            return None
        return leases.timer_of(connection, _timer(key))


def _timer(credential_id: str) -> str:
    """Return the name of the timer by which hosts keep the interval."""
    return f"banks:{credential_id}"


def seen_lately(connection: Connection, credential_id: str, now: datetime, within: timedelta = FRESH) -> bool:
    """Whether a host has asked how the banks stand within that time."""
    planned = leases.timer_of(connection, _timer(credential_id))
    return planned is not None and now < planned and now - (planned - BANK_CHECK_INTERVAL) < within


def ask_soon(connection: Connection, credential_id: str, now: datetime) -> None:
    """Let a host ask at once how the banks stand."""
    leases.set_timer(connection, _timer(credential_id), now)
    due_work.schedule(connection, due_work.BANK_STATES, credential_id, now)


async def check_banks(context: JobContext, credential_id: str) -> int:
    """Ask for all accounts and for bank connections, as far as the rate window allows, and keep what is shown."""
    now = context.now()
    try:
        session = await context.session(credential_id)
        accounts = await _accounts(session, None)
        ids, left = await _to_ask(context, session, credential_id)
        shown: dict[str, Mapping[str, Any] | None] = {id: await _shown(session, id) for id in ids}
        owners = await _owners(context, session, credential_id, accounts, [id for id in ids if shown[id] is not None])
    except KontorError:
        return 0  # the next check finds it; polls of the credential show the error

    def keep(connection: Connection) -> None:
        for id, connection_shown in shown.items():
            if connection_shown is None:
                bank_states.forget(connection, credential_id, "connection", [id])
            else:
                save_bank(connection, context.connector, credential_id, id, connection_shown, now)
        for row in accounts:
            fields = {name: row[name] for name in KEPT_OF_ACCOUNTS if name in row}
            fields[BANK] = owners.get(str(row["id"]))
            bank_states.save(connection, credential_id, "account", str(row["id"]), fields, "", now)
        former = {state.id for state in bank_states.listed(connection, credential_id, "account")}
        gone = former - {str(row["id"]) for row in accounts}
        bank_states.forget(connection, credential_id, "account", sorted(gone))
        if left:
            leases.set_timer(connection, _timer(credential_id), now + SOON)

    await context.write(keep)
    return len(shown)


async def _owners(
    context: JobContext,
    session: AsyncSession,
    credential_id: str,
    accounts: Sequence[Mapping[str, Any]],
    banks: Sequence[str],
) -> dict[str, str]:
    """Return the bank connections of accounts; one that is known is not asked for again, since accounts never move."""
    former = await context.read(lambda store: bank_states.listed(store, credential_id, "account"))
    owners = {account.id: str(account.shown[BANK]) for account in former if account.shown.get(BANK)}
    for bank in banks:
        if bank not in owners.values() and any(str(row["id"]) not in owners for row in accounts):
            owners |= {str(row["id"]): bank for row in await _accounts(session, bank)}
    return owners


async def _to_ask(context: JobContext, session: AsyncSession, credential_id: str) -> tuple[list[str], bool]:
    """Return the bank connections to ask for, those never seen first, and whether some are left for later."""
    window = session.state.governor.snapshot(session.clock.monotonic())
    most = max(0, min(MAX_BANKS, window.remaining - window.limit // 2))
    connector = context.connector
    name = next((trigger.each.input for trigger, _ in watching_triggers(connector) if trigger.each is not None), "")
    options = await session.options(connector.roles["bank_connection_options"], {})
    work = context.poll_context(session)
    last_check = context.now() - BANK_CHECK_INTERVAL + SOON

    def read(connection: Connection) -> tuple[list[str], bool]:
        workspace = credentials.workspace_of(connection, credential_id)
        seen = {state.id: state.seen_at for state in bank_states.listed(connection, credential_id, "connection")}
        named = (subscription.inputs.get(name) for subscription in subscriptions.active(connection, credential_id))
        known = dict.fromkeys(
            [
                *(option.value for option in options),
                *group_poll.known_here(connection, work, workspace, name),
                *bank_connections.known(connection, credential_id),
                *(str(id) for id in named if id),
                *seen,
            ]
        )
        never = [id for id in known if id not in seen]
        asked = [*never, *sorted((id for id in known if id in seen), key=lambda id: seen[id])]
        return asked[:most], any(id not in seen or seen[id] < last_check for id in asked[most:])

    return await context.read(read)


async def _shown(session: AsyncSession, id: str) -> Mapping[str, Any] | None:
    """Return what the service shows of a bank connection; None when it is no longer there."""
    with suppress(NotFound):
        output = (await session.invoke(session.id_for("bank_connection"), {"id": id}, invoker=KONTOR)).output
        return output if isinstance(output, Mapping) else None
    return None


async def _accounts(session: AsyncSession, bank: str | None) -> Sequence[Mapping[str, Any]]:
    inputs = {"connection_id": bank} if bank is not None else {}
    output = (await session.invoke(session.id_for("account_list"), inputs, invoker=KONTOR)).output
    return [row for row in output["items"] if isinstance(row, Mapping) and row.get("id")]
