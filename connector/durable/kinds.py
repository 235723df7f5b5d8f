"""All kinds of work that a host does."""

from __future__ import annotations

from connector.durable.alerting import AlertWork
from connector.durable.audit_sealing import SealWork
from connector.durable.housekeeping import HousekeepingWork
from connector.durable.inbox.check_due import CheckWork
from connector.durable.inbox.decide_due import DecideWork
from connector.durable.inbox.reconcile import ReconcileWork
from connector.durable.outbox.deliver_due import DeliverWork, SlowDeliverWork
from connector.durable.poller.poll_due import PollWork
from connector.durable.waiting_runs import ApprovalNewsWork, ApprovedWork
from connector.durable.work import Work

KINDS: tuple[type[Work], ...] = (
    *(PollWork, DecideWork, DeliverWork, SlowDeliverWork, ApprovedWork, ApprovalNewsWork),
    *(CheckWork, ReconcileWork, HousekeepingWork, SealWork, AlertWork),
)
