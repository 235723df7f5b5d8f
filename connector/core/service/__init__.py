"""Where the service is and how it is spoken to: credential, environment, wire names."""
