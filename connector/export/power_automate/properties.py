"""The connector's properties: what a person enters once, the brand colour, and the policies of a connector via host."""

from __future__ import annotations

from typing import Any

from connector.core.messages import Text, say
from connector.export import icon
from connector.export.power_automate.names import QUELLE
from connector.export.power_automate.triggers import SUBSCRIPTIONS
from connector.export.shape import ExportOptions


def properties(options: ExportOptions, subscribing: list[str]) -> dict[str, Any]:
    """`apiProperties.json`. `subscribing`: the operations that subscribe at a host."""
    lang = options.lang
    entered = {"api_key": _secret(say("export_api_key"), say("export_api_key_help"), 1, lang)}
    policies: list[dict[str, Any]] = []
    if options.via == "host":
        entered["host_token"] = _secret(say("export_host_token"), say("export_host_token_help"), 2, lang)
        policies = [
            _header("Authorization", "Bearer @connectionParameters('host_token')"),
            _header("x-kontor-quelle", QUELLE),
            _route(subscribing),
        ]
    return {
        "properties": {
            "connectionParameters": entered,
            "iconBrandColor": icon.BACKGROUND,
            "capabilities": [],
            "publisher": options.publisher.author,
            "stackOwner": options.publisher.author,
            "policyTemplateInstances": policies,
        }
    }


def _secret(label: Text, help: Text, place: int, lang: str) -> dict[str, Any]:
    return {
        "type": "securestring",
        "uiDefinition": {
            "displayName": label.in_(lang),
            "description": help.in_(lang),
            "tooltip": help.in_(lang),
            "constraints": {"tabIndex": place, "clearText": False, "required": "true"},
        },
    }


def _header(name: str, value: str) -> dict[str, Any]:
    return {
        "templateId": "setheader",
        "title": f"Set {name}",
        "parameters": {
            "x-ms-apimTemplate-policySection": "Request",
            "x-ms-apimTemplateParameter.name": name,
            "x-ms-apimTemplateParameter.value": value,
            "x-ms-apimTemplateParameter.existsAction": "override",
        },
    }


def _route(operations: list[str]) -> dict[str, Any]:
    """Every trigger has a path of its own here, and the same one at the host."""
    return {
        "templateId": "routerequesttoendpoint",
        "title": "Subscribe at the host",
        "parameters": {
            "x-ms-apimTemplate-operationName": operations,
            "x-ms-apimTemplateParameter.newPath": SUBSCRIPTIONS,
            "x-ms-apimTemplateParameter.httpMethod": "@Request.OriginalHTTPMethod",
        },
    }
