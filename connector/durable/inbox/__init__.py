"""The hub: owns the service's one webhook URL, keeps every event, and tells subscriptions what is true of it."""
