"""Clients that call Kontor as its users do: on the command line, over HTTP and in Python."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Protocol

import httpx

from tests.histories.plan.schedule import Planned
from tests.histories.scene.hosts import TOKEN, Host

PATIENCE = 90.0
"""Seconds after which a client gives up waiting for its answer."""
Heard = dict[str, Any]
"""The fields of an `answer` record."""


class Client(Protocol):
    """One way to call Kontor."""

    def run(self, planned: Planned) -> Heard:
        """Do the operation and return what was heard."""

    def kill(self) -> None:
        """Kill the process that is doing an operation, if there is one."""

    def close(self) -> None:
        """End it."""


def heard_nothing(why: str, *, reached: bool = True) -> Heard:
    return {"heard": "nothing", "why": why, "reached": reached}


def _heard(document: Mapping[str, Any], **more: Any) -> Heard:
    return {"heard": "ok" if document.get("ok") is True else "error", "reached": True, "document": document, **more}


class CommandLine:
    """Starts a `kontor run` for each operation."""

    def __init__(self, kontor: Path, environment: Callable[[], dict[str, str]]) -> None:
        self._kontor = kontor
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None

    def run(self, planned: Planned) -> Heard:
        inputs = json.dumps(planned.write.inputs(planned.notation))
        key = ["--key", planned.key] if planned.key is not None else []
        again = ["--again"] if planned.again else []
        command = [str(self._kontor), "run", planned.write.action, "--input", inputs, *key, *again, "--json"]
        self._process = subprocess.Popen(
            command, env=self._environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            printed, complaint = self._process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            return heard_nothing("timeout")
        status = self._process.returncode
        if status < 0:
            return heard_nothing("killed")
        try:
            return _heard(json.loads(printed), exit=status)
        except ValueError:
            return _heard({"printed": printed[-500:], "complaint": complaint[-2000:]}, exit=status)

    def kill(self) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()

    def close(self) -> None:
        self.kill()


class OverHttp:
    """Posts each operation to a host."""

    def __init__(self, host: Host, api_key: Callable[[], str]) -> None:
        self._host = host
        self._api_key = api_key
        self._http = httpx.Client(base_url=host.url, trust_env=False, timeout=PATIENCE)

    def run(self, planned: Planned) -> Heard:
        body: dict[str, Any] = {"inputs": planned.write.inputs(planned.notation)}
        if planned.key is not None:
            body["key"] = planned.key
        if planned.again:
            body["again"] = True
        headers = {"authorization": f"Bearer {planned.token or TOKEN}", "x-api-key": self._api_key()}
        path = f"/v1/actions/{planned.write.action}/run"
        ends = time.monotonic() + PATIENCE
        while True:
            try:
                answer = self._http.post(path, json=body, headers=headers)
                break
            except httpx.ConnectError:
                if time.monotonic() > ends:
                    return heard_nothing("nobody listens", reached=False)
                time.sleep(0.2)  # the host is being started again
            except httpx.HTTPError as error:
                return heard_nothing(type(error).__name__)
        try:
            return _heard(answer.json(), status=answer.status_code)
        except ValueError:
            return _heard({"text": answer.text[-2000:]}, status=answer.status_code)

    def kill(self) -> None:
        """Nothing to kill: the host is killed by itself."""

    def close(self) -> None:
        self._http.close()


class InPython:
    """Passes each operation to a process that uses the Python API; the process is started again after it was killed."""

    def __init__(self, environment: Callable[[], dict[str, str]], log: Path) -> None:
        self._environment = environment
        self._log = log
        self._process: subprocess.Popen[str] | None = None
        self._lines: Queue[str] = Queue()
        self._started_with: dict[str, str] = {}

    def run(self, planned: Planned) -> Heard:
        environment = self._environment()
        if environment != self._started_with:
            self.kill()
        if self._process is None or self._process.poll() is not None:
            self._start(environment)
        assert self._process is not None
        assert self._process.stdin is not None
        question = {
            "action": planned.write.action,
            "inputs": planned.write.inputs(planned.notation),
            "key": planned.key,
            "again": planned.again,
        }
        try:
            self._process.stdin.write(f"{json.dumps(question)}\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=PATIENCE)
        except OSError:
            return heard_nothing("killed", reached=False)
        except Empty:
            self.kill()
            return heard_nothing("timeout")
        return _heard(json.loads(line)) if line else heard_nothing("killed")

    def _start(self, environment: dict[str, str]) -> None:
        with self._log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("python_caller.py"))],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._started_with = environment
        self._lines = Queue()
        threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()

    def kill(self) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()

    def close(self) -> None:
        self.kill()


def _read(process: subprocess.Popen[str], lines: Queue[str]) -> None:
    """Pass on each line, and an empty one at the end."""
    assert process.stdout is not None
    with contextlib.suppress(ValueError):
        for line in process.stdout:
            lines.put(line)
    lines.put("")
