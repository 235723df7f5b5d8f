"""Processes to be killed: each is forked from one that has imported all it needs, so that a start takes no second."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from typing import Any

import pytest

START_SECONDS = 60
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.durable.poller.chaos.host", "tests.durable.approving_process"])


def start(target: Callable[..., Any], *args: Any, env: Mapping[str, str]) -> BaseProcess:
    """Run `target(ready, *args)` in a process whose environment is `env`, and wait until it calls `ready`."""
    heard, tells = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_run, args=(tells, dict(env), target, args), daemon=True)
    with pytest.MonkeyPatch.context() as patch:  # the first start begins the process that forks; it imports by this
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        process.start()
    tells.close()
    with heard:
        assert heard.poll(START_SECONDS), "the process says nothing"
        assert heard.recv() == "ready"  # an EOFError: it has ended before
    return process


def kill(process: BaseProcess) -> None:
    """SIGKILL, and wait for its end."""
    process.kill()
    process.join()


def _run(tells: Any, env: dict[str, str], target: Callable[..., Any], args: tuple[Any, ...]) -> None:
    os.environ.clear()
    os.environ.update(env)

    def ready() -> None:
        tells.send("ready")
        tells.close()

    target(ready, *args)
