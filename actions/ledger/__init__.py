"""Handlers of the actions in the ledger area."""
