"""What the form of the policy says of each setting, also of one that it has no words for."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal
from typing import Any

import pytest

from connector.core.writes.policy import SETTINGS, Policy, Setting
from connector.interfaces.console.forms.policy_words import PolicyWords, groups_of, setting_of
from connector.interfaces.console.localizer import Localizer

EN, DE = (PolicyWords(Localizer(lang), {"initiate_payment": "Zahlung auslösen"}) for lang in ("en", "de"))


def test_every_field_of_the_policy_is_a_setting_of_a_known_kind_in_a_group() -> None:
    assert set(SETTINGS) == {field.name for field in fields(Policy)}
    assert all(setting.kind != "text" for setting in SETTINGS.values())
    assert sorted(name for _, names in groups_of(SETTINGS) for name in names) == sorted(SETTINGS)


@pytest.mark.parametrize("words", [EN, DE])
@pytest.mark.parametrize("name", SETTINGS)
def test_what_follows_is_another_sentence_for_another_value_and_names_no_field(words: PolicyWords, name: str) -> None:
    setting = SETTINGS[name]
    values: dict[str, tuple[Any, Any]] = {
        "amount": (None, Decimal(500)),
        "number": (setting.least, setting.most),
        "flag": (False, True),
        "payees": ([], ["DE02120300000000202051"]),
        "actions": ([], ["initiate_payment"]),
    }
    first, second = values.get(setting.kind) or setting.choices[:2]
    said = [words.effect(setting, first), words.effect(setting, second), words.label(setting)]
    assert len(set(said)) == 3
    assert not any("_" in text or name in text.split() for text in said)
    assert words.changes(setting, first, second)
    assert not words.changes(setting, first, first)


def test_effects_read_like_sentences_of_a_bookkeeper() -> None:
    above, hours = SETTINGS["approve_above"], SETTINGS["approval_hours"]
    assert EN.effect(above, Decimal(500)).startswith("Payments above EUR 500.00 wait for another person;")
    assert DE.effect(above, Decimal("1500")).startswith("Zahlungen über 1.500,00 € warten auf eine andere Person,")
    assert DE.effect(hours, 1).startswith("Eine Anfrage zur Freigabe verfällt nach 1 Stunde;")
    assert DE.changes(above, None, Decimal(500)) == ["Freigabe nötig über: ohne Grenze → 500,00 €"]
    assert EN.changes(SETTINGS["known_payees"], [], ["DE02120300000000202051"]) == [
        "Payees entered by hand: added DE02 1203 0000 0000 2020 51"
    ]


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("amount", Decimal(20), "Set to EUR 20.00."),
        ("number", 3, "Set to 3 hours."),
        ("flag", False, "Set to no."),
        ("choice", "strict", "Set to strict."),
        ("list", ["a", "b"], "Set to a, b."),
        ("list", [], "Not set."),
        ("text", "x", "Set to x."),
    ],
)
def test_a_setting_without_words_is_shown_by_its_kind(kind: Any, value: Any, said: str) -> None:
    setting = Setting("rest_hours", kind, None, lambda name, written: written)
    assert EN.label(setting) == "Rest hours"
    assert EN.effect(setting, value) == said
    assert groups_of(["payees", "rest_hours"])[-1][1] == ["rest_hours"]


def test_a_value_that_no_setting_declares_is_still_shown() -> None:
    assert [setting_of("new_one", value).kind for value in (True, ["a"], "x")] == ["flag", "list", "text"]
