"""From a manifest and inputs to a checked call."""
