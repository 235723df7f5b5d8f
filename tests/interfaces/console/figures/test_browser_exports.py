"""The exports page: the safer way first, its guarantees on the card, and packages that are ready to install."""

from __future__ import annotations

import tarfile
import zipfile

from playwright.sync_api import expect

from tests.interfaces.console.visitor import Visitor


def test_each_card_says_what_its_way_guarantees_and_the_safer_one_comes_first(visitor: Visitor) -> None:
    visitor.open("exports")
    card = visitor.page.locator("section.panel", has=visitor.page.get_by_role("heading", name="n8n", exact=True))
    ways = card.locator("section.way").all_inner_texts()
    assert "Through this host" in ways[0]
    assert "Never books or pays twice" in ways[0]
    assert "Straight to the service" in ways[1]
    assert "may book or pay a second time" in ways[1]
    expect(card.locator("ol.steps")).to_contain_text("npm install")
    visitor.picture("exports")


def test_the_package_for_n8n_is_ready_to_install_and_the_others_are_zips(visitor: Visitor) -> None:
    visitor.open("exports")
    with visitor.page.expect_download() as download:
        visitor.press("n8n: download .tgz (Through this host)")
    assert download.value.suggested_filename.startswith("n8n-nodes-kontor-")
    with tarfile.open(download.value.path()) as package:
        assert "package/dist/nodes/Kontor/Kontor.node.js" in package.getnames()
    with visitor.page.expect_download() as download:
        visitor.press("Zapier: download .zip (Through this host)")
    with zipfile.ZipFile(download.value.path()) as package:
        assert "kontor-report.json" in package.namelist()
    visitor.sees("Left out:")


def test_the_exports_page_in_german_on_a_phone(phone_visitor: Visitor) -> None:
    phone_visitor.page.goto(f"{phone_visitor.console.url}/language/de?from={phone_visitor.console.url}/exports")
    phone_visitor.open("exports")
    phone_visitor.sees("Bucht und zahlt nie doppelt")
    assert phone_visitor.page.evaluate("document.documentElement.scrollWidth") <= 390
    phone_visitor.picture("exports-phone")
