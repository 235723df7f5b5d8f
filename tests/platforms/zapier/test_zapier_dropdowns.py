"""Dropdowns in Zapier's engine: the options that the runtime gives, free of charge."""

from __future__ import annotations

import json

import pytest

from connector import Connector
from connector.core.data.fields import Field
from connector.export import zapier
from connector.export.shape import ExportOptions
from tests.platforms.zapier.zapier_engine import ZapierError
from tests.platforms.zapier.zapier_form import form
from tests.support.filled_in import all_inputs

pytestmark = pytest.mark.platforms
MANIFESTS = Connector("unused")
EXPORT = zapier.build(MANIFESTS, ExportOptions())
APP = json.loads(EXPORT.files["kontor-app.json"])


def uses():
    """Every field of every form that has a dropdown: the form, the field and the hidden trigger."""
    for manifest in [*MANIFESTS.actions.values(), *MANIFESTS.triggers.values()]:
        one = next(
            (APP[kind][manifest.id] for kind in ("creates", "searches", "triggers") if manifest.id in APP[kind]), None
        )
        for field in one["operation"]["inputFields"] if one else ():
            if "dynamic" in field:
                source = next(given for given in manifest.inputs if given.name == field["key"])
                yield pytest.param(manifest, source, field["dynamic"].split(".")[0], id=f"{manifest.id}.{field['key']}")


def given_to(field: Field, inputs):
    resolved = {}
    for name, value in field.lookup.with_.items():
        taken = inputs.get(value[1:]) if isinstance(value, str) and value.startswith("$") else value
        if taken is not None:
            resolved[name] = taken
    return resolved


@pytest.mark.parametrize(("manifest", "field", "hidden"), list(uses()))
def test_every_dropdown_shows_the_runtimes_options_for_free(manifest, field, hidden, engine, session, sandbox):
    inputs = all_inputs(manifest, session)
    expected = session.options(field.lookup.id, given_to(field, inputs)).options
    before = sandbox.balance()
    found = engine.execute(f"triggers.{hidden}.operation.perform", form(manifest, inputs))
    assert [one["id"] for one in found] == [option.value for option in expected]
    assert all(one["name"].startswith(option.label) for one, option in zip(found, expected, strict=True))
    assert sandbox.balance() == before


@pytest.mark.parametrize("key", [key for key, one in APP["triggers"].items() if one["display"].get("hidden")])
def test_every_hidden_trigger_says_what_is_missing_or_gives_options(key, engine):
    needed = [field["key"] for field in APP["triggers"][key]["operation"]["inputFields"] if field["required"]]
    if not needed:
        assert engine.execute(f"triggers.{key}.operation.perform")
        return
    with pytest.raises(ZapierError, match="required"):
        engine.execute(f"triggers.{key}.operation.perform")


def test_currencies_stand_in_the_form_itself():
    fields = APP["creates"]["create_cash_book_entry"]["operation"]["inputFields"]
    choices = next(field for field in fields if field["key"] == "waehrung")["choices"]
    assert choices[0]["value"] == "EUR"
    assert len(choices) > 100
