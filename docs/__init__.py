"""Documents, and the tool that makes a site of them."""
