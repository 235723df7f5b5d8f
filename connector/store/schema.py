"""The tables as the newest migration leaves them."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    Index,
    Integer,
    MetaData,
    Numeric,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

REVISION = 32
"""The number of the newest file in `migrations/versions`."""
OLDEST_CODE = 32
"""The oldest revision whose code may use a database of this one, as the migrations say."""

metadata = MetaData()

kontor_database = Table(
    "kontor_database",  # one row about the database itself
    metadata,
    Column("oldest_code", Integer, nullable=False),  # the oldest revision whose code may use this database
    Column("key_check", Text),  # a constant, encrypted with the data key; null: no data key was used yet
    Column("audit_key", Text),  # signs the audit log, encrypted with the data key; null: nothing was recorded yet
    Column("register_key", Text),  # signs the register of rights, encrypted with the data key; null: nothing is sealed
)

# Holds `oldest_code` too, for code from before Alembic, which refuses a version above its own.
schema_version = Table("schema_version", metadata, Column("version", Integer, nullable=False))

workspaces = Table(
    "workspaces",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("made_at", Float(53), nullable=False),
)

workspace_keys = Table(
    "workspace_keys",
    metadata,
    Column("fingerprint", String(16), primary_key=True),  # of base URL and API key, never the key
    Column("workspace", String(64), nullable=False),
    Column("added_at", Float(53), nullable=False),
    Column("organization", String(100)),  # whom the key's payments name at the service; null: not known
    Index("workspace_keys_by_workspace", "workspace"),
    Index("workspace_keys_by_organization", "organization"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("workspace", String(64), primary_key=True),  # empty: of the whole host
    Column("name", String(100), primary_key=True),
    Column("role", String(16), nullable=False),
    Column("person", String(200), nullable=False),
    Column("digest", String(64), nullable=False),  # SHA-256 of the token, which is random and long
    Column("made_at", Float(53), nullable=False),
    Column("last_used_at", Float(53)),  # to the minute
    Column("expires_at", Float(53)),
    Column("revoked_at", Float(53)),
    Column("agent", Integer, nullable=False, server_default="0"),  # 1: an agent holds it
    Column("person_id", String(36), nullable=False, server_default=""),  # whose it is; empty: a machine's
    Column("made_by", String(200), nullable=False, server_default=""),  # the people who may have made and seen it
    Index("tokens_by_digest", "digest", unique=True),
)

people = Table(
    "people",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("workspace", String(64), nullable=False),  # empty: of the whole host
    Column("name", String(200), nullable=False),
    Column("normal_form", String(400), nullable=False),  # as names are compared
    Column("skeleton", String(400), nullable=False),  # what names share that look alike
    Column("role", String(16), nullable=False),  # empty: never invited
    Column("made_at", Float(53), nullable=False),
    Column("invited_by", String(100)),  # the name of whoever invited last
    Column("invitation", String(64)),  # SHA-256 of the code of an invitation that was not accepted yet
    Column("invited_until", Float(53)),
    Column("passphrase", Text),  # scrypt, with its parameters and salt
    Column("accepted_at", Float(53)),  # null: has no sign-in of their own
    Column("revoked_at", Float(53)),
    Column("inviters", String(200), nullable=False, server_default=""),  # the people who may have seen an invitation
    Index("people_by_skeleton", "workspace", "skeleton", unique=True),
    Index("people_by_invitation", "invitation", unique=True),
)

sign_ins = Table(
    "sign_ins",
    metadata,
    Column("digest", String(64), primary_key=True),  # SHA-256 of what the browser or program presents
    Column("workspace", String(64), nullable=False),
    Column("person_id", String(36), nullable=False),
    Column("began_at", Float(53), nullable=False),
    Column("used_at", Float(53)),  # to the minute
    Column("ends_at", Float(53), nullable=False),
    Column("ended_at", Float(53)),
    Index("sign_ins_of_person", "person_id"),
)

OPEN = text("state IN ('claimed', 'sending', 'unknown')")
"""Which runs are indexed by their state. A query uses the index if it has the same condition, word for word."""
UNRESOLVED = text(f"{OPEN} AND state IN ('sending', 'unknown')")
LOOKED_FOR = text("find_until IS NOT NULL")

runs = Table(
    "runs",
    metadata,
    Column("id", String(32), primary_key=True),  # sorts by time
    Column("workspace", String(64), nullable=False),
    Column("key", String(200)),  # null: the caller gave none
    Column("credential", String(16), nullable=False),  # the fingerprint of the API key that it used
    Column("action", String(64), nullable=False),
    Column("digest", String(80), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("state", String(20), nullable=False),
    Column("owner", String(60), nullable=False),  # the attempt that sends it
    Column("beat", Integer, nullable=False),  # heartbeat: the owner increments it while it works on the run
    Column("outcome", Text),
    # Unix times, which need no conversion: every write waits for this row.
    Column("made_at", Float(53), nullable=False),
    Column("changed_at", Float(53), nullable=False),
    Column("actor", String(100)),  # the name of the token that ran it; null: the owner of the machine
    Column("person", String(200)),  # who holds that token
    Column("face", String(16)),  # from where it was run: cli, python, http, console, mcp
    Column("origin", String(100)),  # the address of the caller
    Column("sendings", Integer, nullable=False, server_default="1"),  # requests of it that may have reached the service
    Column("find_until", Float(53)),  # until when a payment that was refused without proof is looked for
    UniqueConstraint("workspace", "key"),
    Index("runs_open", "workspace", "digest", sqlite_where=OPEN, postgresql_where=OPEN),
    Index("runs_looked_for", "workspace", "find_until", sqlite_where=LOOKED_FOR, postgresql_where=LOOKED_FOR),
)

payments_read = Table(
    "payments_read",  # how far the payments list of an API key was read whole
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("read_until", Float(53)),  # a day before the newest row; null: not read whole yet
    Column(
        "after_id", String(64)
    ),  # rows with higher ids hold all that was made since; null: ids do not follow the time
    Column("back_from", String(10)),  # the day from which on a first reading is under way
    Column("back_cursor", String(64)),  # the id up to which that has come
)

payment_marks = Table(
    "payment_marks",  # payments below `read_until` that carry a mark of ours
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("payment_id", String(64), primary_key=True),
    Column("mark", String(200), nullable=False),
    Column("digest", String(80), nullable=False),
    Index("payment_marks_by_mark", "credential", "mark"),
)

write_alarms = Table(
    "write_alarms",  # what a person must know of a write, though it is over
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("kind", String(40), primary_key=True),
    Column("subject", String(200), primary_key=True),
    Column("details", Text, nullable=False),
    Column("raised_at", Float(53), nullable=False),
)

held_back = Table(
    "held_back",  # writes that wait for an equal one of unknown outcome
    metadata,
    Column("run", String(32), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("waits_for", String(32), nullable=False),  # the run of unknown outcome
    Column("owner", String(60), nullable=False),  # the attempt that was held back
    Column("at", Float(53), nullable=False),
    Index("held_back_by_run", "workspace", "waits_for"),
)

read_runs = Table(
    "read_runs",  # reads, without their output
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("id", String(32), primary_key=True),  # sorts by time
    Column("credential", String(16), nullable=False),  # the fingerprint of the API key that it used
    Column("action", String(64), nullable=False),
    Column("digest", String(80), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("state", String(20), nullable=False),  # done or refused
    Column("outcome", Text, nullable=False),  # its cost, or the kind of its error
    Column("made_at", Float(53), nullable=False),
    Column("changed_at", Float(53), nullable=False),
    Column("actor", String(100)),
    Column("person", String(200)),
    Column("face", String(16)),
    Column("origin", String(100)),
)

repeat_guard = Table(
    "repeat_guard",
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("digest", String(80), primary_key=True),
    Column("run", String(32), nullable=False),  # the newest write with these inputs
    Column("clock", String(64), nullable=False),  # whose seconds they are
    Column("seconds", Float(53), nullable=False),
    Column("made_at", Float(53), nullable=False),
    sqlite_with_rowid=False,
)

policies = Table(
    "policies",  # what a workspace allows; without a row, everything is off
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("settings", Text, nullable=False),  # as JSON, only what was set
    Column("changed_at", Float(53), nullable=False),
)

policy_changes = Table(
    "policy_changes",  # what would loosen a policy and waits for a second person
    metadata,
    Column("id", String(36), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("settings", Text, nullable=False),  # as JSON: the value of each setting before and after
    Column("state", String(16), nullable=False),  # open, approved, rejected
    Column("asked_by", String(100)),
    Column("asked_person", String(200)),
    Column("asked_id", String(36), nullable=False, server_default=""),
    Column("asked_maker", String(200), nullable=False, server_default=""),
    Column("asked_at", Float(53), nullable=False),
    Column("expires_at", Float(53), nullable=False),
    Column("decided_person", String(200)),
    Column("decided_at", Float(53)),
    Index("policy_changes_by_state", "workspace", "state"),
)

approvals = Table(
    "approvals",
    metadata,
    Column("run", String(32), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("digest", String(80), nullable=False),  # of the request that is approved: one changed cent is another
    Column("state", String(16), nullable=False),  # open, approved, used, rejected, expired
    Column("reasons", String(60), nullable=False),
    Column("asked_by", String(100)),  # the name of the token; null: the owner of the machine
    Column("asked_person", String(200)),
    Column("asked_at", Float(53), nullable=False),
    Column("expires_at", Float(53), nullable=False),
    Column("decided_by", String(100)),
    Column("decided_person", String(200)),
    Column("decided_at", Float(53)),
    Column("why", Text),
    Column("callback", String(36)),  # the subscription that tells the caller what became of it
    Column("told", String(20), nullable=False),  # the newest state that was told to subscribers
    Column("asked_id", String(36), nullable=False, server_default=""),  # the person whose token asked
    Column("asked_maker", String(200), nullable=False, server_default=""),  # the people who may have made that token
    Column("decided_id", String(36), nullable=False, server_default=""),
    Index("approvals_by_state", "state", "expires_at"),
    Index("approvals_of_workspace", "workspace", "state"),
    Index("approvals_by_told", "told"),
)

payments_made = Table(
    "payments_made",  # what counts towards the limit of a day
    metadata,
    Column("run", String(32), primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("day", String(10), nullable=False),  # in Berlin
    Column("cents", BigInteger, nullable=False),  # of EUR
    Column("payee", String(64)),  # a digest of the IBAN; null: an earlier version counted it
    Column("payee_name", String(64)),  # a digest of the name
    Column("approved", Boolean),  # whether another person has approved it
    Column("made", Boolean),  # false: it certainly did not happen; null: an earlier version counted it
    Index("payments_made_by_day", "workspace", "day"),
)

payment_days = Table(
    "payment_days",  # what the rows of a day must be like, held against the register of rights
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("day", String(10), primary_key=True),  # in Berlin
    Column("payments", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
)

payees = Table(
    "payees",  # who was paid at which IBAN under which name; the digests are made with a key of the database
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("name", String(64), primary_key=True),  # a digest of the name as it is compared
    Column("iban", String(64), primary_key=True),  # a digest of the IBAN
    Column("body", Text, nullable=False),  # both as they were written, encrypted
    Column("paid_at", Float(53), nullable=False),  # when they were paid last, as far as is known
    Index("payees_by_iban", "workspace", "iban"),
)

payees_read = Table(
    "payees_read",  # when the payments list of an API key was read for payees
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("credential", String(16), primary_key=True),
    Column("read_at", Float(53), nullable=False),
)

usage = Table(
    "usage",
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("flow", String(100), primary_key=True),
    Column("label", String(64), primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("credits", Numeric(12, 2, asdecimal=True), nullable=False),
)

credit_reservations = Table(
    "credit_reservations",  # what payments cost: charged only when they settle, see usage.py
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("payment_id", String(100), primary_key=True),
    Column("day", String(10), nullable=False),
    Column("flow", String(100), nullable=False),
    Column("label", String(64), nullable=False),
    Column("credits", Numeric(12, 2, asdecimal=True), nullable=False),
    Column("state", String(10), nullable=False),  # reserved, charged, expired
    Index("credit_reservations_by_day", "credential", "day"),
    Index("credit_reservations_by_state", "credential", "state"),
)

balances = Table(
    "balances",
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("balance", Numeric(20, 2, asdecimal=True), nullable=False),
    Column("told_at", DateTime(timezone=True), nullable=False),
)

budgets = Table(
    "budgets",
    metadata,
    Column("credential", String(16), primary_key=True),
    Column("per_day", Integer),
    Column("per_flow", Integer),
    Column("hold_back", Integer, nullable=False),
)


credentials = Table(
    "credentials",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("fingerprint", String(16), nullable=False),
    Column("base_url", String(500), nullable=False),
    Column("quelle", String(100), nullable=False),
    Column("wire", Text, nullable=False),  # overrides only, as JSON
    Column("sealed_key", Text, nullable=False),  # encrypted, see vault.py
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("revoked_at", DateTime(timezone=True)),
    Column("workspace", String(64), nullable=False, server_default=""),
    Column("chosen_at", DateTime(timezone=True)),  # since when the workspace uses it; null: left by a subscription
    Index("credentials_by_fingerprint", "fingerprint"),
    Index("credentials_by_workspace", "workspace"),
)

leases = Table(
    "leases",
    metadata,
    Column("name", String(300), primary_key=True),
    Column("owner", String(36), nullable=False),  # empty: released
    Column(
        "fence", Integer, nullable=False
    ),  # fencing token: grows with every new holder, so that writes of an old one are refused
    Column("beat", Integer, nullable=False, server_default="0"),  # raised by the holder while it lives
)

timers = Table(
    "timers",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("at", DateTime(timezone=True), nullable=False),
)

HELD = text("owner <> ''")
"""Which work some host is at."""

due_work = Table(
    "due_work",  # what is due, by kind of work and key, see due_work.py
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("key", String(100), primary_key=True),
    Column("at", DateTime(timezone=True)),  # when it is next due; null: nothing is planned
    Column("told", Integer, nullable=False),  # how often news was told
    Column("owner", String(36), nullable=False),  # who works at it; empty: nobody
    Column("claims", Integer, nullable=False),  # how often it was claimed
    Index("due_work_by_time", "kind", "at"),
    Index("due_work_held", "at", sqlite_where=HELD, postgresql_where=HELD),
)

cursors = Table(
    "cursors",
    metadata,
    Column("name", String(300), primary_key=True),  # credential fingerprint, then the given name
    Column("credential", String(16), nullable=False),
    Column("trigger", String(64), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("cursor", Text),
    Column("start", Text, nullable=False),  # now, all or since:ID; used only while there is no cursor
    Column("fence", Integer, nullable=False),
    Column("next_at", DateTime(timezone=True)),  # time of the next poll; null: not polled, for lack of subscriptions
    Column("polled_at", DateTime(timezone=True)),
    Column("nudges", Integer, nullable=False, server_default="0"),  # how often new data was announced
    Column("nudges_polled", Integer, nullable=False, server_default="0"),  # how often, when the last poll began
    Column("nudged_at", DateTime(timezone=True)),  # when new data was last announced
    Column("sign", Text),  # the free change signals at the last paid poll, as JSON
    Column("trouble", Text),  # the last poll's error, as JSON
    Column("taken_item", Integer),  # the newest item that who polls by hand has received; null: nobody has yet
    Index("cursors_by_next", "next_at"),
    Index("cursors_by_credential", "credential", "next_at"),
    Index("cursors_by_trigger", "trigger", "next_at"),
)

items = Table(
    "items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("cursor_name", String(300), nullable=False),
    Column("item_id", String(200), nullable=False),  # the item's own `_id`
    Column("body", Text, nullable=False),
    Column("made_at", DateTime(timezone=True), nullable=False),
    UniqueConstraint("cursor_name", "item_id"),
    Index("items_by_age", "made_at"),
)

subscriptions = Table(
    "subscriptions",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("credential_id", String(36), nullable=False),
    Column("trigger", String(64), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("cursor_name", String(300)),  # poll triggers only
    Column("target_url", Text, nullable=False),
    Column("sealed_secret", Text, nullable=False),
    Column("state", String(16), nullable=False),  # active, ended
    Column("why_ended", String(40)),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("ended_at", DateTime(timezone=True)),
    Column("digest", String(80)),  # of trigger, inputs and target; null: created before revision 5
    Column("sealed_former_secret", Text),  # signs too, until then
    Column("former_secret_until", Float(53)),
    Column("paused_at", DateTime(timezone=True)),  # null: deliveries are sent
    Index("subscriptions_by_credential", "credential_id", "state"),
    Index("subscriptions_by_cursor", "cursor_name", "state"),
    Index(
        "subscriptions_once",
        "credential_id",
        "digest",
        unique=True,
        sqlite_where=text("state = 'active'"),
        postgresql_where=text("state = 'active'"),
    ),
)

subscription_keys = Table(
    "subscription_keys",  # keys of requests, so that a repeated request gets the subscription of the first
    metadata,
    Column("credential_id", String(36), primary_key=True),
    Column("key", String(200), primary_key=True),
    Column("digest", String(80), nullable=False),  # of the whole request
    Column("subscription_id", String(36), nullable=False),
    Column("made_at", DateTime(timezone=True), nullable=False),
)

form_keys = Table(
    "form_keys",  # the key under which a form with these contents was last sent from the console
    metadata,
    Column("credential_id", String(36), primary_key=True),
    Column("digest", String(80), primary_key=True),
    Column("key", String(200), nullable=False),
    Column("made_at", DateTime(timezone=True), nullable=False),
)

kept_answers = Table(
    "kept_answers",  # the last answers of reads, encrypted, as pages of the console show them
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("action", String(64), primary_key=True),
    Column("digest", String(80), primary_key=True),  # of the action and its inputs
    Column("credential_id", String(36), nullable=False),
    Column("body", Text, nullable=False),
    Column("kept_at", DateTime(timezone=True), nullable=False),
    Index("kept_answers_by_age", "kept_at"),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Integer, primary_key=True),  # also the order in which they are tried
    Column("subscription_id", String(36), nullable=False),
    Column("item_id", String(200), nullable=False),
    Column("body", Text, nullable=False),
    Column("state", String(16), nullable=False),  # waiting, done, dead, ended
    Column("attempts", Integer, nullable=False),
    Column("next_at", DateTime(timezone=True)),
    Column("last_status", Integer),
    Column("last_error", Text),
    Column("made_at", DateTime(timezone=True), nullable=False),
    Column("done_at", DateTime(timezone=True)),
    Column("subject", String(200)),  # those of one subject go out in order; null: as they can
    UniqueConstraint("subscription_id", "item_id"),
    Index("deliveries_by_due", "state", "next_at"),
    Index("deliveries_in_order", "subscription_id", "state", "id"),  # finds the oldest waiting delivery
    Index("deliveries_of_subject", "subscription_id", "subject", "state", "id"),
)

delivery_queues = Table(
    "delivery_queues",  # those whose target failed last, see deliveries.py
    metadata,
    Column("queue_id", String(36), primary_key=True),
    Column("failures", Integer, nullable=False),  # in a row
    Column("slow", Boolean, nullable=False),
    Column("rests_until", DateTime(timezone=True)),
)

alert_targets = Table(
    "alert_targets",  # under which subscription a workspace gets its alerts
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("subscription_id", String(36), nullable=False),
)

alerts = Table(
    "alerts",  # those that were told and are not over
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("kind", String(40), primary_key=True),
    Column("subject", String(200), primary_key=True),
    Column("began_at", Float(53), nullable=False),
)

trial_inbox = Table(
    "trial_inbox",  # the last deliveries of each workspace to the built-in inbox, see trial_inbox.py
    metadata,
    Column("id", Integer, primary_key=True),
    Column("workspace", String(64), nullable=False),
    Column("subscription_id", String(36), nullable=False),
    Column("trigger", String(64), nullable=False),
    Column("body", Text, nullable=False),  # encrypted
    Column("arrived_at", Float(53), nullable=False),
    Index("trial_inbox_of_workspace", "workspace", "id"),
)

timeline = Table(
    "timeline",  # what happened, for people to read, see timeline.py
    metadata,
    Column("id", Integer, primary_key=True),
    Column("about", String(300), nullable=False),  # a subscription's id, a cursor's name, or what `timeline.py` names
    Column("at", Float(53), nullable=False),
    Column("what", String(40), nullable=False),
    Column("details", Text, nullable=False),  # as JSON
    Index("timeline_about", "about", "id"),
    Index("timeline_by_age", "at"),
)

hooks = Table(
    "hooks",
    metadata,
    Column("token_digest", String(64), primary_key=True),  # the token itself is only in the URL
    Column("credential_id", String(36), nullable=False),
    Column("sealed_url", Text, nullable=False),  # our URL as registered; it contains the token
    Column("former_url", Text),  # encrypted; the URL registered before ours, which may contain a token
    Column("pass_on", Integer, nullable=False),  # 1: events are forwarded to the former URL
    Column("state", String(16), nullable=False),  # active, drifted, released
    Column("checked_at", DateTime(timezone=True)),
    Column("heard_at", DateTime(timezone=True)),
    Column("trouble", Text),
    Column("former_digest", String(64)),  # of the token that is being replaced and still valid
    UniqueConstraint("credential_id"),
    Index("hooks_by_check", "state", "checked_at"),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("credential_id", String(36), nullable=False),
    Column("event_id", String(64), nullable=False),  # derived from the content
    Column("event", String(100), nullable=False),
    Column("body", Text, nullable=False),
    Column("state", String(16), nullable=False),  # new, fired, unconfirmed, stale, forged, unknown
    Column("repeats", Integer, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("next_at", DateTime(timezone=True)),
    Column("arrived_at", DateTime(timezone=True), nullable=False),
    Column("decided_at", DateTime(timezone=True)),
    UniqueConstraint("credential_id", "event_id"),
    Index("events_by_state", "state", "credential_id", "next_at"),
)

payment_states = Table(
    "payment_states",
    metadata,
    Column("credential_id", String(36), primary_key=True),
    Column("payment_id", String(120), primary_key=True),
    Column("status", String(64), nullable=False),
    Column("changed_at", DateTime(timezone=True), nullable=False),
)

rate_windows = Table(
    "rate_windows",
    metadata,
    Column("scope", String(40), primary_key=True),  # a fingerprint, or ip: and a digest of the base URL
    Column("version", Integer, nullable=False),
    Column("clock", String(64), nullable=False),  # whose seconds changed_at and the state's times are
    Column("changed_at", Float(53), nullable=False),
    Column("wall_time", Float(53), nullable=False),
    Column("state", Text, nullable=False),
)

UNSEALED = text("number IS NULL")
"""Which entries of the audit log are not chained yet. A query uses the index if it has the same condition."""

audit = Table(
    "audit",
    metadata,
    Column("id", String(32), primary_key=True),  # sorts by time
    Column("workspace", String(64), nullable=False),  # empty: of the whole host
    Column("at", Float(53), nullable=False),
    Column("actor", String(100), nullable=False),  # the token's name; empty: the owner of the machine, or the host
    Column("person", String(200), nullable=False),
    Column("face", String(16), nullable=False),  # cli, http, console, mcp, python or host
    Column("origin", String(100), nullable=False),  # the caller's address, or user and machine
    Column("what", String(64), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("details", Text, nullable=False),  # as JSON
    Column("mac", String(64), nullable=False),  # signs the entry as it was written; empty: written without the data key
    Column("number", Integer),  # its place in the workspace's chain; null: not sealed yet
    Column("seal", String(64)),  # signs it together with the entry before
    UniqueConstraint("workspace", "number"),
    Index("audit_unsealed", "workspace", "id", sqlite_where=UNSEALED, postgresql_where=UNSEALED),
)

audit_heads = Table(
    "audit_heads",  # the newest entry of each chain
    metadata,
    Column("workspace", String(64), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("seal", String(64), nullable=False),
)

audit_keys = Table(
    "audit_keys",  # the keys that have signed the audit log, see audit_keys.py; a database of one key needs no row
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("sealed_key", Text),  # of a former key, encrypted with the data key
    Column("sealed_heads", Text),  # how each chain ended when the key was made, encrypted; null: it is the first
)

seen_bank_connections = Table(
    "seen_bank_connections",  # those that the service has shown
    metadata,
    Column("credential_id", String(36), primary_key=True),
    Column("connection_id", String(120), primary_key=True),
    Column("description", Text, nullable=False),  # bank and country, as JSON
    Column("digest", String(80), nullable=False),  # of all that was last shown; empty: only seen beside a payment
    Column("seen_at", Float(53), nullable=False),
    Column("told", Text, nullable=False, server_default="{}"),  # by event, the digest of what flows were told; as JSON
)

bank_states = Table(
    "bank_states",  # how bank connections and accounts stood when the service last showed them, see bank_states.py
    metadata,
    Column("credential_id", String(36), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("id", String(120), primary_key=True),
    Column("shown", Text, nullable=False),  # encrypted
    Column("trouble", String(200), nullable=False),  # what is wrong with it; empty: nothing
    Column("since", Float(53)),  # when that was first seen
    Column("seen_at", Float(53), nullable=False),
)

platform_calls = Table(
    "platform_calls",  # which platforms have called a workspace, by the label that they name
    metadata,
    Column("workspace", String(64), primary_key=True),  # empty: with a token of the whole host
    Column("label", String(100), primary_key=True),
    Column("first_at", Float(53), nullable=False),
    Column("last_at", Float(53), nullable=False),
)

rights_noticed = Table(
    "rights_noticed",  # since when it is known that a row which grants something does not verify
    metadata,
    Column("subject", String(300), primary_key=True),
    Column("noticed_at", Float(53), nullable=False),
)

rights_register = Table(
    "rights_register",  # what each row that grants rights must be like, see rights_register.py
    metadata,
    Column("bucket", Integer, primary_key=True, autoincrement=False),  # -1: the root, which holds all revisions
    Column("revision", Integer, nullable=False),
    Column("entries", Text, nullable=False),  # as JSON
    Column("mac", String(64), nullable=False),
)

body_keys = Table(
    "body_keys",  # encrypt bodies at rest; the newest number encrypts, all decrypt
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("sealed_key", Text, nullable=False),  # encrypted with the data key
    Column("made_at", Float(53), nullable=False),
)
