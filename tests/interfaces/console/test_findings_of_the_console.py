"""The console works with the key of the signed-in token's workspace, and with no other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from connector import Credential
from connector.core.callers import ROLES, Actor
from connector.core.errors import KeyRefused, RightMissing
from connector.interfaces.console.console_context import ConsoleContext, NoCredential
from connector.interfaces.token_check import HOST
from connector.store.trust import credentials
from tests.interfaces.console.running_console import RunningConsole, running_console

T = TypeVar("T")


@pytest.fixture
def keyless(tmp_path: Path) -> Iterator[RunningConsole]:
    """A host without a key of its own."""
    with running_console(tmp_path, own_credential=False) as console:
        yield console


def signed_in(console: RunningConsole, actor: Actor = HOST) -> ConsoleContext:
    return ConsoleContext(console.state, "/console", actor)


def wait(work: Awaitable[T]) -> T:
    async def run() -> T:
        return await work

    return asyncio.run(run())


def leave(console: RunningConsole, key: str, workspace: str = "default") -> None:
    """Leave a key as a subscriber does."""
    state, credential = console.state, Credential(console.sandbox.url, key)
    state.database.write(
        lambda c: credentials.save(c, state.vault, credential, state.context.now(), workspace)
    ).result()


@pytest.mark.parametrize("workspace", ["default", "kunde-a"])
def test_finding_1_a_key_that_a_subscriber_left_is_nobody_elses(keyless: RunningConsole, workspace: str) -> None:
    leave(keyless, "sandbox-key", workspace)
    for actor in (HOST, Actor("b", "admin", "kunde-b")):
        with pytest.raises(NoCredential):
            wait(signed_in(keyless, actor).credential_id())


def test_finding_1_visitors_of_two_workspaces_do_not_share_a_key(keyless: RunningConsole) -> None:
    first, second = (signed_in(keyless, Actor(name, "admin", name)) for name in ("kunde-a", "kunde-b"))

    async def both() -> tuple[str, str]:
        await first.use(Credential(keyless.sandbox.url, "sandbox-key"))
        await second.use(Credential(keyless.sandbox.url, "sandbox-poor-key"))
        return await first.credential_id(), await second.credential_id()

    one, two = wait(both())
    assert one != two
    stored = keyless.state.database.read(lambda c: {one.id: one.workspace for one in credentials.listed(c, None)})
    assert stored == {one: "kunde-a", two: "kunde-b"}


def test_finding_11_a_wrong_key_is_not_kept(keyless: RunningConsole) -> None:
    with pytest.raises(KeyRefused):
        wait(signed_in(keyless).use(Credential(keyless.sandbox.url, "wrong-key")))
    assert keyless.state.database.read(lambda c: credentials.listed(c, None)) == []


def test_finding_11_a_key_can_be_changed_and_removed(keyless: RunningConsole) -> None:
    console = signed_in(keyless)

    async def change() -> tuple[str, str]:
        await console.use(Credential(keyless.sandbox.url, "sandbox-key"))
        before = await console.credential_id()
        await console.use(Credential(keyless.sandbox.url, "sandbox-key-2"))
        after = await console.credential_id()
        await console.remove_key()
        return before, after

    before, after = wait(change())
    assert before != after
    revoked = keyless.state.database.read(lambda c: {one.id: one.revoked_at for one in credentials.listed(c, None)})
    assert revoked[after] is not None


@pytest.mark.parametrize("role", ROLES)
def test_only_an_admin_changes_the_key_and_only_an_operator_sends(console: RunningConsole, role: Any) -> None:
    visitor = signed_in(console, Actor("a", role))

    def may(work: Awaitable[Any]) -> bool:
        try:
            wait(work)
        except RightMissing:
            return False
        return True

    assert may(visitor.use(Credential(console.sandbox.url, "sandbox-key"))) == (role == "admin")
    assert may(visitor.write(lambda connection: None)) == (role in {"operator", "payer", "admin"})
    assert may(visitor.read(lambda connection: None))


def test_a_page_that_is_still_open_after_signing_out_does_nothing(console: RunningConsole) -> None:
    visitor = signed_in(console)
    visitor.ended = True
    for work in (visitor.session(), visitor.read(lambda connection: None)):
        with pytest.raises(RightMissing):
            wait(work)
