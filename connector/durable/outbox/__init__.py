"""Webhook deliveries to subscribers: signed, in order, and retried for a day."""
