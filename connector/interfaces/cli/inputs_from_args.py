"""Builds inputs from the arguments `--input JSON|@file|-` and `--set name=value`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from connector.core import limits
from connector.core.data.fields import Field
from connector.core.errors import InputError
from connector.core.manifest.converters import json_text
from connector.core.messages import say
from connector.core.problems import reason_of
from connector.core.values import json
from connector.interfaces.cli.language import localized

NAME = r"[^.\[\]=\s]+"
PATH = re.compile(rf"{NAME}(?:\.{NAME}|\[\d{{1,4}}\])*")
STEP = re.compile(rf"\[(\d+)\]|({NAME})")


def set_argument(parser: argparse.ArgumentParser) -> None:
    """Add the `--set` argument."""
    parser.add_argument(
        "--set", action="append", default=[], metavar=localized("metavar_set"), dest="sets", help=localized("help_set")
    )


def inputs_from(fields: Sequence[Field], text: str | None, sets: Iterable[str]) -> dict[str, Any]:
    """Return all inputs as raw values; `--set` overrides `--input`, and a later one an earlier one."""
    inputs = _read_input(text) if text is not None else {}
    for given in sets:
        path, equals, value = given.partition("=")
        if not equals or not PATH.fullmatch(path):
            raise InputError(say("set_unreadable", given=given[:80]), remedy=say("set_remedy"), field="--set")
        _set_path(inputs, path, fields, value)
    return inputs


def _read_input(text: str) -> dict[str, Any]:
    try:
        if text == "-":
            content: str | bytes = sys.stdin.buffer.read()
        elif text.startswith("@"):
            content = Path(text[1:]).read_bytes()
        else:
            content = text
        inputs = json.decode_unambiguous(content)
    except json.GivenTwice as twice:
        raise InputError(say("given_twice", name=twice.name[:64]), field=twice.name[:64]) from None
    except OSError as error:
        raise _unreadable("--input", text[1:], error) from None
    except ValueError as error:
        message, remedy = say("input_not_json", why=reason_of(error)), say("input_remedy_json")
        raise InputError(message, remedy=remedy, field="--input") from None
    if not isinstance(inputs, dict):
        raise InputError(say("inputs_not_an_object"), remedy=say("input_remedy_json"), field="--input")
    return inputs


def _set_path(inputs: dict[str, Any], path: str, fields: Sequence[Field], value: str) -> None:
    """Set the value at a path, creating objects and lists on the way."""
    steps: list[int | str] = [int(index) if index else name for index, name in STEP.findall(path)]
    container: Any = inputs
    field: Field | None = None
    free_form = False
    for step, next_step in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(step, str):
            free_form = free_form or (field is not None and not field.fields)
            field = _field(fields, step)
            fields = field.fields if field else ()
        if not isinstance(container, list if isinstance(step, int) else dict):
            raise InputError(say("set_wrong_shape", path=path), remedy=say("set_remedy"), field=path)
        if isinstance(container, list) and isinstance(step, int):
            if step > len(container) or step >= limits.MAX_ITEMS:
                raise InputError(say("set_gap", path=path, next=len(container)), remedy=say("set_remedy"), field=path)
            if step == len(container):
                container.append(None)
        if next_step is None:
            container[step] = _value(path, field, free_form, value)
            return
        if _get(container, step) is None:
            container[step] = [] if isinstance(next_step, int) else {}
        container = container[step]


def _get(container: Any, step: int | str) -> Any:
    return container.get(step) if isinstance(container, Mapping) else container[step]


def _field(fields: Iterable[Field], name: str) -> Field | None:
    return next((field for field in fields if name == field.name or name in field.aliases), None)


def _value(path: str, field: Field | None, free_form: bool, text: str) -> Any:
    """Keep text as text, read files, and parse free-form values as JSON if possible."""
    if not free_form and field is not None and field.type == "file" and text.startswith("@"):
        return _read_file(path, text[1:])
    if not free_form:
        return json_text(text) if field is not None and field.type in {"object", "list"} else text
    try:
        return json.decode_unambiguous(text)
    except json.GivenTwice as twice:
        raise InputError(say("given_twice", name=twice.name[:64]), field=path) from None
    except (ValueError, UnicodeError):
        return text


def _read_file(path: str, name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(limits.MAX_FILE_BYTES + 1)  # one byte too many, so that the runtime rejects it
    except (OSError, ValueError) as error:
        raise _unreadable(path, name, error) from None


def _unreadable(field: str, name: str, error: Exception) -> InputError:
    why = getattr(error, "strerror", None) or error
    return InputError(say("file_unreadable", name=name, why=why), remedy=say("file_unreadable_remedy"), field=field)
