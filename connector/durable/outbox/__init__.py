"""Webhook deliveries to subscribers: signed, in order, retried for a day, to allowed addresses only."""
