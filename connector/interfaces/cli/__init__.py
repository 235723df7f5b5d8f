"""The command line; each command's module is imported only when it is called, for a fast start."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from connector.interfaces.cli.commands import LISTS

OUTPUT_LOST = 1
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    try:
        status = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        _close_output()  # the reader closed the pipe
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        from connector.interfaces.cli.output import OutputLost

        if not isinstance(error, OSError | OutputLost):
            raise
        from connector.interfaces.cli.language import localized

        _close_output()
        why = error if isinstance(error, OSError) else error.__cause__
        print(localized("output_lost", why=getattr(why, "strerror", None) or type(why).__name__), file=sys.stderr)
        if isinstance(error, OutputLost) and str(error):
            print(f"→ {error}", file=sys.stderr)
        return OUTPUT_LOST


def _close_output() -> None:
    """Let nothing more be written, or the interpreter would fail once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
