"""The site as it is built, in a real Chromium: found, searched and read in both languages, from files alone."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest

from docs.site.__main__ import build


class Page(HTMLParser):
    """The links and anchors of a page, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors.add(given.get("id", ""))
        if "href" in given:
            (self.links if tag == "a" else self.loaded).append(given["href"])
        self.loaded += [given["src"]] if "src" in given else []


def dead_links(site: Path) -> list[tuple[str, str]]:
    """Links to files or anchors that are not there, and whatever is loaded from elsewhere."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    found = []
    for path, page in pages.items():
        for link in [*page.links, *page.loaded]:
            address, anchor = urldefrag(link)
            if link.startswith(("https://", "http://", "mailto:")):
                found += [(str(path), link)] if link in page.loaded else []
                continue
            target = (path.parent / unquote(address.partition("?")[0])).resolve() if address else path
            if not target.exists() or (target in pages and unquote(anchor) not in pages[target].anchors):
                found.append((str(path.relative_to(site)), link))
    return found


def test_the_site_is_searched_and_read_in_both_languages_without_any_network(browser: Any, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(site)
    assert dead_links(site) == []
    context = browser.new_context(locale="de-DE", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    page.goto((site / "index.html").as_uri())
    page.wait_for_url("**/de/index.html")
    assert page.locator("html").get_attribute("lang") == "de"
    search(page, "Kassenbuchung", "Seiten gefunden")
    page.locator("#search-results a", has_text="Kassenbuchung anlegen").first.click()
    page.wait_for_url("**/de/actions/create_cash_book_entry.html*")
    assert page.locator("h1").inner_text().startswith("Kassenbuchung anlegen")
    assert page.get_by_text("belegzeilen[].betrag", exact=True).first.is_visible()

    page.locator("a.other-language").click()
    page.wait_for_url("**/en/actions/create_cash_book_entry.html")
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").inner_text().startswith("Create cash book entry")
    search(page, "settled", "pages matching")
    page.locator("#search-results a", has_text="Payment settled").first.click()
    page.wait_for_url("**/en/triggers/payment_settled.html*")

    page.locator(".sidebar-tree a", has_text="Environment variables").click()
    page.wait_for_url("**/en/environment.html")
    assert page.get_by_text("KONTOR_TEMPORAL", exact=True).is_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()
    assert complaints == []
    assert asked
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def search(page: Any, words: str, ending: str) -> None:
    page.locator("input.sidebar-search").fill(words)
    page.locator("input.sidebar-search").press("Enter")
    page.wait_for_url("**/search.html?*")
    page.get_by_text(ending).wait_for(state="attached")  # all results are there


@pytest.mark.parametrize(
    ("body", "dead"),
    [
        ('<a href="other.html">', True),
        ('<a href="#nowhere">', True),
        ('<a href="page.html#here">', False),
        ('<a href="https://elsewhere.example">', False),
        ('<script src="https://elsewhere.example/x.js">', True),
        ('<link href="https://elsewhere.example/x.css">', True),
    ],
)
def test_a_dead_link_and_whatever_comes_from_elsewhere_is_found(tmp_path: Path, body: str, dead: bool) -> None:
    (tmp_path / "page.html").write_text(f'<p id="here">{body}', encoding="utf-8")
    assert bool(dead_links(tmp_path)) == dead
