"""Deliveries to subscribers: signed, retried for a day, in order, and only to addresses that may be reached."""
