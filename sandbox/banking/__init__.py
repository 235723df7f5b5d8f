"""The banking area: bank connections, accounts, transactions, payments and the events about them."""
