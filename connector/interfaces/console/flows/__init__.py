"""Triggers at work: subscriptions, deliveries, live watching, and what happened."""
