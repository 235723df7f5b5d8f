"""The cable between a browser and a host: it can be pulled out, or go dead without a sign, and be put back."""

from __future__ import annotations

import asyncio
from threading import Event, Thread
from types import TracebackType
from typing import Literal, Self
from urllib.parse import urlsplit

Fault = Literal["pulled", "dead"]


class Cable:
    """Forwards bytes between `base`, where the browser is, and a host."""

    def __init__(self, host: str) -> None:
        self._host = urlsplit(host)
        self._loop = asyncio.new_event_loop()
        self._whole = asyncio.Event()
        self._whole.set()
        self._fault: Fault | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._ready = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self.base = ""

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def cut(self, fault: Fault) -> None:
        """End all connections and take no new one, or leave them open and carry nothing."""
        self._loop.call_soon_threadsafe(self._break, fault)

    def mend(self) -> None:
        self._loop.call_soon_threadsafe(self._restore)

    def _break(self, fault: Fault) -> None:
        self._fault = fault
        self._whole.clear()
        if fault == "pulled":
            for writer in self._writers:
                writer.transport.abort()

    def _restore(self) -> None:
        self._fault = None
        self._whole.set()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._connected, "127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0.1))
        self._loop.close()

    async def _connected(self, browser: asyncio.StreamReader, to_browser: asyncio.StreamWriter) -> None:
        if self._fault == "pulled":
            to_browser.transport.abort()
            return
        await self._whole.wait()
        host, to_host = await asyncio.open_connection(self._host.hostname, self._host.port)
        self._writers |= {to_browser, to_host}
        await asyncio.gather(self._carry(browser, to_host), self._carry(host, to_browser), return_exceptions=True)
        self._writers -= {to_browser, to_host}

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while content := await source.read(65_536):
                await self._whole.wait()
                target.write(content)
                await target.drain()
        finally:
            target.close()
