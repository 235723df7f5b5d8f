"""The command line; each command's module is imported only when it is called, for a fast start."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from connector.interfaces.cli.command_names import LISTS

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    try:
        status = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader closed the pipe
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(args: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without umlauts shows "?"
    plain = [arg for arg in args if arg != "--json"]
    as_json = len(plain) < len(args)
    if len(plain) == 1 and plain[0] in LISTS:  # fast path without argparse
        from connector.interfaces.cli.lists import show

        return show(plain[0], as_json=as_json)
    if plain in (["--version"], ["-V"]):
        from connector.version import __version__

        print(f'{{"ok": true, "version": "{__version__}"}}' if as_json else f"kontor {__version__}")
        return 0
    from connector.interfaces.cli.dispatch import run

    return run(plain, as_json=as_json)
