"""People, their sign-ins and invitations, and what waits for a second one of them."""
