"""The routes of the host, grouped by resource."""
