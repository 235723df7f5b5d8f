"""Writes the handlers of all manifests, the resources that they return, and the types of calls: `make handlers`.

A handler that says more than its manifest is written by hand: it has no first line that says `generated`, and stays.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Trigger
from connector.core.manifest.resource_schema import FieldType, fields_of
from connector.runtime.requests.catalog import Catalog
from connector.runtime.requests.request import class_name

ROOT = Path(__file__).resolve().parents[3]
GENERATED = "# generated: `make handlers` writes it anew\n"
FUTURE = "from __future__ import annotations\n"
FREE = "dict[str, Any]"
BASE = "connector.core.manifest.handlers"
RESOURCE_SUFFIX = "Resource"
"""How a handler calls a resource that has its own name."""
RESOURCES, CALLS = "connector/resources.py", "connector/runtime/typed_calls.pyi"
INPUT_TYPES = {
    "money": "Amount",
    "number": "Ratio",
    "integer": "Whole",
    "boolean": "Flag",
    "date": "Day",
    "date-time": "Moment",
    "object": FREE,
    "file": "bytes",
}
"""What a handler's field is, by the type of the input; others are text."""
GIVEN_TYPES = {
    "money": "Decimal | float | str",
    "number": "Decimal | float | str",
    "integer": "int | str",
    "boolean": "bool | str",
    "date": "date | str",
    "date-time": "datetime | str",
    "object": "Mapping[str, Any]",
    "file": "bytes | str",
}
"""What `invoke` takes for an input, by its type."""
RESOURCE_TYPES = {
    "date": "Day",
    "date-time": "Moment",
    "amount-text": "Amount",
    "money": "Decimal",
    "number": "Decimal",
    "integer": "int",
    "boolean": "bool",
    "object": FREE,
    "any": "Any",
}
"""What a resource's field is, by its declared type; others are text."""
HOMES = {
    "Any": "typing",
    "ClassVar": "typing",
    "Literal": "typing",
    "Decimal": "decimal",
    **dict.fromkeys(("ABSENT", "Action", "Inputs", "Listed", "Resource", "Trigger"), BASE),
    **dict.fromkeys(("Amount", "Day", "Flag", "Moment", "Ratio", "Whole"), BASE),
}
"""Where the names come from that generated code uses."""
TYPING_HOMES = {
    **dict.fromkeys(("Mapping", "Sequence"), "collections.abc"),
    **dict.fromkeys(("date", "datetime"), "datetime"),
    **dict.fromkeys(("Any", "Literal", "NotRequired", "TypedDict", "TypeVar", "overload"), "typing"),
    "Decimal": "decimal",
    "Invoker": "connector.core.callers",
    "Action as HandledAction": BASE,
    "ActionId": "connector.core.manifest.model",
    "Result": "connector.runtime.result",
}
FURTHER = "*, guarded: bool = False, agent: bool = False"
"""What `invoke` and `run` take by name only."""


def files(catalog: Catalog) -> dict[str, str]:
    """Return everything generated, by its path in the checkout."""
    manifests: list[Action | Trigger] = [*catalog.actions.values(), *catalog.triggers.values()]
    drafts = {home(manifest): handler(manifest, catalog) for manifest in manifests if not is_own(manifest)}
    for kind, by_id in (("actions", catalog.actions), ("triggers", catalog.triggers)):
        drafts[f"{kind}/__init__.py"] = index(kind, by_id.values())
    drafts[RESOURCES] = resources(catalog)
    drafts[CALLS] = typed_calls(catalog.actions.values())
    return formatted(drafts)


def home(manifest: Action | Trigger) -> str:
    """Return where a manifest's handler stands."""
    return f"{manifest.kind}s/{manifest.area}/{manifest.id}.py"


def is_own(manifest: Action | Trigger) -> bool:
    """Whether a person writes the handler."""
    path = ROOT / home(manifest)
    return path.exists() and not path.read_text(encoding="utf-8").startswith(GENERATED)


