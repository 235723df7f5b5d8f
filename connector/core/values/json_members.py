"""Counts what a JSON document holds, part by part as it arrives: one that would cost too much is refused undecoded.

A decoder holds the interpreter until it has seen the whole document, and with it every other caller of a host.
"""

from __future__ import annotations

from connector.core import limits
from connector.core.problems import Problem

PART_BYTES = 64 * limits.KILOBYTE
"""A document that is there as a whole is counted in parts of this size: other threads come in between."""
_IN_NUMBERS = b"0123456789+-.eE"
_NUMBERS = bytes(ord("0") if byte in _IN_NUMBERS else ord(" ") for byte in range(256))
_NOT_PLAIN = bytes(range(32)) + b'"\\' + bytes(range(127, 256))
"""What no file in base64 has: the end of a text, escapes, control characters, and what is not ASCII."""


class HoldsTooMuch(Problem):
    """A document holds more values than are read, a number of more digits, or more text."""


class MemberCount:
    """Counts the members of one document. What stands in texts counts nothing, however it looks."""

    def __init__(self, most: int | None = None) -> None:
        """`most`: how many members there may be, else the limit of bodies."""
        self._most = limits.MAX_MEMBERS if most is None else most
        self.members = 0
        """Objects, arrays, and what commas divide: at least as many as there are values."""
        self.names = 0
        """Names of members of objects."""
        self._texts = self._kept_bytes = 0
        """Texts, and bytes of parts that are neither blank nor inside of a file."""
        self._in_text = self._escaped = False
        """Where the part before ended: inside a text, and there after a backslash."""
        self._number = b""
        """The number with which the part before may have ended, a zero for each of its characters."""

    def add(self, part: bytes) -> None:
        """Count a part; raise `HoldsTooMuch` as soon as there is too much of something."""
        for start in range(0, len(part), PART_BYTES):
            self._add(part[start : start + PART_BYTES])

    def _add(self, part: bytes) -> None:
        if self._in_text and not self._escaped and _may_be_of_file(part):
            return
        if not self._in_text and _is_blank(part):
            self._number = b""
            return
        self._kept_bytes += len(part)
        if self._kept_bytes > limits.MAX_TEXT_BYTES:
            raise HoldsTooMuch("json_too_much_text", most=limits.MAX_TEXT_BYTES // limits.MEGABYTE)
        if self._escaped:
            part = part[1:]
        without_pairs = part.replace(rb"\\", b"")
        self._escaped = without_pairs.endswith(b"\\")
        pieces = without_pairs.replace(rb"\"", b"").split(b'"')
        outside = b'"'.join(pieces[self._in_text :: 2])  # the pieces lie inside and outside of texts by turns
        self._in_text ^= len(pieces) % 2 == 0
        self._texts += len(pieces) // 2
        self.names += outside.count(b":")
        self.members += outside.count(b",") + outside.count(b"{") + outside.count(b"[")
        if max(self.members, self._texts // 2) > self._most:  # a member has a name and a value that may be texts
            raise HoldsTooMuch("json_too_many", most=self._most)
        numbers = self._number + outside.translate(_NUMBERS)
        if b"0" * (limits.MAX_NUMBER_CHARACTERS + 1) in numbers:
            raise HoldsTooMuch("json_digits")
        self._number = b"" if self._in_text else numbers[len(numbers.rstrip(b"0")) :]


def _may_be_of_file(part: bytes) -> bool:
    """Whether base64 may look like that; some write it in lines, whose ends are escapes."""
    in_one_line = part.replace(rb"\n", b"").replace(rb"\r", b"")
    return 10 * len(in_one_line) > 9 * len(part) and in_one_line.translate(None, _NOT_PLAIN) == in_one_line


def _is_blank(part: bytes) -> bool:
    return part.isspace() and b"\v" not in part and b"\f" not in part
