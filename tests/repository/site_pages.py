"""The pages of the site as they are written, and the samples on them."""

from __future__ import annotations

import re
from functools import cache

from connector.core.messages import LANGUAGES
from docs.site.__main__ import reference, sources

__all__ = ["LANGUAGES", "pages", "samples"]
BLOCK = re.compile(r"(?ms)^```(\w+)\n(.*?)^```$")


@cache
def pages(lang: str) -> dict[str, str]:
    return sources(lang)


@cache
def _reference(lang: str) -> dict[str, str]:
    """The pages with samples, which need no exports: each worker makes them before it begins."""
    return reference(lang)


def samples(folder: str, language: str, lang: str = "en") -> dict[str, list[str]]:
    """The blocks of code in a language, by the page of a folder on which they stand."""
    return {
        path.removeprefix(f"{folder}/").removesuffix(".md"): [
            code for kind, code in BLOCK.findall(text) if kind == language
        ]
        for path, text in _reference(lang).items()
        if path.startswith(f"{folder}/") and not path.endswith("index.md")
    }