def differences(manifest: Action | Trigger, source: str, catalog: Catalog) -> list[str]:
    """Say what a handler's module lacks of its manifest, has beyond it or has otherwise."""
    wanted, present = _fields_in(handler(manifest, catalog)), _fields_in(source)
    remedy = "run `make handlers`" if source.startswith(GENERATED) else "a person writes that file: change it there"
    place, texts = home(manifest), []
    for name in wanted.keys() | present.keys():
        if name not in present:
            texts.append(f"{place} lacks {name}: {wanted[name]}, which its manifest has: {remedy}")
        elif name not in wanted:
            texts.append(f"{place} has {name}, which its manifest lacks: {remedy}")
        elif wanted[name] != present[name]:
            texts.append(f"{place} has {name}: {present[name]}, by its manifest it is {wanted[name]}: {remedy}")
    return sorted(texts)


def _fields_in(source: str) -> dict[str, str]:
    """Return what each class of a module is made of, and the type of each of its fields."""
    fields: dict[str, str] = {}
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ClassDef):
            fields[statement.name] = ", ".join(map(ast.unparse, statement.bases))
            for line in statement.body:
                is_constant = isinstance(line, ast.AnnAssign) and ast.unparse(line.target).isupper()
                if isinstance(line, ast.AnnAssign) and not is_constant:
                    name, _, type = ast.unparse(line).partition(": ")
                    fields[f"{statement.name}.{name}"] = type
    return fields


def handler(manifest: Action | Trigger, catalog: Catalog) -> str:
    """Return the module of a handler."""
    fields = [field for field in manifest.inputs if not field.internal]
    text = "\n\n".join([*_inner_classes(fields), _class(manifest, fields, catalog)])
    names = [*catalog.library.resources, f"{class_name(manifest.id)}{RESOURCE_SUFFIX}"]
    known = {**HOMES, **dict.fromkeys(names, "connector.resources")}
    return f'{GENERATED}"""{manifest.title.en}."""\n\n{FUTURE}\n{_imports(text, known)}\n\n{text}'


def output(manifest: Action | Trigger, catalog: Catalog) -> str:
    """Return the type of an action's output, or of a trigger's items."""
    type = manifest.resource if manifest.resource in catalog.library.resources else FREE
    if type == class_name(manifest.id):
        type = f"{type}{RESOURCE_SUFFIX}"
    return f"Listed[{type}]" if isinstance(manifest, Action) and manifest.is_list else type


def _class(manifest: Action | Trigger, fields: list[Field], catalog: Catalog) -> str:
    base = f"{type(manifest).__name__}[{output(manifest, catalog)}]"
    lines = [
        f"class {class_name(manifest.id)}({base}):",
        f'    """{manifest.summary.en}"""\n',
        f'    manifest_id: ClassVar[str] = "{manifest.id}"\n',
        *(f"    {field.name}: {declared(field)}" for field in fields),
    ]
    return "\n".join(lines) + "\n"


def declared(field: Field, within: str = "") -> str:
    """Return the type of a handler's field, with None where it may be left out."""
    return input_type(field, within) if field.required else f"{input_type(field, within)} | None = None"


def input_type(field: Field, within: str = "") -> str:
    """Return the type of a handler's field."""
    if field.type == "enum" and not field.open:
        return f"Literal[{', '.join(repr(choice.value) for choice in field.values)}]"
    if field.fields:
        return f"list[{inner_name(field, within)}]" if field.type == "list" else inner_name(field, within)
    return INPUT_TYPES.get(field.type, "str")


def _inner_classes(fields: Iterable[Field], within: str = "") -> Iterator[str]:
    """Yield the classes of what lists and objects hold, the innermost first."""
    for field in fields:
        if field.fields:
            name = inner_name(field, within)
            yield from _inner_classes(field.fields, name)
            lines = [f"    {member.name}: {declared(member, name)}" for member in field.fields]
            yield "\n".join([f"class {name}(Inputs):", _inner_about(field), *lines]) + "\n"


