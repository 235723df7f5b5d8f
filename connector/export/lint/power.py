"""The lint of a Power Automate connector: our rules, the platform's schemas, and two Swagger validators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from connector.export.lint import power_document, power_operations, power_references, power_schemas, vendor
from connector.export.lint.power_connector import DEFINITION, PROPERTIES, PowerConnector
from connector.export.lint.secrets import secrets
from connector.export.shape import Export, Finding

LONGEST = 300


def rules(export: Export) -> tuple[Finding, ...]:
    """What our own rules find."""
    connector = PowerConnector.read(export)
    if isinstance(connector, Finding):
        return (connector,)
    found: list[Finding] = []
    for room in (power_document, power_operations, power_schemas, power_references):
        for rule in room.RULES:
            found += rule(connector)
    return (*found, *secrets(export))


def lint(export: Export) -> tuple[Finding, ...]:
    """All that can be found without the platform."""
    connector = PowerConnector.read(export)
    if isinstance(connector, Finding):
        return (connector,)
    return (*rules(export), *by_schema(connector), *by_validators(connector.definition))


def by_schema(connector: PowerConnector) -> Iterator[Finding]:
    """What the platform's schemas say, where they are at hand."""
    if vendor.present("power"):
        yield from vendor.findings("power", "apiDefinition.swagger.schema.json", connector.definition, DEFINITION)
        whole = {"properties": connector.properties}
        yield from vendor.findings("power", "apiProperties.schema.json", whole, PROPERTIES)


def by_validators(definition: Any) -> Iterator[Finding]:
    """What validators of Swagger 2.0 say, where they are installed."""
    try:
        from openapi_spec_validator import OpenAPIV2SpecValidator
    except ImportError:
        pass
    else:
        for error in OpenAPIV2SpecValidator(definition).iter_errors():
            yield Finding(DEFINITION, f"openapi-spec-validator says: {error.message[:LONGEST]}")
    try:
        from swagger_spec_validator.common import SwaggerValidationError
        from swagger_spec_validator.validator20 import validate_spec
    except ImportError:
        return
    try:
        validate_spec(definition)
    except SwaggerValidationError as error:
        yield Finding(DEFINITION, f"swagger-spec-validator says: {str(error)[:LONGEST]}")
