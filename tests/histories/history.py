"""Runs one history: clients and faults act, all is made well again, and every key is asked once more."""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx

from tests.histories.plan.faults import act
from tests.histories.plan.schedule import Fault, Planned, Schedule
from tests.histories.plan.writes import Write
from tests.histories.recorder import Recorder
from tests.histories.rules.check import check, read_file
from tests.histories.rules.reading import CASH_BOOK
from tests.histories.rules.violation import Violation
from tests.histories.scene.hosts import TOKEN
from tests.histories.scene.scene import Scene, open_scene

ROOT = Path(__file__).parents[2]


def run_history(schedule: Schedule, folder: Path, file: Path, source: Path = ROOT) -> list[Violation]:
    """Run the schedule with Kontor as it stands in `source`, record it to `file`, and check that."""
    recorder = Recorder(file)
    try:
        recorder.record("begin", schedule=schedule.as_dict())
        with open_scene(schedule, folder, recorder, source) as scene:
            _warm_up(scene, schedule)
            _act(scene, schedule)
            scene.heal()
            recorder.record("healed")
            _ask_every_key(scene, schedule)
            recorder.record("runs", runs=_runs(scene))
            recorder.record("unknown_runs", ids=_unknown_runs_over_http(scene))
            for execution in scene.sandbox.executions():
                recorder.record_execution(execution)
            recorder.record("end", requests=scene.sandbox.requests())
    finally:
        recorder.close()
    return check(read_file(file))


def _warm_up(scene: Scene, schedule: Schedule) -> None:
    """Let each host book once, so that nobody waits for its first imports later."""
    for host in scene.hosts:
        lane = next(lane for lane in scene.clients if lane.startswith(f"http-{host.number}"))
        write = Write(CASH_BOOK, f"{schedule.name} warm-up {host.number}", 100)
        scene.do(Planned(0, lane, write, None), lane)


def _act(scene: Scene, schedule: Schedule) -> None:
    """Let all clients and faults act at their times; returns when all have ended."""
    begins = time.monotonic()

    def do_lane(lane: str, operations: list[Planned]) -> None:
        for planned in operations:
            time.sleep(max(0.0, begins + planned.at - time.monotonic()))
            scene.do(planned, lane)

    lanes: dict[str, list[Planned]] = defaultdict(list)
    for planned in schedule.operations:
        lanes[planned.lane].append(planned)

    def disturb(fault: Fault) -> None:
        time.sleep(fault.at)
        act(scene, fault)

    threads = [_Thread(partial(do_lane, lane, some)) for lane, some in lanes.items()]
    threads += [_Thread(partial(disturb, fault)) for fault in schedule.faults]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.finish()


class _Thread(threading.Thread):
    """A thread whose exception is raised again where it is waited for."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self._error = error

    def finish(self) -> None:
        self.join()
        if self._error is not None:
            raise self._error


def _ask_every_key(scene: Scene, schedule: Schedule) -> None:
    """Ask for each key once more, as it was asked for first, through all kinds of clients."""
    first: dict[str, Planned] = {}
    for planned in (*schedule.operations, *scene.asked_besides):
        if planned.key is not None:
            first.setdefault(planned.key, planned)
    queues: dict[str, list[Planned]] = {lane: [] for lane in scene.clients}
    # The command line takes longest to start: it gets every tenth.
    order = cycle([lane for lane in queues if not lane.startswith("cli")] * 2 + ["cli-a"])
    for planned in first.values():
        queues[next(order)].append(planned)

    def ask(lane: str) -> None:
        for planned in queues[lane]:
            scene.do(planned, lane, final=True)

    with ThreadPoolExecutor(len(queues)) as pool:
        list(pool.map(ask, queues))


def _runs(scene: Scene) -> list[dict[str, Any]]:
    """Return the runs that the command line lists, each with its state."""
    runs: list[dict[str, Any]] = json.loads(scene.kontor("runs", "--json"))["runs"]
    return runs


def _unknown_runs_over_http(scene: Scene) -> list[str]:
    """Return the ids of the runs that a host lists as unknown."""
    headers = {"authorization": f"Bearer {TOKEN}", "x-api-key": scene.api_key}
    url = f"{scene.hosts[0].url}/v1/runs"
    answer = httpx.get(url, params={"state": "unknown"}, headers=headers, trust_env=False, timeout=30)
    return [run["id"] for run in answer.json()["runs"]]
