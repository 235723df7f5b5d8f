"""Migrations: one file in `versions` for each revision of the schema, run by Alembic. They only go forward.

A migration is frozen: it spells out its own tables and never imports `connector.store.schema`.
"""
