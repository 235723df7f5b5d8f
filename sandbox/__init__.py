"""A simulation of the service, written from its description alone."""
