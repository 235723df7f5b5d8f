"""Work that must survive a crash: polls (poller), received events (inbox), deliveries (outbox)."""
