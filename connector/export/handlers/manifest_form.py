"""Writes what says the form of manifests to others than Python, from its models: `make handlers`.

That is the JSON Schema by which an editor completes a manifest, the tables of the vocabulary, and the types of what the
TypeScript core takes from a manifest as it stands.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from connector.core.manifest.form import Form, OptionsSpec, Rule, Shape, manifest_schema
from connector.core.manifest.library_form import Shows, library_schema

ROOT = Path(__file__).resolve().parents[3]
SCHEMA, VOCABULARY, TYPES = (
    "manifests/manifest.schema.json",
    "docs/vocabulary.md",
    "connector/export/node/core/manifest/form.ts",
)
TAKEN = ("Shape", "OptionsSpec", "Poll", "ReadBack", "EventSpec", "Request")
"""Of manifests: what the core reads as it is written."""
TAKEN_BESIDE = {
    "formats": "Format",
    "file_kinds": "FileKind",
    "states": "Series",
    "provider": "Provider",
    "proofs": "Proofs",
}
"""The same of what stands beside them."""
IN_ONE_LANGUAGE = "Text"
WIDTH = 116
Schema = Mapping[str, Any]


def files() -> dict[str, str]:
    """What is generated, by its path."""
    schema = {"$comment": "generated: `make handlers` writes it anew", **manifest_schema()}
    return {
        SCHEMA: json.dumps(schema, indent=1, ensure_ascii=False) + "\n",
        VOCABULARY: with_tables((ROOT / VOCABULARY).read_text(encoding="utf-8")),
        TYPES: types(),
    }


def with_tables(page: str) -> str:
    """The page of the vocabulary, with its generated tables as they are to be."""
    tables = {
        "rules": [("rule", "says", "reasons and blanks"), *_rows(Rule, "reasons")],
        "shapes": [
            ("shape", "output"),
            ("none", "`{items: […]}` for a list, else the object"),
            *_rows(Shape),
        ],
        "options": [("key", "meaning"), *_rows(OptionsSpec)],
        "parts": [("part", "what it is"), *_rows(Shows)],
    }
    for name, rows in tables.items():
        head, *others = (f"| {' | '.join(row)} |" for row in rows)
        table = "\n".join([head, "|---" * len(rows[0]) + "|", *others])
        begin, end = f"<!-- generated: {name} -->\n", "\n<!-- end -->"
        before, rest = page.split(begin)
        page = before + begin + table + end + rest.split(end, 1)[1]
    return page


def _rows(form: type[Form], *further: str) -> Iterator[tuple[str, ...]]:
    """What each key of a form means; a key without a meaning of its own belongs to another one."""
    for name, field in form.model_fields.items():
        if field.description:
            example = f": {field.examples[0]}" if field.examples else ""
            extra = field.json_schema_extra
            more = [str(extra[key]) for key in further] if isinstance(extra, dict) else []
            yield f"`{name.rstrip('_')}{example}`", field.description, *more


def types() -> str:
    """The TypeScript module."""
    declared: dict[str, str] = {}
    defs = dict(manifest_schema()["$defs"])
    for part, name in TAKEN_BESIDE.items():
        schema = library_schema(part)
        defs |= schema.get("$defs", {})
        defs.setdefault(name, schema)  # where the whole file is one of it
    for name in (*TAKEN, *TAKEN_BESIDE.values()):
        _declare(name, defs[name], defs, declared)
    about = "/** generated: `make handlers` writes it anew. What the core takes from manifests as they are written. */"
    return "\n\n".join([about, *(declared[name] for name in sorted(declared))]) + "\n"


def _declare(name: str, schema: Schema, defs: Schema, declared: dict[str, str]) -> None:
    """Declare a form as an interface, and all that it names."""
    if name in declared:
        return
    declared[name] = ""  # it may name itself
    needed = schema.get("required", ())
    lines = [*_comment(schema.get("description"), ""), f"export interface {name} {{"]
    for key, inner in schema["properties"].items():
        lines += _comment(inner.get("description") if "title" not in inner else None, "\t")
        lines.append(f"\t{key}{'' if key in needed else '?'}: {_type(inner, defs, declared)};")
    declared[name] = "\n".join([*lines, "}"])


def _type(schema: Schema, defs: Schema, declared: dict[str, str]) -> str:
    """The type of a value; one that has a title gets that name."""
    if "title" in schema and "$ref" not in schema:
        name = schema["title"]
        if name not in declared:
            declared[name] = (
                "\n\t| ".join([f"export type {name} =", *(_type(member, defs, declared) for member in schema["anyOf"])])
                + ";"
            )
        return str(name)
    match schema:
        case {"$ref": place}:
            name = place.rsplit("/", 1)[1]
            if name == IN_ONE_LANGUAGE:
                return "string"
            _declare(name, defs[name], defs, declared)
            return str(name)
        case {"anyOf": several}:
            return _union(_type(member, defs, declared) for member in several)
        case {"const": value} | {"enum": [value]}:
            return _literal(value)
        case {"enum": values}:
            return _union(map(_literal, values))
        case {"type": "array", "items": item}:
            inner = _type(item, defs, declared)
            return f"Array<{inner}>" if re.search(r"\W", inner) else f"{inner}[]"
        case {"type": "object", "additionalProperties": item} if item is not True:
            return f"Record<string, {_type(item, defs, declared)}>"
        case {"type": "object"}:
            return "Record<string, unknown>"
        case {"type": type}:
            return {"string": "string", "boolean": "boolean", "integer": "number", "number": "number"}[type]
        case _:
            return "unknown"


def _union(several: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(several))


def _literal(value: Any) -> str:
    return json.dumps(value).replace('"', "'")


def _comment(text: str | None, indent: str) -> list[str]:
    if not text:
        return []
    one_line = f"{indent}/** {text} */"
    if len(one_line) <= WIDTH:
        return [one_line]
    return [f"{indent}/**", *(f"{indent} * {line}" for line in textwrap.wrap(text, WIDTH - 8)), f"{indent} */"]


def main() -> None:
    """Write what has changed."""
    for name, text in files().items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
