"""Every platform shows what a day of a trigger costs, in the language of the package."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector
from connector.core.data.price import price_of_day, price_of_whole_polls, price_on_schedule
from connector.core.service.wire import Wire
from connector.export.catalogue import export
from connector.export.shape import ExportOptions

CONNECTOR = Connector("unused")
KEPT = [("n8n", "service"), ("n8n", "host"), ("zapier", "host")]
KEPT += [("make", "host"), ("power-automate", "host")]
SCHEDULES = {"make": 900, "power-automate": CONNECTOR.trigger("new_transaction").usual_interval}


def text_of(platform: str, via: Any, lang: Any) -> str:
    made = export(platform, CONNECTOR, ExportOptions(wire=Wire.load({}), via=via, lang=lang))
    return "\n".join(content.decode(errors="replace") for content in made.files.values())


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize(("platform", "via"), KEPT)
def test_where_state_is_kept_it_is_the_price_of_looks_that_are_due(platform: str, via: str, lang: str) -> None:
    assert price_of_day(CONNECTOR.trigger("new_transaction").raw).in_(lang) in text_of(platform, via, lang)


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("platform", SCHEDULES)
def test_where_none_is_kept_it_is_the_price_of_the_schedule(platform: str, lang: str) -> None:
    price = price_on_schedule(CONNECTOR.trigger("new_transaction").raw, SCHEDULES[platform])
    assert price.in_(lang) in text_of(platform, "service", lang)


@pytest.mark.parametrize("lang", ["en", "de"])
def test_where_only_the_last_look_is_known_it_is_the_price_of_whole_looks(lang: str) -> None:
    tree, text = CONNECTOR.trigger("new_transaction").raw, text_of("zapier", "service", lang)
    assert price_of_whole_polls(tree).in_(lang) in text
    assert price_of_day(tree).in_(lang) not in text
