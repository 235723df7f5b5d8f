"""Credits, spent in two phases: reserved before a call, confirmed after success, expired after failure."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from sandbox import assumptions
from sandbox.errors import ServiceError

DEMO_BALANCE = 1000


class Reservation(Struct, frozen=True):
    organization_id: str
    credits: int
    opened_at: datetime


class Credits(Struct):
    balances: dict[str, int]
    """By organisation; confirmed charges are already taken off, open reservations are not."""
    reservations: dict[str, Reservation] = {}
    next_reservation: int = 1

    def balance(self, organization_id: str) -> int:
        return self.balances.get(organization_id, 0)

    def available(self, organization_id: str) -> int:
        held = sum(open_.credits for open_ in self.reservations.values() if open_.organization_id == organization_id)
        return self.balance(organization_id) - held

    def reserve(self, organization_id: str, credits: int, now: datetime) -> str:
        """Set credits aside and return the reservation's id, or refuse the call when too few are left."""
        available = self.available(organization_id)
        if available < credits:
            raise ServiceError(
                assumptions.NO_CREDITS_STATUS, f"Not enough credits: {credits} needed, {available} available."
            )
        reservation_id = f"reservation-{self.next_reservation}"
        self.next_reservation += 1
        self.reservations[reservation_id] = Reservation(organization_id, credits, now)
        return reservation_id

    def confirm(self, reservation_id: str) -> int:
        """Charge a reservation and return what it charged; one that is closed already charges nothing."""
        reservation = self.reservations.pop(reservation_id, None)
        if reservation is None:
            return 0
        self.balances[reservation.organization_id] = self.balance(reservation.organization_id) - reservation.credits
        return reservation.credits

    def expire(self, reservation_id: str) -> None:
        """Give a reservation back."""
        self.reservations.pop(reservation_id, None)
