"""On a phone the page begins at once, every target can be hit, and nothing is cut off; dark icons stand out too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.interfaces.console.access.test_browser_access import LUMINANCE, all_pages, settle
from tests.interfaces.console.running_console import RunningConsole, troubled_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor
from tests.support.troubles import Troubles

WIDTH, HEAD, TARGET = 390, 120, 44
TARGETS = """(least) => {
  const seen = (one) => one.checkVisibility({visibilityProperty: true, opacityProperty: true});
  const inText = (one) => getComputedStyle(one).display === 'inline'
    && one.parentElement.textContent.trim() !== one.textContent.trim();
  const widget = '.q-field__control, .q-checkbox, .q-radio, .q-uploader, label';
  const area = (one) => (one.closest(widget) || one).getBoundingClientRect();
  const targets = 'a[href], button, summary, input, textarea, [role=button], [role=checkbox], [role=radio], [role=tab]';
  return [...document.querySelectorAll(targets)]
    .filter((one) => seen(one) && !one.matches('.skip, [type=hidden], .q-uploader *') && !inText(one))
    .map((one) => [one, area(one)])
    .filter(([, box]) => box.width > 0 && (box.height < least - 0.5 || box.width < least - 0.5))
    .map(([one, box]) => `${one.outerHTML.slice(0, 140)}: ${Math.round(box.width)} x ${Math.round(box.height)}`);
}"""
CUT = """() => [...document.querySelectorAll('main *, .top *')]
  .filter((one) => one.checkVisibility() && !one.closest('.unseen, pre, .code-scroll, svg, .q-uploader, .places'))
  .filter((one) => ['hidden', 'clip'].includes(getComputedStyle(one).overflowX) && one.innerText?.trim())
  .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)  // 1: there for screen readers only
  .map((one) => `${one.className}: ${one.innerText.trim().slice(0, 60)}`)"""
ICONS = """() => { LUMINANCE
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const found = colour(getComputedStyle(at).backgroundColor);
      if ((found[3] ?? 1) > 0.5) return found;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('.q-icon, .q-checkbox__bg')]
    .filter((one) => one.checkVisibility({opacityProperty: true}) && !one.closest('[disabled], .disabled'))
    .map((one) => [one, contrast(light(over(colour(getComputedStyle(one).color), ground(one))), light(ground(one)))])
    .filter(([, found]) => found < 3)
    .map(([one, found]) => `${one.className} ${one.textContent}: ${found.toFixed(1)}`) }"""


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningConsole, Troubles]]:
    with troubled_console(tmp_path_factory.mktemp("phone")) as troubled:
        yield troubled


@pytest.mark.long
@pytest.mark.parametrize("locale", ["de-DE", "en-US"])
def test_the_page_begins_at_once_targets_can_be_hit_and_nothing_is_cut(
    troubled: tuple[RunningConsole, Troubles], browser: Any, locale: str
) -> None:
    found, (console, troubles) = [], troubled
    with Visitor(console, browser, SCREENSHOTS, locale=locale, width=WIDTH) as visitor:
        for place in all_pages(troubles):
            page = visitor.open(place)
            settle(visitor)
            begins = page.evaluate("document.querySelector('main h1').getBoundingClientRect().top")
            wide = page.evaluate("document.scrollingElement.scrollWidth")
            found += [f"{place}: begins at {begins}"] if begins > HEAD else []
            found += [f"{place}: {wide} pixels wide"] if wide > WIDTH else []
            found += [f"{place}: small: {one}" for one in page.evaluate(TARGETS, TARGET)]
            found += [f"{place}: cut: {one}" for one in page.evaluate(CUT)]
    assert found == [], "\n".join(found)


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_icons_stand_out_three_to_one(troubled: tuple[RunningConsole, Troubles], browser: Any, scheme: str) -> None:
    found = []
    with Visitor(troubled[0], browser, SCREENSHOTS, locale="en-US", width=1440) as visitor:
        visitor.page.emulate_media(color_scheme=scheme)
        for place in ("actions/initiate_payment", "actions/create_cash_book_entry", "runs", "triggers/new_transaction"):
            page = visitor.open(place)
            settle(visitor)
            page.locator(f"body.body--{scheme}").wait_for()
            found += [f"{place}: {one}" for one in page.evaluate(ICONS.replace("LUMINANCE", LUMINANCE))]
    assert found == [], "\n".join(found)
