"""The ledger area: ledger connections, their clients, and the endpoints that read and write their books."""
