"""What a command printed and how it ended, and how to start one that hears Ctrl-C."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any


@dataclass(frozen=True)
class CommandResult:
    """Exit status and output of a command."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1
        return json.loads(self.out, parse_float=Decimal)

    @property
    def error(self) -> Any:
        document = self.document
        assert document["ok"] is False
        return document["error"]


Kontor = Callable[..., CommandResult]


def as_from_a_terminal() -> None:
    """Hears Ctrl-C, even where the tests themselves run in the background and do not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
