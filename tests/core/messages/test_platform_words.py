"""Remedies name what their readers see: one table of words for each platform, in both languages."""

from __future__ import annotations

import ast
import pickle
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from connector.core.callers import CallSource, known_platform, set_source
from connector.core.errors import LikelyRepeat, OutcomeUnknown
from connector.core.messages import ANYWHERE, Text, joined, platform_words, say, sentences, template, worded

ROOT = Path(__file__).parents[3]
WORD = re.compile(r"\{@(\w+)\}")
QUOTED = re.compile(r"(?<!\w)'([A-Z][^']*)'|„([^“{]*)“")
OUTSIDE = {"Authorization: Bearer TOKEN", "kontor workspaces list"}
"""What is quoted and no label."""
LABELLED = ("host", "console")
"""The platforms whose labels are the console's; an export has a test of its own."""


def named_by(sentence: str) -> set[str]:
    return {name.lower() for name in WORD.findall(sentence)}


def blanks(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field and not field.startswith("@")}


def needed(name: str) -> set[str]:
    """The blanks of a word on any platform."""
    said = [text for words in platform_words().values() for text in words.get(name, ())]
    return {blank for text in said for blank in blanks(text)}


def calls() -> Iterator[tuple[str, set[str]]]:
    """Every sentence that names words of platforms, with the values that the code gives it."""
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "connector").rglob("*.py"))
    for source in sources:
        for node in ast.walk(ast.parse(source)) if "say(" in source else ():
            match node:
                case ast.Call(func=ast.Name(id="say"), args=[first, *_], keywords=given):
                    for said in ast.walk(first):
                        if isinstance(said, ast.Constant) and WORD.search(sentences().get(said.value, ("",))[0]):
                            yield str(said.value), {str(argument.arg) for argument in given}


def test_every_word_that_a_sentence_names_is_there_for_anybody_and_none_is_idle() -> None:
    named = {word for english, german in sentences().values() for word in named_by(english) | named_by(german)}
    assert named == set(platform_words()[ANYWHERE])
    assert {platform: set(words) - named for platform, words in platform_words().items()} == {
        platform: set() for platform in platform_words()
    }


def test_whoever_says_a_sentence_gives_what_the_words_of_any_platform_need() -> None:
    said = list(calls())
    assert len(said) > 15
    lacking = {
        (name, blank)
        for name, given in said
        for word in named_by(sentences()[name][0])
        for blank in needed(word) - given
    }
    assert lacking == set()


def test_a_word_has_the_same_blanks_in_both_languages() -> None:
    differing = [
        (platform, name)
        for platform, words in platform_words().items()
        for name, (english, german) in words.items()
        if blanks(english) != blanks(german)
    ]
    assert differing == []


def test_labels_in_quotes_are_those_of_the_console() -> None:
    known = [{text[lang] for text in sentences().values()} for lang in (0, 1)]
    quoted = [
        (platform, name, label)
        for platform in LABELLED
        for name, words in platform_words()[platform].items()
        for lang, text in enumerate(words)
        for label in map("".join, QUOTED.findall(text))
        if label not in known[lang] | OUTSIDE
    ]
    assert quoted == []


@pytest.mark.parametrize(
    ("platform", "words"),
    [
        ("cli", "--again"),
        ("python", "again=True"),
        ("console", "'Send a second time'"),
        ("http", '"again": true'),
        ("mcp", "again: true"),
        ("n8n", "'Send Again on Purpose'"),
        ("zapier", "'Send Again on Purpose'"),
        ("make", "'Send again on purpose'"),
        ("power-automate", "'Send again on purpose'"),
    ],
)
def test_a_likely_repeat_is_told_in_the_words_of_each_platform(platform: str, words: str) -> None:
    error = LikelyRepeat(say("likely_repeat", run="r1", minutes=10))
    assert words in error.as_dict(platform=platform)["remedy"]["en"]
    others = {"--again", "again=True", '"again": true', "Send a second time"} - {words.strip("'")}
    assert not [other for other in others if other in error.remedy.in_("en", platform)]


def test_an_error_is_worded_for_whoever_reads_it_and_not_for_whoever_caused_it() -> None:
    set_source(CallSource("cli"))
    error = OutcomeUnknown(say("parked"), remedy=say("parked_remedy", run="r1"))
    assert "kontor runs settle r1 --happened" in error.remedy.en
    set_source(CallSource("http", platform="zapier"))
    assert "Kontor's console" in error.as_dict()["remedy"]["en"]
    set_source(CallSource("http"))
    assert "POST /v1/runs/r1/settle" in error.as_dict()["remedy"]["en"]


def test_a_platform_is_told_over_http_only() -> None:
    assert CallSource("mcp", platform="n8n").reads_on == "mcp"
    assert [known_platform(label) for label in ("n8n", " Zapier ", "my own label", "host", "")] == [
        "n8n",
        "zapier",
        "",
        "",
        "",
    ]


def test_sentences_stay_worded_when_they_are_joined_put_into_others_and_copied() -> None:
    both = joined(Text("First.", "Erstens."), say("likely_repeat_remedy"))
    assert both.in_("en", "cli").startswith("First. If it is meant")
    assert "--again" in both.in_("de", "cli")
    inside = say("look_failed", why=both)
    assert "again=True" in inside.in_("en", "python")
    assert pickle.loads(pickle.dumps(inside)).in_("de", "mcp") == inside.in_("de", "mcp")


def test_what_a_value_says_is_never_taken_for_a_word() -> None:
    text = say("parked_look_again", run="r1", key="{@settle} {run}").in_("en", "cli")
    assert "'{@settle} {run}'" in text


def test_a_package_gets_its_own_words_and_keeps_the_other_blanks_open() -> None:
    assert "'Send Again on Purpose'" in worded(template("package_repeats_remedy"), "n8n").en
    assert worded(template("parked_remedy"), "cli").en.count("{run}") == 1
