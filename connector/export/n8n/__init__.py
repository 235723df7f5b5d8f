"""n8n: a community node package in TypeScript, with one node for all actions and two triggers."""

from connector.export.n8n.files import FILE
from connector.export.n8n.package import build, build_to_install

__all__ = ["FILE", "build", "build_to_install"]
