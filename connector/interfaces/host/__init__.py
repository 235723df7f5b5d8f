"""The HTTP host: REST routes, the webhook endpoint for the service's events, and the background engine."""
