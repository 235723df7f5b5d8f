"""Node-RED: an npm package with a node for all actions, one for all triggers, and one that holds the credential."""

from connector.export.node_red.package import FILE, build, build_to_install

__all__ = ["FILE", "build", "build_to_install"]
