"""The account that a user connects: its fields, its test and its label."""

from __future__ import annotations

from typing import Any

from connector.core.messages import say
from connector.export.shape import ExportOptions
from connector.export.zapier.wording import headline, help_text
from connector.runtime.connector import Connector


def authentication(connector: Connector, options: ExportOptions) -> dict[str, Any]:
    """The fields, and the free call that proves the key."""
    names = {"base_url": options.base_url, "api_key": ""}
    if options.via == "host":
        names = {"host_url": options.host_url, "host_token": "", "api_key": ""}
    test = {"does": "test", "id": connector.roles["account_list"], "label": connector.about["test"]["label"]}
    return {
        "type": "custom",
        "fields": [_field(name, default, options.lang) for name, default in names.items()],
        "test": test,
        "connectionLabel": "{{label}}",
    }


def _field(name: str, default: str, lang: str) -> dict[str, Any]:
    field = {
        "key": name,
        "label": headline(say(f"export_{name}"), lang),
        "helpText": help_text(say(f"export_{name}_help"), lang),
        "type": "string" if default else "password",
        "required": True,
    }
    return {**field, "default": default} if default else field
