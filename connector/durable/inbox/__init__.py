"""The hub: owns the service's webhook URL, stores every event, and enqueues confirmed ones for subscriptions."""
