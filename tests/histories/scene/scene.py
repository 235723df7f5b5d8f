"""All that takes part in a history: the sandbox, a store, hosts, and a client for each lane."""

from __future__ import annotations

import base64
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from connector.sandbox.server import SandboxServer
from tests.histories.plan.schedule import LANES, Planned, Schedule
from tests.histories.recorder import Recorder
from tests.histories.scene.clients import Client, CommandLine, Heard, InPython, OverHttp
from tests.histories.scene.hosts import Clock, Host
from tests.histories.scene.processes import clean_environment
from tests.histories.scene.sandbox_control import SandboxControl
from tests.histories.scene.stores import open_store

KONTOR = Path(sys.executable).with_name("kontor")
HOSTS = {"sqlite": 1, "postgresql": 2}
DATA_KEY = base64.urlsafe_b64encode(b"the data key of a history, 32 B.").decode()
WORKSPACE = "default"
"""Named, so that a key that replaces another belongs to it too."""
FIRST_KEY, SECOND_KEY = "sandbox-key", "sandbox-key-2"


class Scene:
    """Started by `open_scene`; faults and clients act on it from their own threads."""

    def __init__(self, schedule: Schedule, folder: Path, recorder: Recorder, sandbox_url: str, source: Path) -> None:
        self.recorder = recorder
        self.sandbox = SandboxControl(sandbox_url, recorder)
        self.api_key = FIRST_KEY
        self.store_lock = threading.Lock()
        """Held by whoever freezes, fills, kills or replaces the store."""
        self.asked_besides: list[Planned] = []
        """What faults asked for themselves; it is asked for once more at the end like everything else."""
        self._source = source
        self.base_url = sandbox_url
        self._users = threading.Condition()
        self._using, self._closed = 0, False
        self.store = open_store(schedule.backend, folder)
        needs_clock = any(fault.name == "clock_step" for fault in schedule.faults)
        self.hosts = [
            Host(
                number,
                KONTOR,
                source,
                self._settings(sandbox_url),
                folder / f"host-{number}.log",
                Clock(folder) if needs_clock and number == 0 else None,
            )
            for number in range(HOSTS[schedule.backend])
        ]
        self.clients = {lane: self._client(lane, folder) for lane in LANES[schedule.backend]}

    def _client(self, lane: str, folder: Path) -> Client:
        face, *rest = lane.split("-")
        if face == "http":
            return OverHttp(self.hosts[int(rest[0])], lambda: self.api_key)
        if face == "python":
            return InPython(self.environment, folder / f"{lane}.log")
        return CommandLine(KONTOR, self.environment)

    def environment(self) -> dict[str, str]:
        """Return the environment of the command line and of Python."""
        return clean_environment(self._source, **self._settings(self.base_url), KONTOR_API_KEY=self.api_key)

    def _settings(self, base_url: str) -> dict[str, str]:
        return {
            "KONTOR_BASE_URL": base_url,
            "KONTOR_DATA": self.store.location,
            "KONTOR_DATA_KEY": DATA_KEY,
            "KONTOR_WORKSPACE": WORKSPACE,
        }

    def replace_api_key(self) -> None:
        """Use another API key of the same organisation from now on, and another spelling of the base URL."""
        self.api_key = SECOND_KEY
        self.base_url = f"{self.base_url}/".replace("http://127.0.0.1", "HTTP://localhost")

    def start_hosts(self) -> None:
        with ThreadPoolExecutor(len(self.hosts)) as pool:
            list(pool.map(Host.start, self.hosts))

    def do(self, planned: Planned, lane: str, *, final: bool = False) -> Heard:
        """Do an operation, and record it and what was heard of it."""
        number, write = self.recorder.next_number(), planned.write
        with self._using_the_store(lane):
            self.recorder.record(
                "invoke",
                op=number,
                lane=lane,
                action=write.action,
                key=planned.key,
                mark=write.mark,
                amount=write.amount,
                digest=write.digest,
                notation=planned.notation,
                again=planned.again,
                final=final,
            )
            heard = self.clients[lane].run(planned)
            self.recorder.record("answer", op=number, **heard)
        return heard

    @contextmanager
    def _using_the_store(self, lane: str) -> Iterator[None]:
        """Wait while the store is being replaced; hosts that are killed for that are waited for by their clients."""
        if lane.startswith("http"):
            yield
            return
        with self._users:
            self._users.wait_for(lambda: not self._closed)
            self._using += 1
        try:
            yield
        finally:
            with self._users:
                self._using -= 1
                self._users.notify_all()

    @contextmanager
    def nobody_uses_the_store(self) -> Iterator[None]:
        """Kill everybody who has the store open and keep them away; hosts are started again at the end."""
        with self.only_hosts_use_the_store():
            for host in self.hosts:
                host.kill()
            yield
        self.start_hosts()

    @contextmanager
    def only_hosts_use_the_store(self) -> Iterator[None]:
        """Kill all others who have the store open, and keep them away."""
        with self._users:
            self._closed = True
            while self._using:
                self._kill_clients()
                self._users.wait(0.1)
            self._kill_clients()
        try:
            yield
        finally:
            with self._users:
                self._closed = False
                self._users.notify_all()

    def _kill_clients(self) -> None:
        for client in self.clients.values():
            client.kill()

    def kontor(self, *arguments: str) -> str:
        """Run a command and return what it prints."""
        command = [str(KONTOR), *arguments]
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True, check=True, timeout=180)
        return done.stdout

    def heal(self) -> None:
        """End all disturbances and have everything run."""
        self.sandbox.heal()
        self.store.heal()
        for host in self.hosts:
            host.thaw()
            if host.clock:
                host.clock.step(0)
        self.start_hosts()

    def close(self) -> None:
        for client in self.clients.values():
            client.close()
        for host in self.hosts:
            host.kill()
        self.store.close()
        self.sandbox.close()


@contextmanager
def open_scene(schedule: Schedule, folder: Path, recorder: Recorder, source: Path) -> Iterator[Scene]:
    """Start everything, and stop it at the end."""
    with SandboxServer(seed=schedule.seed) as server:
        recorder.now = lambda: server.now().timestamp()
        scene = Scene(schedule, folder, recorder, server.url, source)
        try:
            scene.sandbox.prepare()
            scene.start_hosts()
            yield scene
        finally:
            scene.close()
