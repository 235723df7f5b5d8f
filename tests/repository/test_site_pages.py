"""The site has a page for everything that there is, in both languages, and no link that leads nowhere."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from connector import Connector
from connector.core.messages import Text, sentences
from connector.core.problems import KINDS, title
from connector.core.rules import FILE, RULES
from connector.core.service.environment import VARIABLES
from docs.site.__main__ import ROOT
from docs.site.markdown import plain, words
from tests.repository.site_pages import LANGUAGES, pages

CONNECTOR = Connector("unused")
MANIFESTS = {
    f"{folder}/{id}.md": one
    for folder in ("actions", "triggers", "lookups")
    for id, one in getattr(CONNECTOR, folder).items()
}
LINK = re.compile(r"\]\(([^)\s#]*)(?:#[^)\s]*)?\)")
ENTRY = re.compile(r"(?s)```\{toctree\}\n(.*?)```")


def heading(page: str) -> str:
    return page.partition("\n")[0].removeprefix("# ")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_everything_has_a_page_with_its_title(lang: str) -> None:
    found = pages(lang)
    for path, manifest in MANIFESTS.items():
        assert heading(found[path]) == plain(manifest.title.in_(lang))
        assert plain(manifest.description.in_(lang)) in found[path]
        assert all(plain(name) in found[path] for name in manifest.aliases)
    for kind in KINDS:
        assert heading(found[f"errors/{kind}.md"]) == plain(title(kind).in_(lang))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_tells_every_input_the_cost_the_output_and_a_sample(lang: str) -> None:
    for path, manifest in MANIFESTS.items():
        page = pages(lang)[path]
        for field in manifest.inputs:
            assert field.internal or f"`{field.name}` – {plain(field.label.in_(lang))}" in page
        assert str(Text(*sentences()["fact_cost"]).in_(lang)) in page
        assert words()["heading_sample"].in_(lang) in page
        assert "```json" in page
        assert all(words()[f"heading_{face}"].in_(lang) in page for face in ("cli", "http", "python"))
    for path, action in ((path, one) for path, one in MANIFESTS.items() if path.startswith("actions/")):
        assert (words()["heading_repeat"].in_(lang) in pages(lang)[path]) == action.writes


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_link_leads_nowhere_and_every_page_is_in_a_table_of_contents(lang: str) -> None:
    found = pages(lang)
    images = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "screenshots").iterdir()}
    listed = {"index.md"}
    for path, text in found.items():
        for target in LINK.findall(text):
            if target and "://" not in target:
                assert posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) in {*found, *images}, path
        for contents in ENTRY.findall(text):
            names = [line.rpartition("<")[2].rstrip(">") for line in contents.splitlines() if line and line[0] != ":"]
            listed |= {posixpath.join(posixpath.dirname(path), f"{name}.md") for name in names}
    assert listed == set(found)


def test_both_languages_have_the_same_pages_and_each_its_own_words() -> None:
    english, german = (pages(lang) for lang in LANGUAGES)
    assert set(english) == set(german)
    assert not [path for path in english if english[path] == german[path]]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_variable_is_told_with_its_meaning(lang: str) -> None:
    page = pages(lang)["environment.md"]
    for variable in VARIABLES.values():
        assert f"| `{variable.name}` |" in page
        assert plain(variable.meaning.in_(lang)) in page


def test_the_documents_of_the_checkout_are_pages() -> None:
    documents = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")}
    assert documents | {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} <= set(pages("en"))


def test_every_rule_and_every_kind_of_error_has_words() -> None:
    assert {name.removeprefix("rule_") for name in words() if name.startswith("rule_")} == {*RULES, FILE, "warns"}
    assert {name.removeprefix("meaning_") for name in words() if name.startswith("meaning_")} == set(KINDS)


def test_every_word_of_the_site_is_used() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in Path(ROOT, "docs", "site").glob("*.py"))
    computed = ("column_", "type_", "rule_", "bound_", "meaning_", "remedy_", "outcome_", "option_", "theme_")
    named = [name for name in words() if not name.startswith(computed)]
    parts = ("actions", "triggers", "lookups")
    made = {f"{part}_{what}" for part in parts for what in ("title", "about")} | {"fact_retry"}
    assert not [name for name in named if f'"{name}"' not in code and f"'{name}'" not in code and name not in made]


def test_a_page_shows_what_a_text_says_and_not_what_markdown_makes_of_it() -> None:
    assert plain("a_b *c* <d> {e} | [f](g) $h$") == "a\\_b \\*c\\* \\<d\\> \\{e\\} \\| \\[f\\](g) \\$h\\$"
