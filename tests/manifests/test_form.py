"""The form of manifests: what is made from it is up to date, and what does not fit it is refused, whoever reads."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from connector.core.manifest import form
from connector.export.handlers import manifest_form
from tests.manifests.declared_manifests import MANIFESTS, PATHS, ROOT, written

ALL = [*PATHS, *sorted(MANIFESTS.glob("triggers/*/*.yaml"))]
SHARED = written(MANIFESTS / "fields.yaml")


@pytest.mark.parametrize("path", [manifest_form.SCHEMA, manifest_form.VOCABULARY, manifest_form.TYPES])
def test_what_is_made_from_the_form_is_up_to_date(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == manifest_form.files()[path], "run `make handlers`"


def refused(tree: Any) -> tuple[bool, bool]:
    """Whether the models and the schema refuse a manifest."""
    try:
        form.read(tree, SHARED)
        by_models = False
    except (ValidationError, KeyError):
        by_models = True
    return by_models, not jsonschema.Draft202012Validator(form.manifest_schema()).is_valid(tree)


def places(tree: Any) -> list[list[str | int]]:
    """Every object and list inside a manifest but samples, examples and what is free."""
    found: list[list[str | int]] = [[]]
    if isinstance(tree, dict):
        free = {"sample", "example", "default", "table"}
        for key, inner in tree.items():
            found += [[key, *place] for place in places(inner) if key not in free and isinstance(inner, dict | list)]
    elif isinstance(tree, list):
        for number, inner in enumerate(tree):
            found += [[number, *place] for place in places(inner) if isinstance(inner, dict | list)]
    return found


def at(tree: Any, place: list[str | int]) -> Any:
    for step in place:
        tree = tree[step]
    return tree


@pytest.mark.long
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_models_and_schema_agree_about_every_key_that_is_left_out_misspelt_or_of_another_type(path: Any) -> None:
    tree = written(path)
    assert refused(tree) == (False, False)
    for place in places(tree):
        here = at(tree, place)
        if not isinstance(here, dict):
            continue
        for key in here:
            without, other, misspelt = copy.deepcopy(tree), copy.deepcopy(tree), copy.deepcopy(tree)
            del at(without, place)[key]
            assert len(set(refused(without))) == 1, (place, key)
            at(other, place)[key] = None
            assert len(set(refused(other))) == 1 or key in ("default", "example"), (place, key)
            at(misspelt, place)[f"{key}é"] = at(misspelt, place).pop(key)
            assert len(set(refused(misspelt))) == 1, (place, key)
