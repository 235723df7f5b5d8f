"""Handlers of the ledger actions."""
