"""The table of all operations of a host: whatever the modules of this folder declare."""

from __future__ import annotations

from connector.operations import (
    attention,
    audit,
    calls,
    catalog,
    flows,
    invitations,
    money,
    people,
    policy_changes,
    rights,
    runs,
    samples,
)
from connector.operations.operation import Operation

OPERATIONS: tuple[Operation[...], ...] = tuple(
    declared
    for module in (
        *(calls, catalog, samples, flows, runs, attention, money),
        *(policy_changes, people, invitations, audit, rights),
    )
    for declared in vars(module).values()
    if isinstance(declared, Operation)
)
"""The most used first: a host matches its routes in this order."""
