"""Runs one seed's history again: `python -m tests.histories.run_seed SEED [--out FOLDER]`, to see why it fails."""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.histories.bugs import load
from tests.histories.history import ROOT, run_history
from tests.histories.plan.plan import schedule_of
from tests.histories.rules.check import read_file
from tests.histories.rules.reading import read
from tests.histories.scene.processes import descendants

OUT = ROOT / "build" / "histories"
IN_NAMESPACES = "HISTORY_IN_NAMESPACES"
HANGS_AFTER = 400.0
"""Seconds after which a history hangs: it and its processes then say where each of their threads stands."""
HUNG = threading.Event()
TOLD = 6000
"""How many characters of each log are told of a history that hangs."""


def main() -> int:
    """Run it and print one line, and what was found; the exit status is 1 if that is anything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int, nargs="?")
    parser.add_argument("--bug", help="run the history of a seeded bug instead, with what stands in --source")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder for records and logs")
    parser.add_argument("--source", type=Path, default=ROOT, help="the folder with the packages to run")
    options = parser.parse_args()
    if (options.seed is None) == (options.bug is None):
        parser.error("give a seed, or --bug")
    schedule = load(options.bug).schedule if options.bug else schedule_of(options.seed)
    enter_namespaces(schedule.backend)
    file = options.out / f"{schedule.name}.jsonl"
    begins = time.monotonic()
    hung = threading.Timer(HANGS_AFTER, tell_where_all_stand)
    hung.daemon = True
    hung.start()
    with tempfile.TemporaryDirectory(prefix="kontor-history-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user
        try:
            violations = run_history(schedule, folder, file, options.source)
        finally:
            for log in folder.glob("*.log"):
                shutil.copyfile(log, options.out / f"{schedule.name}.{log.name}")
                if HUNG.is_set():
                    print(f"{log.name}:\n{log.read_text(errors='replace')[-TOLD:]}", file=sys.stderr)
    history = read(read_file(file))
    faults = " ".join(fault.name for fault in schedule.faults)
    print(
        f"{'FAILED' if violations else 'ok':6} {schedule.name:16} "
        f"{len(history.operations)} operations, {len(history.executions)} executed, {len(history.parked())} parked, "
        f"{time.monotonic() - begins:.0f} s: {faults}",
        flush=True,
    )
    for violation in violations:
        print(f"    {violation}")
    if violations:
        print(f"    again: python -m tests.histories.run_seed {' '.join(sys.argv[1:])}")
        print(f"    check again: python -m tests.histories.rules.check {file}", flush=True)
    return 1 if violations else 0


def tell_where_all_stand() -> None:
    """End a history that hangs, after its threads were printed; its processes write theirs into their logs."""
    HUNG.set()
    faulthandler.dump_traceback(all_threads=True)
    for process in descendants(os.getpid())[1:]:
        with contextlib.suppress(OSError):
            print(process, Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")[:200], file=sys.stderr)
            os.kill(process, signal.SIGABRT)  # Python then prints its threads, see PYTHONFAULTHANDLER
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGINT)


def enter_namespaces(backend: str) -> None:
    """Start this program again in namespaces of its own, so that its processes and its small disk end with it.

    Without root this takes a namespace in which one is root, where PostgreSQL would refuse to run; it needs no disk.
    """
    as_user = os.getuid() != 0
    if os.environ.get(IN_NAMESPACES):
        # libfaketime names a semaphore after the number of its process. One that was killed while it held its own would
        # otherwise stop the host that has the same number in another history, for ever.
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/dev/shm"], check=True)
        return
    if as_user and backend == "postgresql":
        return
    own = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", *(["--map-root-user"] if as_user else [])]
    os.environ[IN_NAMESPACES] = "1"
    os.execvp("unshare", ["unshare", *own, sys.executable, "-m", "tests.histories.run_seed", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
