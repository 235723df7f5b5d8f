"""Builds the site: `python -m docs.site FOLDER` writes it in both languages, each with its own search."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from connector.core.messages import LANGUAGES
from connector.core.problems import KINDS
from connector.runtime.connector import Connector
from connector.runtime.requests.catalog import Catalog
from docs.site import platform_table
from docs.site.error_pages import error_pages
from docs.site.guides import guide_pages
from docs.site.markdown import word, words
from docs.site.pages import environment_page, kinds, manifest_pages

ROOT = Path(__file__).resolve().parents[2]
BEGIN = ("README.md",)
REFERENCE = ("actions/index.md", "triggers/index.md", "lookups/index.md", "errors/index.md", "environment.md")
GUIDES = ("docs/*.md", "CONTRIBUTING.md", "CHANGELOG.md")
PLATFORMS = platform_table.FILE.relative_to(ROOT).as_posix()
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
ENTRANCE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Kontor</title>
<script>location.replace(navigator.language.startsWith("de") ? "de/index.html" : "en/index.html")</script>
<p><a href="en/index.html">English</a> · <a href="de/index.html" lang="de">Deutsch</a></p>
</html>
"""


def sources(lang: str) -> dict[str, str]:
    """Return every page of a language as Markdown, by its path."""
    with _written_in(lang):
        catalog = Catalog("")
        guides = {**_guides(), PLATFORMS: platform_table.text(Connector("unused"), lang)}
        first = guide_pages(catalog, lang)
        return {"index.md": _entrance(catalog, [*first], guides), **first, **guides, **reference(lang)}


def reference(lang: str) -> dict[str, str]:
    """Return the pages that are made from the manifests, the kinds of errors and the environment variables."""
    with _written_in(lang):
        catalog = Catalog("")
        return {**manifest_pages(catalog), **error_pages(catalog), "environment.md": environment_page()}


@contextmanager
def _written_in(lang: str) -> Iterator[None]:
    before = os.environ.get("KONTOR_LANG")
    os.environ["KONTOR_LANG"] = lang
    try:
        yield
    finally:
        if before is None:
            del os.environ["KONTOR_LANG"]
        else:
            os.environ["KONTOR_LANG"] = before


def _entrance(catalog: Catalog, first: list[str], guides: Mapping[str, str]) -> str:
    counts = {kind: len(manifests) for kind, manifests in kinds(catalog).items()}
    parts = {
        "site_begin": [*BEGIN, *first],
        "site_reference": REFERENCE,
        "site_guides": [one for one in guides if one not in BEGIN],
    }
    text = f"# {word('site_title')}\n\n{word('site_about')}\n\n{word('site_counts', **counts, errors=len(KINDS))}\n\n"
    for name, pages in parts.items():
        listed = "".join(f"{_entry(page)}\n" for page in pages)
        text += f"## {word(name)}\n\n```{{toctree}}\n:caption: {word(name)}\n:maxdepth: 1\n\n{listed}```\n\n"
    return text


def _entry(page: str) -> str:
    """A page in a table of contents; the README's own heading says only what this is about."""
    name = page.removesuffix(".md")
    return f"{word('site_readme')} <{name}>" if page in BEGIN else name


def _guides() -> dict[str, str]:
    """Return the documents of the checkout; they are written in English, but for what is made from declarations."""
    paths = [path for pattern in (*BEGIN, *GUIDES) for path in sorted(ROOT.glob(pattern))]
    names = {path.relative_to(ROOT).as_posix(): path for path in paths}
    return {name: _guide(name, path.read_text(encoding="utf-8"), names) for name, path in names.items()}


def _guide(name: str, text: str, known: Mapping[str, Path]) -> str:
    """A document whose links to files outside the site are plain text."""

    def link(found: re.Match[str]) -> str:
        address = found[2].partition("#")[0]
        target = os.path.normpath(Path(name).parent / address) if address else name
        return found[0] if "://" in address or Path(target).as_posix() in known else found[1]

    text = LINK.sub(link, text).replace("```mermaid", "```text")
    heading, _, rest = text.partition("\n")
    note = f"\n*{word('site_english_only')}*\n" if os.environ["KONTOR_LANG"] == "de" else ""
    return f"{heading}\n{note}{rest}"


def build(folder: Path) -> None:
    """Write the site to a folder, which is replaced; raise when a page or a link is wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as work:
        running = [_sphinx(Path(work, lang), lang, folder / lang) for lang in LANGUAGES]
        said = [one.communicate()[0] for one in running]
    for one, text in zip(running, said, strict=True):
        if one.returncode:
            raise SystemExit(text)
    for lang in LANGUAGES:
        _complete_search(folder / lang / "_static" / "translations.js", lang)
    (folder / "index.html").write_text(ENTRANCE, encoding="utf-8")


def _complete_search(translations: Path, lang: str) -> None:
    """Add what Sphinx says when a search ends: its own catalog lacks it, and looks plurals up by a truth value."""
    if translations.exists():  # English needs none
        said = [words()[name] for name in ("search_one", "search_many")]
        messages = {said[0].en: [text.in_(lang) for text in said]}
        catalog = json.dumps({"locale": lang, "plural_expr": "Number(n != 1)", "messages": messages})
        with translations.open("a", encoding="utf-8") as file:
            file.write(f"\nDocumentation.addTranslations({catalog});\n")


def _sphinx(source: Path, lang: str, folder: Path) -> subprocess.Popen[str]:
    """Begin to build one language."""
    for name, text in sources(lang).items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    catalog = source / "locales" / lang / "LC_MESSAGES" / "sphinx.po"
    catalog.parent.mkdir(parents=True)
    catalog.write_text(_catalog_of_theme(lang), encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "screenshots", source / "docs" / "screenshots")
    settings = [f"language={lang}", f"html_title={word('site_title').in_(lang)}"]
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
    command += ["--conf-dir", str(Path(__file__).parent), "--doctree-dir", str(source.with_suffix(".doctrees"))]
    command += [part for one in settings for part in ("--define", one)]
    return subprocess.Popen(  # noqa: S603 - our own interpreter
        [*command, str(source), str(folder)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT
    )


def _catalog_of_theme(lang: str) -> str:
    """The theme's words in a language, as gettext reads them."""
    said = [text for name, text in words().items() if name.startswith("theme_")]
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    return "\n".join([head, *(f'msgid "{text.en}"\nmsgstr "{text.in_(lang)}"\n' for text in said)])


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    build(target)
    print(f"the documentation site: {target / 'index.html'}")
