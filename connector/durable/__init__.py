"""What must survive a crash: polls (poller), events that came in (inbox), deliveries that go out (outbox)."""
