"""Names of people: which spellings mean the same person, which look alike, and which nobody may have."""

from __future__ import annotations

import pytest

from connector.core.errors import InputError
from connector.core.writes.person_names import checked, normal_form, skeleton

SAME = {
    "composed and apart": ("Jos\u00e9 M\u00fcller", "Jose\u0301 Mu\u0308ller"),
    "case and blanks": ("Ada Berg", "  ADA\u00a0\u2009 berg "),
    "sharp s": ("Strau\u00df", "STRAUSS"),
    "full width": ("\uff21da", "Ada"),
    "ligature": ("\ufb01nn", "Finn"),
}
ALIKE = {
    "Cyrillic A": ("Ada Berg", "\u0410da Berg"),
    "all Cyrillic": ("Cacxa", "\u0421\u0430\u0441\u0445\u0430"),
    "Greek N": ("Nora", "\u039dora"),
    "umlaut": ("M\u00fcller", "Mueller"),
    "accent": ("Jos\u00e9", "Jose"),
    "r and n": ("Arno", "Amo"),
    "hyphen": ("Ada-Berg", "Ada Berg"),
    "capital i": ("Ilse", "llse"),
    "nought": ("Otto", "0tto"),
}
TAKEN = ("Ada Berg", "M\u00fcller", "n8n", "\u0410\u043d\u043d\u0430", "\u5c71\u7530\u30a2\u30c0")
REFUSED = {
    "Latin in Cyrillic": "\u0410da",
    "Cyrillic in Latin": "Ad\u0430",
    "Greek in Latin": "\u0391da",
    "empty": "",
    "blank": "  ",
    "signs": "...",
    "zero width": "A\u200bda",
    "variation": "Ada\ufe0f",
    "filler": "A\u3164",
    "line": "A\nda\x00",
    "long": "x" * 201,
    "turned": "\u202eadA",
}


@pytest.mark.parametrize(("name", "other"), SAME.values(), ids=SAME)
def test_two_spellings_are_the_same_name(name: str, other: str) -> None:
    assert normal_form(name) == normal_form(other)
    assert skeleton(name) == skeleton(other)


@pytest.mark.parametrize(("known", "other"), ALIKE.values(), ids=ALIKE)
def test_two_names_look_alike_without_being_the_same(known: str, other: str) -> None:
    assert normal_form(known) != normal_form(other)
    assert skeleton(known) == skeleton(other)


@pytest.mark.parametrize("name", TAKEN)
def test_a_name_in_one_script_is_taken_as_it_is(name: str) -> None:
    assert checked(f"  {name} ") == name


@pytest.mark.parametrize("name", REFUSED.values(), ids=REFUSED)
def test_a_name_that_mixes_scripts_or_shows_nothing_is_refused(name: str) -> None:
    with pytest.raises(InputError) as refused:
        checked(name)
    assert refused.value.field == "person"


def test_different_people_keep_different_names() -> None:
    names = ["Ada Berg", "Ada Burg", "Jan Petersen", "Jana Petersen", "Anna", "Hanna", "Karl Meyer", "Carla Meyer"]
    assert len({skeleton(name) for name in names}) == len(names)
