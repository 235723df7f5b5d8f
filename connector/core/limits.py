"""Every limit on what callers may send and hold, with its reason. `docs/security.md` shows them as a table.

They are read where they are used (`limits.HEAD_SECONDS`), so that a test may lower one. What an answer, a page or a
list may hold for the sake of its reader stands with what makes it.
"""

from __future__ import annotations

KILOBYTE, MEGABYTE = 1024, 1024 * 1024
"""Units."""

# Heads.
MAX_HEADER_BYTES = 64 * KILOBYTE
"""Request line and headers; inputs of a GET travel in the line."""
MAX_HEADERS = 100
"""Headers of a request; each costs memory and a look."""
HEAD_SECONDS = 15.0
"""Seconds in which a head must arrive, from the opening of the connection or its first byte."""

# Bodies.
MAX_BODY_BYTES = 32 * MEGABYTE
"""Body of a run: one file of the largest size, in base64, and its entry."""
MAX_MCP_BODY_BYTES = 16 * MEGABYTE
"""Body of a call over MCP: a file of ten megabytes; the SDK reads it on the event loop."""
MAX_SMALL_BODY_BYTES = 256 * KILOBYTE
"""Every other body with a token: no other operation takes a file."""
MAX_EVENT_BODY_BYTES = 256 * KILOBYTE
"""Body of an event: the service sends less than a kilobyte."""
MAX_FORM_BYTES = 4 * KILOBYTE
"""Body of the log-in form: it holds one token."""
MAX_MEMBERS = 100_000
"""Objects, arrays and values of a body, and of a JSON text inside an input: five times the longest booking."""
MAX_TEXT_BYTES = 4 * MEGABYTE
"""What a body may hold besides files in base64: a decoder works on it in one go."""
MAX_EVENT_MEMBERS = 10_000
"""The same of an event: the service sends about ten."""
MAX_NUMBER_CHARACTERS = 1000
"""Characters of a number: reading a longer one takes time by the square of its length."""
MAX_DEPTH = 100
"""Levels of nesting: more than any answer has, and few enough for recursive functions."""
MAX_SMALL_CHUNKS = 1024
"""Chunks of a body that may be small; each costs as much as kilobytes in one piece."""
MIN_CHUNK_BYTES = 256
"""Bytes that the chunks of a body must have beyond those, on average."""
BODY_IDLE_SECONDS = 20.0
"""Seconds between two parts of a body."""
BODY_SECONDS = 300.0
"""Seconds for the whole of a body: the largest over a line of one megabit."""
MIN_BODY_RATE = 4 * KILOBYTE
"""Bytes a second that a body must arrive with, on average after its first seconds."""
BODY_GRACE_SECONDS = 10.0
"""Seconds before that average counts."""
REST_SECONDS = 10.0
"""Seconds for which the rest of a body is taken in after its answer, so that the caller can read the answer."""

# Large bodies: several parts of the network's size.
LARGE_BODY_BYTES = 64 * KILOBYTE
"""From here on a body is large: it is read off the event loop, one at a time, and takes one of the places below."""
LARGE_BODY_MEMBERS = 2000
"""The same for what a body holds."""
MAX_LARGE_BODIES = 16
"""Large bodies that are in the host at once, so at most half a gigabyte; others wait before they are taken in."""
MAX_LARGE_BODIES_EACH = 4
"""The same of one workspace, so that it cannot take all places."""
PAUSE_AFTER_READING = 8.0
"""After a large body was read, the next one waits so many times as long as that took: other callers come in between."""
MAX_PAUSE_SECONDS = 2.0
"""But no longer than this."""

# Connections.
MAX_CONNECTIONS = 16_384
"""Connections at once, if the limit of open files allows as many."""
OTHER_FILES = 256
"""Open files that are no connections of callers: the database, calls to the service, deliveries."""
ACCEPTED_AT_ONCE = 64
"""Connections that are opened before those beyond the limit are closed."""
ADDRESS_SHARE = 0.125
"""Share of all connections that strangers from one address may hold; a trusted proxy has no such limit."""
WORKSPACE_SHARE = 0.75
"""Share of all connections that the tokens of one workspace may hold; beyond it, requests are answered with 429."""
KEEP_ALIVE_SECONDS = 30
"""Seconds for which a connection may rest between two requests."""
UNREAD_ANSWER_SECONDS = 60.0
"""Seconds for which a caller may leave an answer unread."""
WAITING_CONNECTIONS = 2048
"""Connections that the system holds until the host takes them."""

# Tokens.
MAX_WRONG_TOKENS = 300
"""Wrong tokens in a minute from one address before it is told to wait; a right token always passes."""
MAX_WRONG_LOGINS = 10
"""The same at the log-in page, where people type."""
MAX_WRONG_FOR_ONE = 3000
"""Wrong tokens in a minute, from whatever addresses, for one account: the host's own token, or those of workspaces."""
MAX_WRONG_PASSPHRASES = 20
"""Wrong passphrases in a minute, from addresses that this person never signed in from, before they are told to wait."""
MAX_WAITING_SIGN_INS = 32
"""Passphrases that wait to be checked; each takes 64 MB for a moment, so that only two are checked at once."""
WRONG_TOKENS_SECONDS = 60.0
"""The length of that minute."""
MAX_REMEMBERED_ADDRESSES = 10_000
"""Addresses whose wrong tokens are counted; the one seen longest ago is forgotten first."""

# Events.
EVENTS_PER_SECOND = 1000
"""Events a second from one sender, and for one webhook URL, in the long run."""
EVENTS_AT_ONCE = 20_000
"""Events at once: the service may send those of a day after an outage."""
UNKNOWN_HOOKS_PER_SECOND = 5
"""Webhook URLs a second from one sender that are looked up in the database."""
UNKNOWN_HOOKS_AT_ONCE = 200
"""The same at once."""
MAX_QUEUED_EVENTS = 10_000
"""Events that wait for the disk; further ones are told to come again."""

# Inputs.
MAX_ITEMS = 1000
"""Inputs of a step, and lines of a list in it: a booking of a month in one entry."""
MAX_CHARACTERS = 4000
"""Characters of a text, where its field names no other number."""
MAX_WRITTEN_CHARACTERS = 200
"""Characters of a number, a date or yes and no: whatever is longer is none of them."""
MAX_FILE_BYTES = 20 * MEGABYTE
"""One file."""
MAX_PROBLEMS = 10_000
"""Wrong inputs that are looked at one by one."""

# Calls.
MAX_CONCURRENT_CALLS = 32
"""Calls of one key that are sent at once, as many as the client has connections; others wait in their order."""
MAX_PENDING_CALLBACKS = 256
"""Runs in memory whose outcome is posted to a `callback_url`; further ones are told to come again."""

# The console.
MAX_SOCKET_MESSAGE_BYTES = 4 * MEGABYTE
"""One message of an open page."""
