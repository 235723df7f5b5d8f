"""Signing in: the middleware that asks for it, its sessions and its page."""
