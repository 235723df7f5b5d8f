"""What a day of a trigger costs, from its manifest alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from connector.core.data.price import (
    MAX_STATELESS_PAGES,
    credits_a_day,
    credits_on_schedule,
    has_free_signs,
    price_of_day,
    price_of_whole_polls,
    price_on_schedule,
)
from connector.core.manifest.load import load

TRIGGERS = load()["triggers"]


def tree(**more: Any) -> dict[str, Any]:
    return {"source": "poll", "cost": {"credits": 2}, "interval": {"usual": 3600, "least": 60}, "poll": {}, **more}


def test_the_longer_interval_decides() -> None:
    assert credits_a_day(tree()) == 48
    assert credits_a_day(tree(interval={"usual": 60, "least": 7200})) == 24
    assert credits_a_day(tree(interval={"usual": 50_000, "least": 60})) == 4, "a look that has begun is paid"


def test_with_free_signs_a_quiet_day_has_two_looks() -> None:
    assert credits_a_day(tree(poll={"shared": {}})) == 4
    assert has_free_signs(TRIGGERS["new_transaction"])
    assert not has_free_signs(TRIGGERS["open_item_changed"])


def test_events_and_free_polls_cost_nothing() -> None:
    assert credits_a_day({"source": "event", "cost": {"credits": 3}}) == 0
    assert credits_on_schedule({"source": "event", "cost": {"credits": 3}}, 60) == 0
    assert credits_a_day(tree(cost={"credits": 0})) == 0


@pytest.mark.parametrize(
    ("id", "en", "de"),
    [
        ("open_item_changed", "A day costs 5 credits.", "Ein Tag kostet 5 Credits."),
        ("new_payment", "A day costs nothing.", "Ein Tag kostet nichts."),
        ("payment_settled", "A day costs nothing.", "Ein Tag kostet nichts."),
        (
            "new_transaction",
            "A day costs 2 credits while nothing moves, and a look more each time something does: 48 credits at most.",
            "Ein Tag kostet 2 Credits, solange sich nichts bewegt, und einen Abruf mehr, sooft sich etwas bewegt: "
            "höchstens 48 Credits.",
        ),
    ],
)
def test_the_price_of_a_day_is_a_sentence(id: str, en: str, de: str) -> None:
    assert price_of_day(TRIGGERS[id]).as_dict() == {"en": en, "de": de}


def test_where_no_place_is_kept_each_look_pays_for_every_page() -> None:
    price = price_of_whole_polls(TRIGGERS["new_transaction"])
    assert price.en == (
        "A day costs 2 to 20 credits while nothing moves, 4 to 40 credits where the accounts list cannot be read, "
        "and a look more each time something moves."
    )
    assert price.de == (
        "Ein Tag kostet 2 bis 20 Credits, solange sich nichts bewegt, 4 bis 40 Credits, wenn die Kontenliste nicht "
        "lesbar ist, und einen Abruf mehr, sooft sich etwas bewegt."
    )
    assert price_of_whole_polls(TRIGGERS["new_payment"]).en == "A day costs nothing."
    assert (
        price_of_whole_polls(tree(poll={"by_id": {}}, cost={"credits": 1})).en == "A day costs 1440 to 14400 credits."
    )
    assert price_of_whole_polls(tree(poll={"seen": {}})).en == "A day costs 2880 credits.", "as often as it may"


def test_the_pages_of_a_look_are_those_that_the_package_reads() -> None:
    source = (Path(__file__).parents[3] / "connector/export/node/core/poller/poller.ts").read_text(encoding="utf-8")
    assert f"const MAX_STATELESS_PAGES = {MAX_STATELESS_PAGES};" in source


def test_where_nothing_is_kept_the_schedule_decides() -> None:
    price = price_on_schedule(TRIGGERS["new_transaction"], 900)
    assert price.en == "Asked every 15 minutes, a day costs 96 credits."
    assert price_on_schedule(TRIGGERS["new_payment"], 900).en == "A day costs nothing."
    assert price_on_schedule(tree(cost={"credits": 1}), 86_400).en == "Asked every 1440 minutes, a day costs 1 credit."
