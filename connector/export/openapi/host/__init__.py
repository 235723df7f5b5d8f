"""The host's own description, OpenAPI 3.1, made from the manifests."""
