"""The sandbox's world: all of its data and nothing else, so that it can be written down, read back and made by seed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from sandbox.banking.demo import AGENCY_ACCOUNTS, demo_banking
from sandbox.banking.state import BankingState
from sandbox.credits import DEMO_BALANCE, Credits
from sandbox.keys import ORGANIZATION, POOR_ORGANIZATION, ApiKey, demo_keys
from sandbox.ledger.demo import demo_ledger
from sandbox.ledger.state import LedgerState
from sandbox.limits import LimitSettings
from sandbox.mobility.demo import demo_mobility
from sandbox.mobility.state import MobilityState
from sandbox.timers import Timers


class Envelope(Struct, kw_only=True):
    """An event as it goes out."""

    event: str
    data: dict[str, Any]
    received_at: datetime


class Outgoing(Struct, kw_only=True):
    """An event on its way out of the world, and whose webhook URL it is for."""

    organization_id: str
    envelope: Envelope
    origin: Literal["world", "forged", "unknown"] = "world"


class Settings(Struct, kw_only=True):
    auto_payments: bool = False
    """New payments move on by the clock, without the control interface."""
    page_size: int | None = None
    realistic_durations: bool = False
    allow_loopback_webhooks: bool = False
    limits: LimitSettings = LimitSettings()


class World(Struct, kw_only=True):
    seed: int
    made_at: datetime
    saved_at: datetime
    """The sandbox's time when this was last written down."""
    keys: dict[str, ApiKey]
    credits: Credits
    settings: Settings
    timers: Timers
    outbox: list[Outgoing] = []
    """Events the world brought forth and the dispatcher has not taken yet."""
    banking: BankingState
    ledger: LedgerState
    mobility: MobilityState


def demo_world(seed: int, now: datetime) -> World:
    """Make the world of a small German company and its banks; the same seed and day make the same world."""
    timers = Timers()
    return World(
        seed=seed,
        made_at=now,
        saved_at=now,
        keys=demo_keys(AGENCY_ACCOUNTS),
        credits=Credits({ORGANIZATION: DEMO_BALANCE, POOR_ORGANIZATION: 0}),
        settings=Settings(),
        timers=timers,
        banking=demo_banking(seed, now, timers),
        ledger=demo_ledger(seed, now.date()),
        mobility=demo_mobility(seed, now.date()),
    )
