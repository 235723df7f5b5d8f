"""Says what each face and each platform has, directly and through a host, and what either way guarantees.

`python -m docs.site.platform_table` writes `docs/platforms.md` anew; the site has the page in both languages. It is
read before it is committed: it says what is expected of each face and of each export, and a test holds them to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import get_args

from connector.core.messages import Text, say
from connector.core.service.wire import Wire
from connector.export import catalogue
from connector.export.shape import Export, ExportOptions, Publisher, Via
from connector.interfaces.mcp.tools import LIST_OPTIONS, all_tools
from connector.runtime.connector import Connector
from docs.site.markdown import word

FILE = Path(__file__).parents[1] / "platforms.md"
KINDS = {"actions": "action", "triggers": "trigger", "lookups": "lookup"}
FACES = {
    "cli": "platforms_face_cli",
    "python": "platforms_face_python",
    "http": "platforms_face_http",
    "mcp": "platforms_face_mcp",
}
"""Kontor's own faces, before the platforms."""
YES, HOST = word("platforms_yes"), word("platforms_via_host")
DIRECT, NO = word("platforms_direct"), word("platforms_no")
PAIRING = "zapier"
"""The platform that pairs searches with creates."""
Built = Mapping[str, Mapping[Via, Export]]
PROMISES = {
    "platforms_once": "platforms_once_host",
    "platforms_limits": "platforms_yes",
    "platforms_budget": "platforms_yes",
    "platforms_events": "platforms_events_host",
    "platforms_down": "platforms_down_host",
    "platforms_rules": "platforms_rules_host",
}
"""What is promised, and how far a host keeps it on every platform."""


@cache
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
        self.texts: list[Text] = []

    def marked(self, cell: Text, *reasons: Text) -> Text:
        """A cell with a number for each reason."""
        tidy = list(dict.fromkeys(Text(one.en.strip(), one.de.strip()) for one in reasons))
        self.texts += [one for one in tidy if one not in self.texts]
        numbers = "".join(f" [{self.texts.index(one) + 1}]" for one in tidy)
        return Text(cell.en + numbers, cell.de + numbers)

    def of_export(self, cell: Text, export: Export, kind: str, id: str) -> Text:
        """A cell with the reasons that an export gives."""
        return self.marked(cell, *(one.reason for one in export.dropped if (one.kind, one.id) == (kind, id)))


def face_cell(face: str, kinds: str, id: str, connector: Connector, reasons: Reasons) -> Text:
    """What a face of Kontor's own has of one manifest. Over HTTP a host answers, which has everything."""
    if face == "mcp":
        tools = {tool.name: tool for tool in all_tools(connector, "en")}
        offered = {
            "actions": tools,
            "lookups": tools[LIST_OPTIONS].input_schema["properties"]["lookup"]["enum"],
            "triggers": (),
        }
        return YES if id in offered[kinds] else reasons.marked(NO, word("platforms_agents_ask"))
    if face != "http" and kinds == "triggers" and connector.trigger(id).source == "event":
        return reasons.marked(HOST, word("platforms_events_arrive"))
    return YES


def platform_cell(ways: Mapping[Via, Export], kinds: str, id: str, reasons: Reasons) -> Text:
    """What a platform has of one manifest."""
    held = {via: id in export.holds[kinds] for via, export in ways.items()}
    if all(held.values()):
        return YES
    missing: Via = "host" if held["service"] else "service"
    cell = {(False, True): HOST, (True, False): DIRECT}.get((held["service"], held["host"]), NO)
    return reasons.of_export(cell, ways[missing], KINDS[kinds], id)


def pair_rows(ways: Mapping[Via, Export], connector: Connector, reasons: Reasons) -> Iterator[list[Text]]:
    """For each create, whether a search is paired with it."""
    for id in sorted(id for id, action in connector.actions.items() if action.writes):
        held = id in ways["service"].holds["pairs"]
        yield [_code(id), YES if held else reasons.of_export(NO, ways["service"], "pair", id)]


def guarantees(platform: str, direct: Export, connector: Connector) -> tuple[str, ...]:
    """What holds on a platform without a host, in the order of `PROMISES`."""
    form_only = catalogue.is_unguarded(platform, "service")
    events = any(connector.trigger(id).source == "event" for id in direct.holds["triggers"])
    return (
        "platforms_once_asked" if form_only else "platforms_once_kept",
        "platforms_no",
        "platforms_no",
        "platforms_events_one" if events else "platforms_events_none",
        "platforms_down_events" if events else "platforms_down_poll",
        "platforms_rules_form" if form_only else "platforms_rules_host",
    )


def text(connector: Connector, lang: str) -> str:
    """The page in a language."""
    built, reasons = exports(connector), Reasons()
    names = {platform: say(f"export_name_{platform}") for platform in built}
    header = [word("column_id"), *map(word, FACES.values()), *names.values()]
    parts: list[str] = [f"# {word('platforms_title').in_(lang)}\n", f"{word('platforms_about').in_(lang)}\n"]
    for kinds in KINDS:
        rows = [header]
        for id in sorted(getattr(connector, kinds)):
            own = [face_cell(face, kinds, id, connector, reasons) for face in FACES]
            rows.append([_code(id), *own, *(platform_cell(ways, kinds, id, reasons) for ways in built.values())])
        parts += [_heading(f"{kinds}_title", lang), _table(rows, lang)]
    rows = [[word("column_id"), names[PAIRING]], *pair_rows(built[PAIRING], connector, reasons)]
    parts += [_heading("platforms_pairs", lang), f"{word('platforms_pairs_about').in_(lang)}\n", _table(rows, lang)]
    listed = "\n".join(f"{number}. {one.in_(lang)}" for number, one in enumerate(reasons.texts, 1))
    parts += [_heading("platforms_reasons", lang), f"{listed}\n", _heading("platforms_promises", lang)]
    groups: dict[tuple[str, ...], list[str]] = {}
    for platform, ways in built.items():
        groups.setdefault(guarantees(platform, ways["service"], connector), []).append(names[platform].in_(lang))
    directly = [word("platforms_directly", names=", ".join(held)) for held in groups.values()]
    rows = [[Text("", ""), HOST, *directly]]
    rows += [
        [word(name) for name in (promise, kept, *direct)]
        for (promise, kept), *direct in zip(PROMISES.items(), *groups, strict=True)
    ]
    parts.append(_table(rows, lang))
    return "\n".join(parts)


def _heading(name: str, lang: str) -> str:
    return f"## {word(name).in_(lang)}\n"


def _code(id: str) -> Text:
    return Text(f"`{id}`", f"`{id}`")


def _table(rows: list[list[Text]], lang: str) -> str:
    lines = [f"| {' | '.join(one.in_(lang) for one in row)} |" for row in rows]
    return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]]) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(Connector("unused"), "en"), encoding="utf-8")
