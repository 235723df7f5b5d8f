"""What can be asked of a host: one table of operations, from which routes, OpenAPI and the command line follow."""
