"""The README of the Zapier package: what it is, how it gets onto Zapier, what it holds and what it cannot do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from connector.core.manifest.model import Manifest
from connector.export.shape import Dropped, ExportOptions
from connector.version import __version__


def readme(
    options: ExportOptions, groups: Mapping[str, Iterable[Manifest]], dropped: Iterable[Dropped], about: str, cli: str
) -> bytes:
    """The text, in English; labels in the language of the package. `cli` is Zapier's own tool."""
    talks = "the service itself" if options.via == "service" else "a Kontor host, which brings its guards"
    lines = [
        "# Kontor for Zapier",
        "",
        f"{about} Version {__version__}. This package talks to {talks}.",
        "",
        "## Onto Zapier",
        "",
        "    npm ci",
        f"    npx {cli} validate --without-style",
        f'    npx {cli} register "Kontor"',
        f"    npx {cli} push --disable-dependency-detection",
        "",
        "Detecting dependencies would leave out files that Zapier's own dependencies need on Node 22 and later.",
        "",
        "`kontor-app.json` says what the app looks like and which step does what, `pack.json` what Kontor knows of the "
        "service. `core/` does the work, `adapter/` ties it to Zapier, and `index.js` puts all together. `icon.png` is "
        "the logo.",
        "",
    ]
    for title, manifests in groups.items():
        lines += [f"## {title}", "", *(f"- {one.title.in_(options.lang)} (`{one.id}`)" for one in manifests), ""]
    lost: dict[str, list[str]] = {}
    for one in dropped:
        lost.setdefault(one.reason.en, []).append(f"`{one.id}`")
    lines += ["## What Zapier cannot do here", ""]
    lines += [f"- {', '.join(ids)}: {reason}" for reason, ids in lost.items()] or ["- nothing"]
    if options.via == "service":
        lines += ["", "## One webhook URL", "", _ONE_URL]
    return "\n".join([*lines, ""]).encode()


_ONE_URL = (
    "The service sends all events to one URL. Switching a Zap with an event trigger on reads that URL first, and "
    "replaces one that somebody else has set only if the form says so. Two such Zaps cannot be on at the same time; "
    "with a Kontor host any number can."
)
