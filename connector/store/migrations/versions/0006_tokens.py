"""Keep tokens, and let every stored credential say to which workspace it belongs."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    Column,
    Connection,
    DateTime,
    Float,
    Index,
    MetaData,
    String,
    Table,
    func,
    select,
    union,
    update,
)

revision = "0006"
down_revision = "0005"
oldest_code = 6

metadata = MetaData()

tokens = Table(
    "tokens",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("name", String(100), primary_key=True),
    Column("role", String(16), nullable=False),
    Column("person", String(200), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("made_at", Float(53), nullable=False),
    Column("last_used_at", Float(53)),
    Column("expires_at", Float(53)),
    Column("revoked_at", Float(53)),
    Index("tokens_by_digest", "digest", unique=True),
)

former = MetaData()
workspaces = Table("workspaces", former, Column("name", String(64)), Column("made_at", Float(53)))
workspace_keys = Table(
    "workspace_keys",
    former,
    Column("fingerprint", String(16)),
    Column("workspace", String(64)),
    Column("added_at", Float(53)),
)
credentials = Table(
    "credentials",
    former,
    Column("id", String(36)),
    Column("fingerprint", String(16)),
    Column("created_at", DateTime(timezone=True)),
    Column("revoked_at", DateTime(timezone=True)),
    Column("workspace", String(64)),
    Column("chosen_at", DateTime(timezone=True)),
)
cursors = Table("cursors", former, Column("credential", String(16)))
budgets = Table("budgets", former, Column("credential", String(16)))


def upgrade() -> None:
    """Add the table and the columns; attach what has no workspace yet, and choose the only key of a workspace."""
    connection = op.get_bind()
    metadata.create_all(connection)
    op.add_column("workspace_keys", Column("organization", String(100)))
    op.create_index("workspace_keys_by_organization", "workspace_keys", ["organization"])
    op.add_column("credentials", Column("workspace", String(64), nullable=False, server_default=""))
    op.add_column("credentials", Column("chosen_at", DateTime(timezone=True)))
    op.create_index("credentials_by_workspace", "credentials", ["workspace"])
    _attach_unattached(connection)
    own = select(workspace_keys.c.workspace).where(workspace_keys.c.fingerprint == credentials.c.fingerprint)
    connection.execute(update(credentials).values(workspace=own.scalar_subquery()))
    _choose_only_keys(connection)


def _attach_unattached(connection: Connection) -> None:
    """Give each API key without a workspace one: `default` if no other key is known, else one of its own."""
    attached = set(connection.execute(select(workspace_keys.c.fingerprint)).scalars())
    known = union(select(credentials.c.fingerprint), select(cursors.c.credential), select(budgets.c.credential))
    missing = sorted(set(connection.execute(known).scalars()) - attached)
    names = {one: "default" if len(missing) == 1 and not attached else f"key-{one}" for one in missing}
    present = set(connection.execute(select(workspaces.c.name)).scalars())
    for fingerprint, name in names.items():
        if name not in present:
            connection.execute(workspaces.insert().values(name=name, made_at=0.0))
            present.add(name)
        connection.execute(workspace_keys.insert().values(fingerprint=fingerprint, workspace=name, added_at=0.0))


def _choose_only_keys(connection: Connection) -> None:
    """The only key that is kept for a workspace is the one that it uses."""
    kept = credentials.c.revoked_at.is_(None)
    only = select(credentials.c.workspace).where(kept).group_by(credentials.c.workspace).having(func.count() == 1)
    names = list(connection.execute(only).scalars())
    chosen = update(credentials).where(kept, credentials.c.workspace.in_(names))
    connection.execute(chosen.values(chosen_at=credentials.c.created_at))
