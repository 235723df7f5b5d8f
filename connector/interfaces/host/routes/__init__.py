"""The routes of the host, by what they are about."""
