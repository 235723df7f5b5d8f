"""Turns the fields of a manifest into the parameters of an n8n form.

What a form must have, what has a default, texts and lists stand in the form itself; anything else is added on demand
under "Additional Fields", because n8n has no other way to tell a field that was left alone from one that says no or 0.
Numbers are text fields: an amount typed there keeps every digit, and an empty one is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from connector.core.data.fields import Field
from connector.export.n8n import wording

ADDITIONAL = "additionalFields"
LINES = "lines"
"""The name under which n8n keeps the entries of a list."""
ENOUGH_TO_SORT = 5
"""From this many entries on, n8n wants them in alphabetical order."""
IN_THE_FORM = frozenset({"string", "date", "date-time", "list", "object"})
LOCATOR = "resourceLocator"
WHOLE_TYPES = {"boolean": "boolean", "enum": "options", "list": "fixedCollection"}

Parameter = dict[str, Any]
LoadMethod = Callable[[Field], tuple[str, list[str]]]
"""Names the method that loads a field's options, and the parameters it depends on."""


def stands_in_form(field: Field) -> bool:
    """Whether the field is always shown."""
    if field.required or field.default is not None:
        return True
    return field.presence == "optional" and field.type in IN_THE_FORM


def place_of(field: Field) -> str:
    """Where the form keeps a field of the first level."""
    return field.name if stands_in_form(field) else f"{ADDITIONAL}.{field.name}"


def form(fields: Iterable[Field], shown: dict[str, list[str]], lang: str, load: LoadMethod) -> list[Parameter]:
    """The parameters for the inputs of one manifest, shown only under the given choices."""
    known = [field for field in fields if not field.internal]
    display = {"displayOptions": {"show": shown}}
    parameters = [{**_parameter(field, lang, load), **display} for field in known if stands_in_form(field)]
    more = [_parameter(field, lang, load) for field in known if not stands_in_form(field)]
    if more:
        parameters.append(
            {
                "displayName": wording.word("n8n_additional", lang),
                "name": ADDITIONAL,
                "type": "collection",
                "placeholder": wording.word("n8n_add_field", lang),
                "default": {},
                **display,
                "options": _sorted([_without(one, "required") for one in more]),
            }
        )
    return parameters


def _parameter(field: Field, lang: str, load: LoadMethod, *, inside: bool = False) -> Parameter:
    """One parameter; `inside` a list or object nothing can be left out but by being empty."""
    if field.lookup is not None and not inside:
        return _dropdown(field, lang, load)
    parameter: Parameter = {
        "displayName": wording.title(field.label, lang),
        "name": field.name,
        "type": _type(field, inside),
        **_required(field),
        **_default(field, inside),
        **_more(field, lang, load, inside),
    }
    words = wording.description(field.help, lang)
    if field.type == "boolean":
        words = wording.yes_no_description(field.help, lang)
    elif field.type == "file":
        parameter["hint"] = wording.word("n8n_binary_field", lang)
    return {**parameter, "description": words}


def _dropdown(field: Field, lang: str, load: LoadMethod) -> Parameter:
    """A list with search, and beside it a text field: an id can always be typed, or come from an expression."""
    method, depends_on = load(field)
    from_list = {
        "displayName": wording.word("n8n_from_list", lang),
        "name": "list",
        "type": "list",
        "typeOptions": {"searchListMethod": method, "searchable": True},
    }
    typed = {
        "displayName": wording.word("n8n_by_id", lang),
        "name": "id",
        "type": "string",
        **({"placeholder": _example(field, lang)} if field.example is not None else {}),
    }
    return {
        "displayName": wording.dropdown_title(field.label, lang),
        "name": field.name,
        "type": LOCATOR,
        **({"typeOptions": {"loadOptionsDependsOn": depends_on}} if depends_on else {}),
        **_required(field),
        "default": {"mode": "list", "value": "" if field.default is None else str(field.default)},
        "description": wording.description(field.help, lang),
        "modes": [from_list, typed],
    }


def _type(field: Field, inside: bool) -> str:
    if field.type == "enum":
        return "string" if field.open or inside else "options"
    if field.type == "object":
        return "fixedCollection" if field.fields else "json"
    if field.type == "integer":
        return "string" if inside or field.required else "number"
    if field.type == "date-time":
        return "string" if inside else "dateTime"
    return WHOLE_TYPES.get(field.type, "string")


def _required(field: Field) -> Parameter:
    return {"required": True} if field.required else {}


def _default(field: Field, inside: bool) -> Parameter:
    kind = _type(field, inside)
    if kind == "fixedCollection":
        return {"default": {}}
    if kind == "boolean":
        return {"default": bool(field.default)}
    if kind == "number":
        return {"default": int(field.min or 0) if field.default is None else field.default}
    if kind == "options":
        return {"default": field.default if field.default is not None else field.values[0].value}
    if field.type == "file":
        return {"default": "data"}
    return {"default": "" if field.default is None else str(field.default)}


def _more(field: Field, lang: str, load: LoadMethod, inside: bool) -> Parameter:
    kind = _type(field, inside)
    if kind == "options":
        options = [{"name": wording.title(one.label, lang), "value": one.value} for one in field.values]
        return {"options": sorted(options, key=_by_name) if len(options) >= ENOUGH_TO_SORT else options}
    if kind == "fixedCollection":
        several = field.type == "list"
        values = [_parameter(one, lang, load, inside=True) for one in field.fields]
        group = {
            "displayName": wording.title(field.label, lang),
            "name": LINES,
            "values": _sorted(values) if len(values) >= ENOUGH_TO_SORT else values,
        }
        return {
            "placeholder": wording.word("n8n_add_entry", lang),
            **({"typeOptions": {"multipleValues": True}} if several else {}),
            "options": [group],
        }
    bounds = {f"{name}Value": int(bound) for name, bound in (("min", field.min), ("max", field.max)) if bound}
    if kind == "number" and bounds:
        return {"typeOptions": bounds}
    if kind == "string" and field.example is not None and field.type != "file":
        return {"placeholder": _example(field, lang)}
    return {}


def _example(field: Field, lang: str) -> str:
    if field.format == "email":
        return wording.word("n8n_example_email", lang)
    return wording.word("n8n_example", lang, example=field.example)


def _sorted(parameters: list[Parameter]) -> list[Parameter]:
    return sorted(parameters, key=lambda one: str(one["displayName"]).lower())


def _by_name(option: Parameter) -> str:
    return str(option["name"]).lower()


def _without(parameter: Parameter, name: str) -> Parameter:
    return {key: value for key, value in parameter.items() if key != name}
