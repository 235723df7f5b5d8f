"""What `make handlers` writes into this repository: the Python faces of manifests, and what is made from their form."""
