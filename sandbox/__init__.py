"""A faithful simulation of the service, written from its description alone: the other end of the wire."""