def inner_name(field: Field, within: str) -> str:
    """Return the name of a class: after the field, and after the class whose field it is."""
    return f"{within}{field.name[:1].upper()}{field.name[1:]}"


def _inner_about(field: Field) -> str:
    return f'    """{"One of" if field.type == "list" else "The"} `{field.name}`."""\n'


def resources(catalog: Catalog) -> str:
    """Return the module of all resources, those inside others first."""
    declared, written = catalog.library.resources, dict[str, str]()

    def write(name: str) -> None:
        if name in written:
            return
        fields = fields_of(name, declared)
        for field_type in fields.values():
            if field_type.is_resource and field_type.name != name:
                write(field_type.name)
        lines = [f"    {field}: {_resource_type(field_type)} = ABSENT" for field, field_type in fields.items()]
        about = f'    """{declared[name]["about"]}"""\n'
        written[name] = "\n".join([f"class {name}(Resource):", about, *lines]) + "\n"

    for name in declared:
        write(name)
    about = (
        '"""What the service answers with, as it is described. What an answer does not have is None, whatever its\n'
        "described type; what does not fit that type stays as it came; what nobody described is in `model_extra`.\n"
        '"""\n'
    )
    text = "\n\n".join(written.values())
    return f"{GENERATED}{about}\n{FUTURE}\n{_imports(text, HOMES)}\n\n{text}"


def _resource_type(field: FieldType) -> str:
    type = field.name if field.is_resource else RESOURCE_TYPES.get(field.name, "str")
    type = f"list[{type}]" if field.is_list else type
    return f"{type} | None" if field.nullable and type != "Any" else type


def index(kind: str, manifests: Iterable[Action | Trigger]) -> str:
    """Return the module that names all handlers of a kind, and loads one when it is first used."""
    homes = {class_name(manifest.id): f"connector.{kind}.{manifest.area}.{manifest.id}" for manifest in manifests}
    imports = "".join(f"    from {module} import {name}\n" for name, module in sorted(homes.items(), key=_by_module))
    names = "".join(f'    "{name}",\n' for name in sorted(homes))
    entries = "".join(f'        "{name}": "{module}",\n' for name, module in sorted(homes.items()))
    return (
        f'{GENERATED}"""The handlers of all {kind}."""\n\n{FUTURE}\n'
        "from connector.core import lazy_names\n\n"
        "TYPE_CHECKING = False  # as in `typing`, without its import\n"
        f"if TYPE_CHECKING:\n{imports}\n__all__ = [\n{names}]\n\n"
        f"__getattr__ = lazy_names(\n    __name__,\n    {{\n{entries}    }},\n)\n"
    )


def _by_module(entry: tuple[str, str]) -> str:
    return entry[1]


def typed_calls(actions: Iterable[Action]) -> str:
    """Return what type checkers know of `invoke`, one signature per action, and of `run`, for both kinds of session."""
    listed = list(actions)
    classes = [text for action in listed for text in _given_classes(action)]
    classes += [_calls_class(listed, "Calls", ""), _calls_class(listed, "AsyncCalls", "async ")]
    about = (
        '"""What type checkers know of `invoke` and `run`: the inputs of each action, by its id, and handlers.\n\n'
        'Ids that no checker can know, of further manifests or from data, are an `ActionId`.\n"""\n'
    )
    text = "\n\n".join(['Output = TypeVar("Output")\n', *classes])
    return f"{GENERATED}{about}\n{_imports(text, TYPING_HOMES)}\n\n{text}"


def _given_classes(action: Action) -> Iterator[str]:
    prefix = class_name(action.id)
    yield from _given_inner(action.inputs, prefix)
    about = f'    """The inputs of `{action.id}`."""\n'
    yield _given_class(f"{prefix}Inputs", about, [field for field in action.inputs if not field.internal], prefix)


def _given_inner(fields: Iterable[Field], within: str) -> Iterator[str]:
    for field in fields:
        if field.fields:
            name = inner_name(field, within)
            yield from _given_inner(field.fields, name)
            yield _given_class(name, _inner_about(field), field.fields, name)


