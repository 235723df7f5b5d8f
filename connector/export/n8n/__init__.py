"""n8n: a community node package in TypeScript, with one node for all actions and two triggers."""

from connector.export.n8n.package import build

__all__ = ["build"]
