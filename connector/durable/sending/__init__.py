"""Sends signed requests to addresses that users give, and only to allowed ones."""
