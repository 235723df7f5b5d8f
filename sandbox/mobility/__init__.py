"""The mobility area: ticket customers and collective invoices over their tickets."""
