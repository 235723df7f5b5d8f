"""Writes `docs/platforms.md`: what each platform can do, directly and through a host, and what either way guarantees.

`python -m docs.site.platform_table` writes it anew. It is read before it is committed: it says what is expected of each
export, and a test holds the exports to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from connector.core.messages import say
from connector.core.service.wire import Wire
from connector.export import catalogue
from connector.export.shape import Export, ExportOptions, Publisher, Via
from connector.runtime.connector import Connector

FILE = Path(__file__).parents[1] / "platforms.md"
KINDS = {"actions": "action", "triggers": "trigger", "lookups": "lookup"}
YES, HOST, DIRECT, NO = "yes", "via host", "direct", "no"
Built = Mapping[str, Mapping[Via, Export]]
PROMISES = {
    "A write that is repeated is made once": "by its key, whoever repeats it",
    "Limits for amounts and payees, and approval by a second person": YES,
    "A budget that everything shares": YES,
    "Events of the service": "of any number of flows",
    "What happened while the platform was down is told": "it is kept and delivered later",
    "Rules checked before a credit is spent": "all",
}
"""What a host guarantees, on every platform."""
HEAD = """\
# Platforms

What of Kontor each platform has. `yes`: in both packages, the one that talks to the service directly and the one that
talks to a Kontor host. `via host`: only in the latter. A number leads to the reason below. Lookups are the dropdowns of
forms; MCP, the command line, HTTP and Python have everything. This page is made from the manifests and the exports.
"""


def exports(connector: Connector) -> Built:
    """Every package, both ways, without what has to be asked for."""
    return {
        platform: {
            via: catalogue.export(
                platform, connector, ExportOptions(via=via, wire=Wire.load({}), publisher=Publisher())
            )
            for via in get_args(Via)
        }
        for platform in catalogue.platforms()
    }


class Reasons:
    """The reasons why something is left out, numbered as they come."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def mark(self, export: Export, kind: str, id: str) -> str:
        """A number for each reason that an export gives."""
        found = [one.reason.en.strip() for one in export.dropped if (one.kind, one.id) == (kind, id)]
        self.texts += [text for text in dict.fromkeys(found) if text not in self.texts]
        return "".join(f" [{self.texts.index(text) + 1}]" for text in dict.fromkeys(found))


def cell(ways: Mapping[Via, Export], kinds: str, id: str, reasons: Reasons) -> str:
    """What a platform has of one manifest."""
    held = {via: id in export.holds[kinds] for via, export in ways.items()}
    if all(held.values()):
        return YES
    missing: Via = "host" if held["service"] else "service"
    word = {(False, True): HOST, (True, False): DIRECT}.get((held["service"], held["host"]), NO)
    return word + reasons.mark(ways[missing], KINDS[kinds], id)


def guarantees(platform: str, direct: Export, connector: Connector) -> tuple[str, ...]:
    """What holds on a platform without a host, in the order of `PROMISES`."""
    form_only = catalogue.is_unguarded(platform, "service")
    events = any(connector.trigger(id).source == "event" for id in direct.holds["triggers"])
    return (
        "not offered, unless it is asked for" if form_only else "by its key, kept on the platform",
        NO,
        NO,
        "of one flow: the service has one webhook URL" if events else "of none",
        "if the service sends it again, or by a poll" if events else "by a poll",
        "what a form can express" if form_only else "all",
    )


def text(connector: Connector) -> str:
    """The page."""
    built, reasons = exports(connector), Reasons()
    names = {platform: say(f"export_name_{platform}").en for platform in built}
    parts = [HEAD]
    for kinds in KINDS:
        rows = [["id", *names.values()]]
        for id in sorted(getattr(connector, kinds)):
            rows.append([f"`{id}`", *(cell(ways, kinds, id, reasons) for ways in built.values())])
        parts += [f"## {kinds.capitalize()}\n", _table(rows)]
    listed = "\n".join(f"{number}. {one}" for number, one in enumerate(reasons.texts, 1))
    parts += ["## Reasons\n", f"{listed}\n", "## What each way guarantees\n"]
    groups: dict[tuple[str, ...], list[str]] = {}
    for platform, ways in built.items():
        groups.setdefault(guarantees(platform, ways["service"], connector), []).append(names[platform])
    rows = [["", "via host", *(f"directly: {', '.join(held)}" for held in groups.values())]]
    rows += [[promise, kept, *direct] for (promise, kept), *direct in zip(PROMISES.items(), *groups, strict=True)]
    parts.append(_table(rows))
    return "\n".join(parts)


def _table(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]]) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(Connector("unused")), encoding="utf-8")
