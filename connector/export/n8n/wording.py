"""Puts a manifest's words into the form that n8n prescribes: titles in title case, descriptions by its linter's rules.

The rules are for English. German words stay as people write them.
"""

from __future__ import annotations

import html
import re

from connector.core.messages import Text, say

SMALL = frozenset(
    re.findall(
        r"\w+",
        "a an and as at because but by en for if in neither nor of on only or over per so some than that the to up "
        "upon v versus via vs when with without yet",
    )
)
TWO_LINES = 150
"""Characters."""
_CLAUSES = (". ", "; ", " – ", ": ")
"""What ends the beginning of a sentence that is too long, the best end first."""
_MANUAL = re.compile(r".(?=[A-Z]|\..)")
_NEXT_SENTENCE = re.compile(r"(?<=[A-Za-zäöüß)“\"]{2}[.!?])\s+(?=[A-ZÄÖÜ„\"])")


def word(name: str, lang: str, /, **values: object) -> str:
    """The words called `name` among the package's own."""
    return say(name, **values).in_(lang)


def title(text: Text, lang: str) -> str:
    """A label as a title."""
    words = _acronyms(text.in_(lang))
    words = words[:1].upper() + words[1:]
    if lang == "de":
        return words
    parts = re.findall(r"[^\s:–—-]+|.", words)
    shown, at = [], 0
    for part in parts:
        inner = 0 < at < len(words) - len(part)
        small = inner and re.sub(r"\W", "", part).lower() in SMALL
        shown.append(part if small or _MANUAL.search(part) else _capital(part))
        at += len(part)
    return "".join(shown)


def dropdown_title(text: Text, lang: str) -> str:
    """A label of a field whose value is picked: the thing, not its id."""
    return re.sub(r" (ID|Name)$", "", title(text, lang))


def sentence(text: Text, lang: str) -> str:
    """A title as the sentence that names an operation in the list of all."""
    words = text.in_(lang)
    return re.sub(r"\s+", " ", words[:1].upper() + words[1:])


def description(text: Text, lang: str) -> str:
    """The first sentence of a help text, or its beginning, without a period: n8n cuts off what exceeds two lines."""
    words = _NEXT_SENTENCE.split(_acronyms(" ".join(text.in_(lang).split())))[0]
    for end in _CLAUSES:
        if len(words) > TWO_LINES:
            words = words[:TWO_LINES].rpartition(end)[0] or words
    words = html.escape(words, quote=False).replace("&amp;", "and").replace("`", "'")
    words = words[:1].upper() + words[1:]
    several = len(words.split(". ")) > 1
    bare = words.removesuffix(".")
    return f"{bare}." if several else bare


def yes_no_description(text: Text, lang: str) -> str:
    """The help of a switch."""
    words = description(text, lang)
    return words if lang == "de" else word("n8n_whether", lang, help=f"{words[:1].lower()}{words[1:]}")


def _capital(word: str) -> str:
    return re.sub(r"[A-Za-z0-9\u00C0-\u00FF]", lambda found: found[0].upper(), word, count=1)


def _acronyms(words: str) -> str:
    words = re.sub(r"\b[iI]ds\b", "IDs", re.sub(r"\b(id|Id)\b", "ID", words))
    return re.sub(r"\b(json|Json)\b", "JSON", re.sub(r"\b(url|Url)\b", "URL", words))
