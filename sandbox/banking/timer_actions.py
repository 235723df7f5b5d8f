"""Runs due timers of the banking area."""

from __future__ import annotations

from connector.sandbox.banking.lifecycle import end_consent
from connector.sandbox.banking.payment_states import FINAL, next_status, set_status
from connector.sandbox.clock import Timer
from connector.sandbox.world import World


def run_timer(world: World, timer: Timer) -> None:
    """Run the action of a timer, unless it no longer applies."""
    if timer.kind == "payment_step":
        payment = world.banking.payments.get(timer.subject)
        if payment is not None and payment.status not in FINAL:
            set_status(world, payment, next_status(payment), timer.at)
        return
    bank = world.banking.connections.get(timer.subject)
    if bank is None:
        return
    if timer.kind == "connect_cleanup" and bank.status == "pending_connect":
        del world.banking.connections[bank.id]
    elif timer.kind == "consent_end" and bank.status == "active" and bank.consent_expires_at == timer.at:
        end_consent(world, bank, timer.at)
