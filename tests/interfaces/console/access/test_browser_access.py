"""Access: axe-core finds nothing on any page, in both languages, light and dark, on a wide screen and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from fastapi.routing import APIRoute
from nicegui import app
from playwright.sync_api import expect

from tests.interfaces.console.running_console import RunningConsole, troubled_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor
from tests.platforms.node import or_skip
from tests.platforms.npm import installed
from tests.support.troubles import Troubles

WITH_INPUTS = (
    "actions/create_cash_book_entry",
    "actions/initiate_payment",
    "actions/list_payments",
    "triggers/payment_settled",
    "triggers/new_transaction",
)
"""Pages of one thing; those without a parameter are found by themselves."""
RUN = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations.flatMap(
  (one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 300)}`))"""
AT_ONCE = "*, *::before, *::after { transition: none !important; animation: none !important }"
LUMINANCE = """
  const channel = (one) => (one /= 255) <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
  const colour = (text) => text.match(/[0-9.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const over = ([r, g, b, a = 1], ground) => [r, g, b].map((one, at) => one * a + ground[at] * (1 - a));
  const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
"""


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningConsole, Troubles]]:
    with troubled_console(tmp_path_factory.mktemp("access")) as troubled:
        yield troubled


@pytest.fixture(scope="module")
def console(troubled: tuple[RunningConsole, Troubles]) -> RunningConsole:
    return troubled[0]


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core, from npm."""
    with or_skip():
        return (installed("axe") / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    raise AssertionError("unreachable")


STILL = """document.getAnimations().every(
  (one) => one.playState !== 'running' || one.effect.getTiming().iterations === Infinity)"""


def all_pages(troubles: Troubles) -> list[str]:
    """Every page of the console, those of other tests left out, and one of each thing that has a page."""
    made = dict(troubles.made)
    things = [
        *(f"runs/{made[kind]}" for kind in ("outcome_unknown", "approval_waiting")),
        f"subscriptions/{made['subscription_failing']}",
    ]
    pages = [route for route in app.routes if isinstance(route, APIRoute) and "{" not in route.path]
    pages = [route for route in pages if route.endpoint.__module__.startswith("connector.")]
    return [*sorted({route.path.strip("/") for route in pages}), *WITH_INPUTS, *things]


def settle(visitor: Visitor) -> None:
    """Wait until the page shows what it will, and nothing fades."""
    visitor.wait_until_built()
    visitor.page.wait_for_function(STILL)


@pytest.mark.long
@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_axe_finds_nothing_on_any_page(
    troubled: tuple[RunningConsole, Troubles], browser: Any, axe: str, locale: str
) -> None:
    found, (console, troubles) = [], troubled
    with Visitor(console, browser, SCREENSHOTS, locale=locale, width=1440) as visitor:
        for place in all_pages(troubles):
            visitor.open(place)
            settle(visitor)
            visitor.page.evaluate(axe)
            visitor.page.add_style_tag(content=AT_ONCE)
            for scheme, width in product(("light", "dark"), (1440, 390)):
                visitor.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                visitor.page.set_viewport_size({"width": width, "height": 900})
                visitor.page.locator(f"body.body--{scheme}").wait_for()
                visitor.page.wait_for_function(STILL)
                shown = f"{place or 'overview'}, {scheme}, {width}"
                found += [f"{shown}: {one}" for one in visitor.page.evaluate(RUN)]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_borders_of_fields_and_buttons_stand_out_three_to_one(
    console: RunningConsole, browser: Any, theme: str
) -> None:
    with Visitor(console, browser, SCREENSHOTS, locale="en-US", width=1440) as visitor:
        visitor.open(f"theme/{theme}")
        visitor.open("actions/create_cash_book_entry")
        visitor.page.locator(".panel .q-field").first.wait_for()
        settle(visitor)
        weak = visitor.page.evaluate(
            f"""() => {{ {LUMINANCE}
            const ground = colour(getComputedStyle(document.querySelector('.panel')).backgroundColor);
            return [...document.querySelectorAll('main .q-field--outlined .q-field__control, main .q-btn.action')]
              .filter((one) => one.offsetParent && !one.closest('.plain, .primary'))
              .map((one) => [one.className, contrast(
                light(over(colour(getComputedStyle(one, '::before').borderTopColor), ground)), light(ground))])
              .filter(([, found]) => found < 3) }}"""
        )
        assert weak == []


def test_the_focus_is_seen_on_whatever_has_it(visitor: Visitor) -> None:
    visitor.open("actions/create_cash_book_entry")
    settle(visitor)
    unseen = []
    for _ in range(45):
        visitor.page.keyboard.press("Tab")
        seen = visitor.page.evaluate(
            """() => { const one = document.activeElement;
            if (one === document.body) return '';
            const field = one.closest('.q-field__control');
            const style = getComputedStyle(one), around = field && getComputedStyle(field, '::after');
            const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
            const framed = around && parseFloat(around.borderTopWidth) >= 2;
            const lit = style.boxShadow !== 'none' || one.closest('.q-checkbox');
            return outlined || framed || lit ? '' : one.outerHTML.slice(0, 150) }"""
        )
        unseen += [seen] if seen else []
    assert unseen == []


def test_a_page_has_one_main_landmark(visitor: Visitor) -> None:
    for place in ("", "money", "actions/initiate_payment"):
        visitor.open(place)
        expect(visitor.page.locator("main, [role=main]")).to_have_count(1)


def test_the_focus_stays_on_a_field_after_choosing_in_its_list(visitor: Visitor) -> None:
    visitor.open("actions/create_cash_book_entry")
    visitor.choose("Ledger connection", "Nordlicht Fahrradhandel GmbH")
    visitor.page.wait_for_function("document.activeElement.ariaLabel?.startsWith('Ledger connection')")


def test_a_list_that_is_drawn_late_is_seen(visitor: Visitor) -> None:
    visitor.open("actions/initiate_payment")
    visitor.page.evaluate("""() => {
      const slow = document.head.appendChild(document.createElement('style'));
      slow.textContent = '.q-menu { display: none }';
      setTimeout(() => slow.remove(), 3000);
    }""")
    visitor.page.get_by_role("combobox", name="From account").click()
    visitor.page.get_by_role("option").filter(has_text="Geschäftskonto").first.click()
