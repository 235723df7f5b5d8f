"""What fires flows: subscriptions, cursors, items, events, deliveries, and the work that is due."""
