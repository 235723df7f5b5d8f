"""Runs for people: how one stands, what may be done with it, its review, and the payees of payments."""
