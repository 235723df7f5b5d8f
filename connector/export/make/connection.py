"""The base that all requests share, and the stored credential with its test."""

from __future__ import annotations

from typing import Any

from connector.core.messages import say
from connector.export.make.errors import errors
from connector.export.make.names import QUELLE
from connector.export.shape import ExportOptions
from connector.runtime.connector import Connector

SANITIZED = "request.headers.x-api-key"
SANITIZED_TOKEN = "request.headers.authorization"  # noqa: S105 - the name of a header, not its value
ADDRESS = "^https?://[^ ]+[^ /]$"


def base(options: ExportOptions) -> dict[str, Any]:
    """What every request of the app begins with."""
    address = "{{connection.hostUrl}}" if options.via == "host" else "{{connection.baseUrl}}"
    return {
        "baseUrl": address,
        "headers": _headers("connection", options),
        "response": {"type": "json", "error": errors(options.via, options.lang, writes=False)},
        "log": {"sanitize": _sanitized(options)},
    }


def communication(connector: Connector, options: ExportOptions) -> dict[str, Any]:
    """The test of a credential: a free call that only a right key passes."""
    request: dict[str, Any]
    if options.via == "host":
        request = {"url": "{{parameters.hostUrl}}/v1/credential/test", "method": "POST", "body": {}}
    else:
        test = connector.about["test"]
        request = {"url": "{{parameters.baseUrl}}" + test["path"], "method": test["method"]}
    address = "{{parameters.hostUrl}}" if options.via == "host" else "{{parameters.baseUrl}}"
    return {
        **request,
        "headers": _headers("parameters", options),
        "response": {
            "error": errors(options.via, options.lang, writes=False),
            "metadata": {"type": "text", "value": address},
        },
        "log": {"sanitize": _sanitized(options)},
    }


def parameters(options: ExportOptions) -> list[dict[str, Any]]:
    """What a person enters once."""
    lang = options.lang
    key = {
        "name": "apiKey",
        "type": "password",
        "label": say("export_api_key").in_(lang),
        "help": say("make_api_key_help").in_(lang),
        "required": True,
    }
    if options.via == "service":
        return [
            key,
            _address(
                "baseUrl", options.base_url, say("export_base_url"), say("make_base_url_help"), lang, advanced=True
            ),
        ]
    token = {
        "name": "hostToken",
        "type": "password",
        "label": say("export_host_token").in_(lang),
        "help": say("export_host_token_help").in_(lang),
        "required": True,
    }
    return [_address("hostUrl", options.host_url, say("export_host_url"), say("make_host_url_help"), lang), token, key]


def _address(name: str, default: str, label: Any, help: Any, lang: str, *, advanced: bool = False) -> dict[str, Any]:
    made = {"name": name, "type": "url", "label": label.in_(lang), "help": help.in_(lang), "required": True}
    made |= {"default": default, "validate": {"pattern": ADDRESS}}
    return {**made, "advanced": True} if advanced else made


def _headers(scope: str, options: ExportOptions) -> dict[str, str]:
    headers = {"x-api-key": "{{" + scope + ".apiKey}}", "accept": "application/json"}
    if options.via == "host":
        headers["authorization"] = "Bearer {{" + scope + ".hostToken}}"
        headers["x-kontor-quelle"] = QUELLE
    return headers


def _sanitized(options: ExportOptions) -> list[str]:
    return [SANITIZED, SANITIZED_TOKEN] if options.via == "host" else [SANITIZED]
