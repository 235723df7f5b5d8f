"""Writes the reference pages of actions, triggers and lookups, and of environment variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from connector.core.data import localize
from connector.core.data.fields import Field
from connector.core.manifest.files import AREAS
from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.manifest.output_fields import OutputField, output_fields
from connector.core.messages import Text, language, say
from connector.core.rules import ABOUT
from connector.core.rules.finding import Form
from connector.core.service.environment import GROUPS, VARIABLES
from connector.interfaces.cli.commands import describe
from connector.interfaces.cli.language import cost_text, title_text
from connector.interfaces.cli.output import pretty_json
from connector.runtime.requests.catalog import Catalog
from docs.site import samples
from docs.site.markdown import block, code, facts, hidden_contents, plain, section, table, word


def kinds(catalog: Catalog) -> dict[str, Mapping[str, Manifest]]:
    """Return all manifests by the folder of their pages, and by id."""
    return {"actions": catalog.actions, "triggers": catalog.triggers, "lookups": catalog.lookups}


def manifest_pages(catalog: Catalog) -> dict[str, str]:
    """Return the pages of all manifests by their paths in the site."""
    found = {}
    for kind, manifests in kinds(catalog).items():
        found[f"{kind}/index.md"] = _list(kind, list(manifests.values()))
        found |= {f"{kind}/{id}.md": page(one, catalog) for id, one in manifests.items()}
    return found


def page(manifest: Manifest, catalog: Catalog) -> str:
    """Return the page of an action, a trigger or a lookup."""
    raw = manifest.raw
    place = f"`{manifest.id}` · {say(f'kind_{manifest.kind}')} · {say(f'area_{manifest.area}')}"
    aliases = f"{word('page_aliases', names=plain(', '.join(manifest.aliases)))}\n\n" if manifest.aliases else ""
    inputs = "\n".join(_input(path, field, catalog) for path, field in _flat(manifest.inputs))
    return "".join(
        [
            f"# {plain(title_text(raw))}\n\n{place}\n\n{plain(manifest.description)}\n\n{aliases}",
            facts([name, plain(value)] for name, value in describe.properties(raw)),
            "\n",
            section("heading_inputs", inputs or str(word("no_inputs"))),
            section("heading_rules", "".join(f"- {line}\n" for line in _rules(manifest, catalog))),
            _results(manifest, catalog),
            section("heading_repeat", _repeat(manifest)),
            section("heading_call", _calls(manifest)),
            section("heading_errors", _known_errors(raw)),
            section("heading_used_by", _users(manifest, catalog)),
        ]
    )


def _list(kind: str, manifests: Sequence[Manifest]) -> str:
    text = f"# {word(f'{kind}_title')}\n\n{word(f'{kind}_about')}\n\n"
    header = [word("column_title"), word("column_id"), word("column_cost"), word("column_about")]
    manifests = sorted(manifests, key=lambda one: AREAS.index(one.area))
    for area in dict.fromkeys(one.area for one in manifests):
        rows = [
            [
                f"[{plain(title_text(one.raw))}]({one.id}.md)",
                code(one.id),
                plain(cost_text(one.raw["cost"], dropdown=kind == "lookups")),
                plain(one.summary),
            ]
            for one in manifests
            if one.area == area
        ]
        text += f"## {say(f'area_{area}')}\n\n{table(header, rows)}\n"
    if any(one.cost.assumed for one in manifests):
        text += f"{plain(say('cost_assumed'))}\n\n"
    return text + hidden_contents(one.id for one in manifests)


def _flat(fields: Iterable[Field], prefix: str = "") -> Iterator[tuple[str, Field]]:
    """Yield the inputs that a form shows, at any depth."""
    for field in fields:
        if not field.internal:
            path = prefix + field.name
            yield path, field
            yield from _flat(field.fields, f"{path}[]." if field.type == "list" else f"{path}.")


def _input(path: str, field: Field, catalog: Catalog) -> str:
    presence = "optional" if field.default is not None or field.derived else field.presence
    head = f"{code(path)} – {plain(field.label)} · {word(f'type_{field.type}')} · *{say(f'presence_{presence}')}*"
    notes = "".join(f"  - {line}\n" for line in _notes(field, catalog))
    return f"{head}\n: {plain(field.help)}\n\n{notes}"


def _notes(field: Field, catalog: Catalog) -> Iterator[Text]:
    """Say what a field takes beyond its help."""
    if field.values:
        choices = Text(
            *(
                ", ".join(f"{code(one.value)} ({plain(one.label.in_(lang))})" for one in field.values)
                for lang in ("en", "de")
            )
        )
        yield word("input_choices_open" if field.open else "input_choices", choices=choices)
    if field.lookup is not None:
        lookup = catalog.lookup(field.lookup.id)
        yield word("input_lookup", lookup=f"[{plain(lookup.title)}](../lookups/{lookup.id}.md)")
    if field.derived:
        yield word("input_derived")
    if field.default is not None:
        yield word("input_default", default=_written(field.default))
    if field.min is not None and field.max is not None:
        yield word("input_between", least=_number(field.min), most=_number(field.max))
    elif field.min is not None:
        yield word("input_least", least=_number(field.min))
    elif field.max is not None:
        yield word("input_most", most=_number(field.max))
    if field.max_length:
        yield word("input_length", most=field.max_length)
    if field.pattern:
        yield word("input_format", format=code(field.pattern))
    if field.aliases:
        yield word("input_aliases", names=", ".join(map(code, field.aliases)))
    if field.example is not None:
        yield word("input_example", example=_written(field.example))


def _written(value: Any) -> str:
    """A value as one types it, JSON where it is not plain."""
    return code(value if isinstance(value, str) else " ".join(pretty_json(value).split()))


def _number(value: Any) -> Text:
    return localize.in_both(localize.number, Decimal(str(value)))


def _rules(manifest: Manifest, catalog: Catalog) -> Iterator[str]:
    """Say what the rules of a manifest demand, in words."""
    form = Form(manifest.inputs)
    for entry in manifest.raw.get("rules", ()):
        name = next(name for name in entry if name not in ABOUT)
        told = word(f"rule_{name}", **_blanks(name, entry[name], form, catalog))
        yield plain(told) + (f" {word('rule_warns')}" if entry.get("warn") else "")


def _blanks(name: str, declared: Any, form: Form, catalog: Catalog) -> dict[str, Any]:
    match name:
        case "any_of":
            return {"labels": _labels(form, declared)}
        case "charset":
            return {"labels": _labels(form, declared["fields"])}
        case "order":
            return {"first": form.label(declared[0]), "second": form.label(declared[1])}
        case "requires":
            needs = [
                _joined(" = ", form.label(other), form.choice(other, value))
                for other, value in declared["needs"].items()
            ]
            return {"label": form.label(declared["field"]), "needs": _joined(", ", *needs)}
        case "sum":
            return {"label": form.label(declared["equals"])}
        case "at_most_one":
            return {"label": form.label(f"{declared['each']}[].{declared['where']}")}
        case "digits":
            return {
                "label": form.label(declared["field"]),
                "length": form.label(declared["length"]),
                "longer": declared.get("longer", 0),
            }
        case "range":
            bounds = [word(f"bound_{key}", bound=_number(one)) for key, one in declared.items() if key != "field"]
            return {"label": form.label(declared["field"]), "bounds": _joined(", ", *bounds)}
        case "file":
            names = ", ".join(kind.upper() for kind in declared["kinds"])
            return {"label": form.label(declared["each"]), "kinds": names, "most": declared["most_mb"]}
        case "equals":
            return {"label": form.label(declared["field"]), "value": declared["value"]}
        case _:
            return {"label": form.label(declared["field"] if isinstance(declared, Mapping) else declared)}


def _labels(form: Form, names: Iterable[str]) -> Text:
    return _joined(", ", *(form.label(name) for name in names))


def _joined(between: str, *texts: Any) -> Text:
    """Texts of both languages side by side; a plain value is the same in both."""
    pairs = [text if isinstance(text, Text) else Text(str(text), str(text)) for text in texts]
    return Text(between.join(one.en for one in pairs), between.join(one.de for one in pairs))


def _results(manifest: Manifest, catalog: Catalog) -> str:
    sample = section("heading_sample", block("json", pretty_json(manifest.sample)))
    if isinstance(manifest, Lookup):
        named = "".join(f"- {word(f'option_{name}')}\n" for name in ("value", "label", "hint"))
        return section("heading_options", named) + sample
    assert isinstance(manifest, Action | Trigger)
    rows = list(_outputs(output_fields(manifest, catalog.library)))
    header = [word("column_field"), word("column_label"), word("column_type")]
    about = f"{word('output_list')}\n\n" if isinstance(manifest, Action) and manifest.is_list else ""
    heading = "heading_item" if isinstance(manifest, Trigger) else "heading_output"
    return section(heading, f"{about}{table(header, rows)}\n{word('output_more')}" if rows else "") + sample


def _outputs(fields: Iterable[OutputField], prefix: str = "") -> Iterator[list[str]]:
    for field in fields:
        path = prefix + field.name
        kind = word(f"type_{field.format if field.format in ('date', 'date-time') else field.kind}")
        if field.kind == "list" and not field.fields:
            kind = word("type_list_of", of=word(f"type_{field.of}"))
        if field.nullable:
            kind = word("type_nullable", type=kind)
        known = f": {', '.join(map(code, field.known))}" if field.known else ""
        yield [code(path), plain(field.label), f"{kind}{known}"]
        yield from _outputs(field.fields, f"{path}[]." if field.kind == "list" else f"{path}.")


def _repeat(manifest: Manifest) -> str:
    """Say what becomes of a write that runs twice."""
    if not isinstance(manifest, Action) or not manifest.writes:
        return ""
    unknown = "[outcome_unknown](../errors/outcome_unknown.md)"
    lines = [
        word("repeat_plain", repeat=say(f"repeat_{manifest.repeat}")),
        word("repeat_with_key"),
        word("repeat_without_key", link="[likely_repeat](../errors/likely_repeat.md)"),
        word("repeat_found" if manifest.read_back else "repeat_parked", link=unknown),
    ]
    return "".join(f"- {line}\n" for line in lines)


def _calls(manifest: Manifest) -> str:
    """Show how to call it from the command line, over HTTP and in Python."""
    command = describe.example(manifest.raw)
    shown = block("shell", command) if command else str(word("cli_event"))
    http, python = [str(word("http_about"))], [str(word("python_credential"))]
    match manifest:
        case Action():
            shown += f"\n{word('cli_dry_run')}\n"
            http += [block("shell", samples.http_run(manifest))]
            python += [str(word("python_typed")), block("python", samples.python_run(manifest))]
            python += [str(word("python_invoke")), block("python", samples.python_invoke(manifest))]
        case Trigger(source="poll"):
            assert command is not None
            shown += f"\n{word('cli_watch')}\n\n{block('shell', command.replace('kontor poll', 'kontor watch', 1))}"
            http += [str(word("http_subscribe")), block("shell", samples.http_subscribe(manifest))]
            http += [str(word("http_poll")), block("shell", samples.http_poll(manifest))]
            python += [block("python", samples.python_watch(manifest))]
        case Trigger():
            http += [str(word("http_subscribe")), block("shell", samples.http_subscribe(manifest))]
            python = [str(word("python_delivery")), block("python", samples.PYTHON_DELIVERY)]
        case Lookup():
            http += [block("shell", samples.http_options(manifest))]
            python += [block("python", samples.python_options(manifest))]
    faces = [("heading_cli", shown), ("heading_http", "\n\n".join(http)), ("heading_python", "\n\n".join(python))]
    return "".join(section(name, body, 3) for name, body in faces)


def _known_errors(raw: Mapping[str, Any]) -> str:
    rows = [
        [f"[{error['kind']}](../errors/{error['kind']}.md)", plain(error["when"][language()])]
        for error in raw.get("errors", ())
    ]
    return table([word("column_kind"), word("column_when")], rows) if rows else ""


def _users(manifest: Manifest, catalog: Catalog) -> str:
    """Link to the forms that offer a lookup."""
    if not isinstance(manifest, Lookup):
        return ""
    return "".join(
        f"- [{plain(one.title)}](../{folder}/{one.id}.md)\n"
        for folder, manifests in kinds(catalog).items()
        for one in manifests.values()
        if any(field.lookup and field.lookup.id == manifest.id for _, field in _flat(one.inputs))
    )


def environment_page() -> str:
    """Return the page of all environment variables."""
    text = f"# {word('environment_title')}\n\n{word('environment_about')} {word('environment_also')}\n\n"
    header = [word("column_variable"), word("column_default"), word("column_meaning")]
    for group in GROUPS:
        rows = [
            [
                code(one.name),
                code(one.default) if one.default else "–",
                plain(one.meaning) + (f" **{say('variable_secret')}.**" if one.secret else ""),
            ]
            for one in VARIABLES.values()
            if one.group == group
        ]
        text += f"## {say(f'variables_{group}')}\n\n{table(header, rows)}\n"
    return text
