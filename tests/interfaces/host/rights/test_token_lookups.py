"""A flood of wrong tokens does not crowd the database, and a right one among them passes."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

from connector.core.callers import Actor
from connector.interfaces.token_check import HOST, TokenCheck, TokenThrottle
from connector.store.trust.tokens import Token, digest, new_token

RIGHT = new_token()
TOKEN = Token("n8n", "default", "viewer", "", datetime(2026, 1, 1, tzinfo=UTC), None, None, None)


class Table:
    """The tokens of a database that takes a moment."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.asked: list[int] = []

    async def read(self, query: Any) -> dict[str, Token]:
        digests = query.__closure__[0].cell_contents
        self.asked.append(len(digests))
        await asyncio.sleep(0.01)
        if self.failure:
            raise self.failure
        return {RIGHT_DIGEST: TOKEN} if RIGHT_DIGEST in digests else {}

    def write_later(self, _: Any) -> None:
        """The last use of a token."""


RIGHT_DIGEST = digest(RIGHT)


def check(table: Table) -> TokenCheck:
    return TokenCheck("h" * 40, table, table.read, lambda: datetime(2026, 2, 1, tzinfo=UTC))  # type: ignore[arg-type]


def test_many_at_once_are_looked_up_with_few_queries_one_after_the_other() -> None:
    table = Table()

    async def ask() -> list[Actor | None]:
        tokens = check(table)
        return await asyncio.gather(
            *(tokens.actor_of(new_token()) for _ in range(2000)), tokens.actor_of(RIGHT), tokens.actor_of("h" * 40)
        )

    *wrong, right, host = asyncio.run(ask())
    assert wrong == [None] * 2000
    assert (right, host) == (TOKEN.actor, HOST)
    assert sum(table.asked) == 2001
    assert len(table.asked) <= 6


def test_an_outage_is_told_to_everybody_who_waits_and_the_next_one_asks_anew() -> None:
    table = Table(OSError("gone"))

    async def ask() -> Actor | None:
        tokens = check(table)
        told = await asyncio.gather(*(tokens.actor_of(RIGHT) for _ in range(3)), return_exceptions=True)
        assert [type(one) for one in told] == [OSError] * 3
        table.failure = None
        return await tokens.actor_of(RIGHT)

    assert asyncio.run(ask()) == TOKEN.actor


def test_wrong_tokens_are_counted_by_address_and_by_account() -> None:
    now = [0.0]
    throttle = TokenThrottle(5, lambda: now[0], most_for_one=20)
    for _ in range(5):
        throttle.failed("192.0.2.7", "kontor_guess")
    assert throttle.seconds_to_wait("192.0.2.7", "kontor_other") == 60
    assert throttle.seconds_to_wait("192.0.2.8", "kontor_other") == 0
    for number in range(15):
        throttle.failed(f"198.51.100.{number}", "kontor_guess")
    assert throttle.seconds_to_wait("192.0.2.8", "kontor_other") == 60, "whatever address is claimed"
    assert throttle.seconds_to_wait("192.0.2.8", "guess") == 0, "the host's own token is another account"
    now[0] = 61.0
    assert throttle.seconds_to_wait("192.0.2.7", "kontor_guess") == 0
