"""What a host does beside flows: alerts, cleaning up, and due times that are true."""
