"""Credits: reserved before a call, confirmed after success, expired after failure."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from connector.sandbox import assumptions
from connector.sandbox.traffic.http_messages import ServiceError

DEMO_BALANCE = 1000


class Reservation(Struct, frozen=True):
    organization_id: str
    credits: int
    opened_at: datetime


class Credits(Struct):
    balances: dict[str, int]
    """By organisation, without open reservations."""
    reservations: dict[str, Reservation] = {}
    next_reservation: int = 1

    def balance(self, organization_id: str) -> int:
        return self.balances.get(organization_id, 0)

    def available(self, organization_id: str) -> int:
        held = sum(open_.credits for open_ in self.reservations.values() if open_.organization_id == organization_id)
        return self.balance(organization_id) - held

    def reserve(self, organization_id: str, credits: int, now: datetime) -> str:
        """Reserve credits and return the reservation's id, or raise if too few are available."""
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
        """Charge a reservation and return the amount; 0 if it is already closed."""
        reservation = self.reservations.pop(reservation_id, None)
        if reservation is None:
            return 0
        self.balances[reservation.organization_id] = self.balance(reservation.organization_id) - reservation.credits
        return reservation.credits

    def expire(self, reservation_id: str) -> None:
        """Release a reservation."""
        self.reservations.pop(reservation_id, None)
