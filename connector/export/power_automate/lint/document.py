"""Rules about the connector as a whole: title, description, addresses, metadata, size, credential and files."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from connector.export.power_automate.lint.connector import DEFINITION, ICON, PROPERTIES, README, PowerConnector
from connector.export.shape import Finding

LONGEST_TITLE = 30
DESCRIPTION = (30, 500)
MOST_CHARACTERS = 500_000
METADATA = ("Website", "Privacy policy", "Categories")
COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
DEFAULT_COLOUR = "#007ee5"
ICON_SIDES = (100, 230)
FORBIDDEN = re.compile(r"\b(api|connector)\b", re.IGNORECASE)


def it_is_swagger_2(connector: PowerConnector) -> Iterator[Finding]:
    """The platform reads version 2.0 only."""
    if connector.definition.get("swagger") != "2.0":
        yield Finding(DEFINITION, "is not Swagger 2.0")


def title_is_short(connector: PowerConnector) -> Iterator[Finding]:
    """At most 30 characters, and not the words API or Connector."""
    title = str(connector.definition.get("info", {}).get("title") or "")
    if not title or len(title) > LONGEST_TITLE or FORBIDDEN.search(title):
        yield Finding("info.title", f"must be at most 30 characters without API or Connector: {title!r}")


def description_is_useful(connector: PowerConnector) -> Iterator[Finding]:
    """Between 30 and 500 characters."""
    text = str(connector.definition.get("info", {}).get("description") or "")
    if not DESCRIPTION[0] <= len(text) <= DESCRIPTION[1]:
        yield Finding("info.description", f"has {len(text)} characters; 30 to 500 are expected")


def somebody_answers(connector: PowerConnector) -> Iterator[Finding]:
    """A contact with name, address and e-mail."""
    contact = connector.definition.get("info", {}).get("contact", {})
    for part in ("name", "url", "email"):
        if not contact.get(part):
            yield Finding("info.contact", f"has no {part}")


def metadata_is_there(connector: PowerConnector) -> Iterator[Finding]:
    """Website, privacy policy and categories."""
    given = {one.get("propertyName") for one in connector.definition.get("x-ms-connector-metadata", ())}
    for name in METADATA:
        if name not in given:
            yield Finding("x-ms-connector-metadata", f"has no {name}")


def address_is_safe(connector: PowerConnector) -> Iterator[Finding]:
    """A host, and https except on this machine."""
    host = str(connector.definition.get("host") or "")
    if not host or "/" in host:
        yield Finding("host", f"is no host name: {host!r}")
    local = host.startswith(("127.", "localhost"))
    if connector.definition.get("schemes") != ["https"] and not local:
        yield Finding("schemes", "must be https alone")


def it_is_not_too_large(connector: PowerConnector) -> Iterator[Finding]:
    """Under 500,000 characters."""
    if len(connector.text) >= MOST_CHARACTERS:
        yield Finding(DEFINITION, f"has {len(connector.text)} characters; fewer than {MOST_CHARACTERS} are taken")


def key_is_a_secret(connector: PowerConnector) -> Iterator[Finding]:
    """The key travels in a header, is declared on both sides, and is entered hidden."""
    schemes = connector.definition.get("securityDefinitions", {})
    if not schemes:
        yield Finding("securityDefinitions", "is empty")
    for name, scheme in schemes.items():
        if scheme.get("type") == "apiKey" and scheme.get("in") != "header":
            yield Finding("securityDefinitions", f"{name} does not travel in a header")
        if name not in connector.properties.get("connectionParameters", {}):
            yield Finding(PROPERTIES, f"connectionParameters has no {name}")
    for name, parameter in connector.properties.get("connectionParameters", {}).items():
        if parameter.get("type") != "securestring":
            yield Finding(PROPERTIES, f"{name} is entered in clear")
    if not connector.definition.get("security"):
        yield Finding("security", "no credential is demanded")


def brand_is_ours(connector: PowerConnector) -> Iterator[Finding]:
    """A colour of our own, and a publisher."""
    colour = str(connector.properties.get("iconBrandColor") or "")
    if not COLOUR.fullmatch(colour) or colour.lower() == DEFAULT_COLOUR:
        yield Finding(PROPERTIES, f"iconBrandColor is no colour of our own: {colour!r}")
    for name in ("publisher", "stackOwner"):
        if not connector.properties.get(name):
            yield Finding(PROPERTIES, f"has no {name}")


def files_are_there(connector: PowerConnector) -> Iterator[Finding]:
    """A readme, and a square icon of 100 to 230 pixels."""
    if not connector.files.get(README, b"").strip():
        yield Finding(README, "is missing or empty")
    icon = connector.files.get(ICON, b"")
    if not icon.startswith(b"\x89PNG\r\n\x1a\n"):
        yield Finding(ICON, "is missing or no PNG")
        return
    width, height = struct.unpack(">II", icon[16:24])
    if width != height or not ICON_SIDES[0] <= width <= ICON_SIDES[1]:
        yield Finding(ICON, f"is {width} by {height} pixels; a square of 100 to 230 is expected")


RULES = (
    it_is_swagger_2,
    title_is_short,
    description_is_useful,
    somebody_answers,
    metadata_is_there,
    address_is_safe,
    it_is_not_too_large,
    key_is_a_secret,
    brand_is_ours,
    files_are_there,
)
