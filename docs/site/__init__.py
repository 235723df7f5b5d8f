"""Makes the documentation site: `make docs`."""
