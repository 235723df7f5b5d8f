"""Every value that the service describes has words, and the same ones wherever a form offers it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from connector import Connector
from connector.core.data.fields import Field
from connector.core.manifest.resource_schema import fields_of
from connector.store.runs.runs import STATES

CONNECTOR = Connector()
LIBRARY = CONNECTOR.library
CODES = {"LedgerErrorBody.code"}
"""Codes of errors, whose sentences say what they mean."""


def described() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """The fields with known values: where, the values, the set of their words."""
    for resource in LIBRARY.resources:
        for name, one in fields_of(resource, LIBRARY.resources).items():
            if one.known and f"{resource}.{name}" not in CODES:
                yield f"{resource}.{name}", one.known, one.words


@pytest.mark.parametrize(("where", "known", "words"), list(described()))
def test_every_known_value_has_words(where: str, known: tuple[str, ...], words: str) -> None:
    assert set(known) <= set(LIBRARY.words[words]), where


def test_no_words_are_left_over() -> None:
    used: dict[str, set[str]] = {name: set() for name in LIBRARY.words}
    for _, known, words in described():
        used[words] |= set(known)
    used["provider_word"] |= set(LIBRARY.words["provider_word"])  # the service shows no values of it
    used["run_state"] |= set(STATES)  # a list of runs shows those too that are on their way
    assert {name: set(one) for name, one in LIBRARY.words.items()} == used


def choices(fields: tuple[Field, ...]) -> Iterator[tuple[str, str, tuple[str, str]]]:
    for field in fields:
        yield from ((field.name, one.value, (one.label.en, one.label.de)) for one in field.values)
        yield from choices(field.fields)


SETS = {
    "status": ("payment_status", "bank_connection_status"),
    "refresh_type": ("refresh_type",),
    "event": ("event",),
    "folder_type": ("folder_type",),
    "template_identifier": ("transfer_kind",),
    "kind": ("transfer_kind",),
}
"""Inputs that offer what a field of the service may hold."""


def test_a_choice_in_a_form_is_called_as_it_is_called_in_an_answer() -> None:
    manifests = [*CONNECTOR.actions.values(), *CONNECTOR.triggers.values(), *CONNECTOR.lookups.values()]
    compared = set()
    for manifest in manifests:
        for name, value, label in choices(manifest.inputs):
            words = [LIBRARY.words[one][value] for one in SETS.get(name, ()) if value in LIBRARY.words[one]]
            if words:
                compared.add(name)
                assert label in [(one["en"], one["de"]) for one in words], f"{manifest.id} {name} {value}"
    assert {"status", "refresh_type", "event", "folder_type"} <= compared
