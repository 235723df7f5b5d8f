"""Templates without a language, as polls use them, and filters that are not there."""

from __future__ import annotations

import pytest

from connector.core.data.templates import Template

WORDS = {"state": {"open": {"en": "Open", "de": "Offen"}}}
ROW = {"amount": "1234.5", "currency": "EUR", "at": "2026-03-31T22:00:00Z", "state": "open"}


@pytest.mark.parametrize("written", ["{amount:money(currency)}", "{amount:number}", "{at:day}", "{state:word(state)}"])
def test_without_a_language_values_stand_as_they_came(written: str) -> None:
    template = Template(written, WORDS)
    value = ROW[written.strip("{}").partition(":")[0]]
    assert template.render(ROW) == value
    assert template.render(ROW, lang="de") not in (value, template.render(ROW, lang="en"))


@pytest.mark.parametrize("written", ["{state:word(colour)}", "{state:word}", "{state:upper}"])
def test_what_is_not_there_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"there (is|are) no"):
        Template(written, WORDS)
