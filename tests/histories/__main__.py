"""Runs many histories, two at a time: `python -m tests.histories [--histories N] [--seed S]`."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.histories.plan.plan import plan
from tests.histories.plan.schedule import Schedule
from tests.histories.run_seed import OUT

AT_A_TIME = 2
LONGEST = 600.0
"""Seconds after which a history is killed; it has told before why it hangs."""
LONGEST_COMPLAINT = 20_000


def main() -> int:
    """Run them and print a line for each, and what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=8)
    parser.add_argument("--seed", type=int, help="another seed makes other histories; chosen by chance if left out")
    parser.add_argument("--at-a-time", type=int, default=AT_A_TIME)
    parser.add_argument("--out", type=Path, default=OUT, help="the folder for records and logs")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1, 100_000) if options.seed is None else options.seed
    schedules = plan(seed, options.histories)
    print(f"{len(schedules)} histories of seed {seed}", flush=True)
    begins = time.monotonic()
    with ThreadPoolExecutor(options.at_a_time) as pool:
        failed = sum(pool.map(lambda schedule: _run(schedule, options.out), schedules))
    acted = Counter(fault.name for schedule in schedules for fault in schedule.faults)
    operations = sum(len(schedule.operations) for schedule in schedules)
    print(f"{operations} operations in {time.monotonic() - begins:.0f} s, {failed} histories failed; faults:")
    print("  " + ", ".join(f"{name} {count}" for name, count in sorted(acted.items())))
    return 1 if failed else 0


def _run(schedule: Schedule, out: Path) -> bool:
    """Run a history in a process of its own and print what it says; returns whether it failed."""
    command = [sys.executable, "-m", "tests.histories.run_seed", str(schedule.seed), "--out", str(out)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired as error:
        stands = (error.stderr or b"").decode(errors="replace")[-LONGEST_COMPLAINT:]
        print(f"FAILED seed {schedule.seed} did not end within {LONGEST:.0f} s\n{stands}", flush=True)
        return True
    print(done.stdout.rstrip() or f"FAILED seed {schedule.seed}\n{done.stderr[-LONGEST_COMPLAINT:]}", flush=True)
    return bool(done.returncode)


if __name__ == "__main__":
    sys.exit(main())
