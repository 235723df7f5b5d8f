"""Many API keys, few connections: what the asynchronous clients of a base URL share."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from connector.client import AsyncClient, Call, KeyState, clients
from connector.core.service.credential import Credential

KEYS, FEW = 40, 8
CALL = Call("GET", "/v2/anything")
ANSWER = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"data":[]}'


class Service:
    """Answers when it may, and knows its connections."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.waiting = self.most_waiting = 0
        self.open = self.opened = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        self.opened += 1
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                self.waiting += 1
                self.most_waiting = max(self.most_waiting, self.waiting)
                await self.may_answer.wait()
                self.waiting -= 1
                writer.write(ANSWER)
        except asyncio.IncompleteReadError:
            pass
        finally:
            self.open -= 1
            writer.close()


@asynccontextmanager
async def keys_and_service():
    service = Service()
    server = await asyncio.start_server(service.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with AsyncExitStack() as stack:
        opened = [AsyncClient(Credential(url, f"key-{number}"), state=KeyState()) for number in range(KEYS)]
        for client in opened:
            await stack.enter_async_context(client)
        yield opened, service
    server.close()


async def until(holds) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - only the service knows
            await asyncio.sleep(0.01)


async def ask_all_at_once(opened: list[AsyncClient], service: Service) -> None:
    asked = [asyncio.create_task(client.call(CALL)) for client in opened]
    await until(lambda: service.waiting == KEYS)
    service.may_answer.set()
    await asyncio.gather(*asked)


def test_keys_that_ask_at_once_have_a_connection_each_and_one_after_the_other_share_one():
    async def scenario():
        async with keys_and_service() as (opened, service):
            await ask_all_at_once(opened, service)
            for client in opened:
                await client.call(CALL)
            assert service.opened == KEYS
        async with keys_and_service() as (opened, service):
            service.may_answer.set()
            for client in opened:
                await client.call(CALL)
            assert service.opened == 1

    asyncio.run(scenario())


def test_there_are_never_more_connections_than_allowed_and_whoever_waits_has_its_turn(monkeypatch):
    monkeypatch.setattr(clients, "MAX_CONNECTIONS", 2 * FEW)

    async def scenario():
        async with keys_and_service() as (opened, service):
            asked = [asyncio.create_task(client.call(CALL)) for client in opened]
            await until(lambda: service.waiting == 2 * FEW)
            service.may_answer.set()
            replies = await asyncio.gather(*asked)
            assert len(replies) == KEYS
            assert service.most_waiting == service.opened == 2 * FEW

    asyncio.run(scenario())


def test_what_a_burst_has_opened_is_closed_again_while_one_key_goes_on(monkeypatch):
    monkeypatch.setattr(clients, "IDLE_SECONDS", 0.2)

    async def scenario():
        async with keys_and_service() as (opened, service):
            await ask_all_at_once(opened, service)
            assert service.opened == KEYS
            async with asyncio.timeout(20):  # or it fails
                while service.open > 1:
                    await asyncio.sleep(0.05)
                    await opened[0].call(CALL)

    asyncio.run(scenario())


def test_a_request_that_is_cancelled_leaves_room_for_others(monkeypatch):
    monkeypatch.setattr(clients, "MAX_CONNECTIONS", FEW)

    async def scenario():
        async with keys_and_service() as (opened, service):
            given_up = [asyncio.create_task(client.call(CALL)) for client in opened[:FEW]]
            await until(lambda: service.waiting == FEW)
            for task in given_up:
                task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.gather(*given_up)
            service.may_answer.set()
            assert (await opened[-1].call(CALL)).status == 200

    asyncio.run(scenario())


def test_the_last_client_closes_all_connections():
    async def scenario():
        async with keys_and_service() as (opened, service):
            await ask_all_at_once(opened, service)
            for client in opened[1:]:
                await client.aclose()
            assert service.open == KEYS
            await opened[0].aclose()
            await until(lambda: service.open == 0)

    asyncio.run(scenario())


def test_all_keys_of_a_base_url_use_one_httpx_client_which_the_last_closes():
    async def scenario():
        async with keys_and_service() as (opened, service):
            service.may_answer.set()
            for client in opened:
                await client.call(CALL)
            used = {client._join().http for client in opened}
            assert len(used) == 1
            assert len(clients._by_loop[asyncio.get_running_loop()]) == 1
            for client in opened[1:]:
                await client.aclose()
            assert not used.copy().pop().is_closed
            await opened[0].aclose()
            assert used.pop().is_closed
            assert not clients._by_loop[asyncio.get_running_loop()]
            assert (await opened[0].call(CALL)).status == 200  # whoever still uses it goes on

    asyncio.run(scenario())
