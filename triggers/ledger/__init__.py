"""Handlers of the triggers in the ledger area."""
