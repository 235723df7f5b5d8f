"""What others say of our packages: the vendors' own JSON schemas, beside the checkout, and two validators of Swagger.

Exports have only Kontor's own rules: neither the schemas nor the validators come with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from jsonschema import validators
from openapi_spec_validator import OpenAPIV2SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7
from swagger_spec_validator.common import SwaggerValidationError
from swagger_spec_validator.validator20 import validate_spec

from connector.export.make.lint.app import MakeApp
from connector.export.power_automate.lint.connector import DEFINITION, PROPERTIES, PowerConnector
from connector.export.shape import Export, Finding

SCHEMAS = Path(__file__).resolve().parents[2].parent / "shared" / "schemas"
BASE = "https://schemas.invalid/"
LONGEST = 300
MAKE_SCHEMAS = {
    "communication": "api.json",
    "attach": "api.json",
    "detach": "api.json",
    "update": "api.json",
    "epoch": "epoch.json",
    "params": "parameters.json",
    "staticParams": "parameters.json",
    "mappableParams": "parameters.json",
    "interface": "parameters.json",
    "samples": "samples.json",
    "scope": "scope.json",
    "requiredScope": "scope.json",
}
MAKE_GENERAL = {"base": "base.json", "common": "common.json", "groups": "groups.json"}


def present(platform: str) -> bool:
    """Whether the schemas of a platform are at hand."""
    return (SCHEMAS / platform).is_dir()


def vendor_findings(export: Export) -> tuple[Finding, ...]:
    """What schemas and validators say against a package; nothing of a platform that has none."""
    match export.platform:
        case "make":
            app = MakeApp.read(export)
            return (app,) if isinstance(app, Finding) else tuple(_of_make(app))
        case "power-automate":
            connector = PowerConnector.read(export)
            return (connector,) if isinstance(connector, Finding) else tuple(_of_power_automate(connector))
    return ()


def _of_make(app: MakeApp) -> Iterator[Finding]:
    if not present("make"):
        return
    yield from _by_schema("make", "makecomapp.schema.json", app.index, "makecomapp.json")
    for code, path in app.general.items():
        if code in MAKE_GENERAL and path in app.contents:
            yield from _by_schema("make", MAKE_GENERAL[code], app.contents[path], path)
    for component in app.components:
        for code, path in component.files.items():
            if code in MAKE_SCHEMAS and path in app.contents:
                yield from _by_schema("make", MAKE_SCHEMAS[code], app.contents[path], path)


def _of_power_automate(connector: PowerConnector) -> Iterator[Finding]:
    if present("power"):
        yield from _by_schema("power", "apiDefinition.swagger.schema.json", connector.definition, DEFINITION)
        whole = {"properties": connector.properties}
        yield from _by_schema("power", "apiProperties.schema.json", whole, PROPERTIES)
    for error in OpenAPIV2SpecValidator(connector.definition).iter_errors():
        yield Finding(DEFINITION, f"openapi-spec-validator says: {error.message[:LONGEST]}")
    try:
        validate_spec(connector.definition)
    except SwaggerValidationError as error:
        yield Finding(DEFINITION, f"swagger-spec-validator says: {str(error)[:LONGEST]}")


def _by_schema(platform: str, schema: str, content: Any, where: str) -> Iterator[Finding]:
    for error in _validator(platform, schema).iter_errors(content):
        place = "/".join(str(step) for step in error.absolute_path)
        yield Finding(f"{where}#{place}", f"the vendor's schema says: {error.message[:LONGEST]}")


@lru_cache(maxsize=32)
def _validator(platform: str, schema: str) -> Any:
    folder = SCHEMAS / platform
    content = json.loads((folder / schema).read_text(encoding="utf-8"))
    if platform != "make":
        return validators.validator_for(content)(content)
    # Make's schemas refer to each other by file name and have no addresses of their own.
    resources = {
        path.name: DRAFT7.create_resource(json.loads(path.read_text(encoding="utf-8")))
        for path in folder.glob("*.json")
    }
    registry: Registry[Any] = Registry().with_resources((f"{BASE}{name}", one) for name, one in resources.items())
    start: Resource[Any] = DRAFT7.create_resource({"$ref": f"{BASE}{schema}"})
    return validators.validator_for(content)(start.contents, registry=registry)