def _given_class(name: str, about: str, fields: Iterable[Field], within: str) -> str:
    lines = [f"    {field.name}: {_given_type(field, within)}" for field in fields]
    return "\n".join([f"class {name}(TypedDict):", about, *lines]) + "\n"


def _given_type(field: Field, within: str) -> str:
    type = GIVEN_TYPES.get(field.type, "str")
    if field.fields:
        type = inner_name(field, within)
        type = f"Sequence[{type}]" if field.type == "list" else type
    return type if field.required else f"NotRequired[{type} | None]"


def _calls_class(actions: Iterable[Action], name: str, prefix: str) -> str:
    kinds = [(f'Literal["{action.id}"]', f"{class_name(action.id)}Inputs", _needs_inputs(action)) for action in actions]
    invoked = [
        f"invoke(self, action: {id}, inputs: {inputs}{'' if needed else ' = ...'}, key: str | None = None,"
        f" dry_run: bool = False, again: bool = False, invoker: Invoker = ..., {FURTHER}) -> Result[Any]"
        for id, inputs, needed in [*kinds, ("ActionId", "Mapping[str, Any]", False)]
    ]
    run = "run(self, action: HandledAction[Output], key: str | None = None,"
    invoked += [
        f"{run} dry_run: Literal[False] = False, again: bool = False, {FURTHER}) -> Result[Output]",
        f"{run} *, dry_run: Literal[True]) -> Result[Any]",
    ]
    about = f'    """{"An asynchronous" if prefix else "A blocking"} session."""\n'
    return "\n".join(
        [f"class {name}:\n{about}", *(f"    @overload\n    {prefix}def {call}: ...\n" for call in invoked)]
    )


def _needs_inputs(action: Action) -> bool:
    return any(field.required for field in action.inputs)


def _imports(text: str, homes: Mapping[str, str]) -> str:
    words = set(_words(text))
    used: dict[str, list[str]] = {}
    for name, module in homes.items():
        if name.rpartition(" ")[2] in words and f"class {name}(" not in text:
            used.setdefault(module, []).append(_spelled(name))
    ours = [module for module in sorted(used) if module.startswith("connector")]
    parts = [[module for module in sorted(used) if module not in ours], ours]
    blocks = [
        "".join(f"from {module} import {', '.join(sorted(used[module], key=_in_order))}\n" for module in part)
        for part in parts
    ]
    return "\n".join(block for block in blocks if block)


def _in_order(name: str) -> tuple[bool, bool, str]:
    """Constants first, then classes, then functions, as ruff sorts imports."""
    return not name.isupper(), name[:1].islower(), name.lower()


def _spelled(name: str) -> str:
    """Return a name as it is imported."""
    own = name.removesuffix(RESOURCE_SUFFIX)
    return name if own in ("", name) else f"{own} as {name}"


def _words(text: str) -> Iterator[str]:
    code = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
    return iter(re.findall(r"[A-Za-z_]+", code))


def formatted(drafts: Mapping[str, str]) -> dict[str, str]:
    """Return modules as ruff leaves them."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder, f"{at}{Path(name).suffix}") for at, name in enumerate(drafts)}
        for name, path in paths.items():
            path.write_text(drafts[name], encoding="utf-8")
        command = [sys.executable, "-m", "ruff", "format", "--quiet", "--config", str(ROOT / "pyproject.toml"), folder]
        subprocess.run(command, check=True, timeout=60)  # noqa: S603
        return {name: path.read_text(encoding="utf-8") for name, path in paths.items()}


def main() -> None:
    """Write what has changed, and remove what has no manifest any more."""
    generated = files(Catalog())
    for name, text in generated.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for kind in ("actions", "triggers"):
        for path in (ROOT / kind).rglob("*.py"):
            if str(path.relative_to(ROOT)) not in generated and path.read_text(encoding="utf-8").startswith(GENERATED):
                path.unlink()


if __name__ == "__main__":
    main()
