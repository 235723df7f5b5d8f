"""The seconds since this machine was started, which no step of the wall clock disturbs, and which start it was."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def seconds_since_start() -> float:
    """Return the seconds since the start, suspended time included where the system counts it."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


@cache
def boot_id() -> str:
    """Return what identifies this start of the machine, where that is known.

    Where it is not, a time before the start lies in the past or in the future: both only make us wait longer.
    """
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return "boot"
