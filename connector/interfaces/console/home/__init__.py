"""What a workspace looks like at a glance: what needs a person, how far it is set up, how it stands."""
