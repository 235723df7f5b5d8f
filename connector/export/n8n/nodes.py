"""Writes the TypeScript that differs from export to export: the credential, the three nodes, and the pack."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from connector.export.n8n.literal import literal
from connector.export.n8n.wording import word
from connector.export.node.compile import BUILD, FILLED, IMPORTS
from connector.export.node.sources import exported_as
from connector.export.shape import ExportOptions

FOLDER = Path(__file__).parent / "typescript"
TYPESCRIPT, JAVASCRIPT = "typescript", "javascript"
_TYPES_IMPORTED = re.compile(r"^import type .*;\n", re.MULTILINE)
_TYPE = re.compile(r"^(export const \w+): [^=]+(?= =)", re.MULTILINE)
Parameters = Sequence[Mapping[str, Any]]


def adapter(via: str) -> dict[str, str]:
    """The TypeScript between n8n and the core, or between n8n and a host."""
    paths = [path for part in ("shared", via) for path in sorted((FOLDER / part).glob("*.ts"))]
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def credential(options: ExportOptions, written: str = TYPESCRIPT) -> str:
    """The credential; the nodes test it."""
    lang, host = options.lang, options.via == "host"
    address = {
        "displayName": word("n8n_host_url" if host else "n8n_base_url", lang),
        "name": "baseUrl",
        "type": "string",
        "required": True,
        "default": options.host_url if host else options.base_url,
        "description": word("n8n_host_url_help" if host else "n8n_base_url_help", lang),
    }
    key = _secret("api_key", "apiKey", lang)
    agents = {
        "displayName": word("n8n_agents_may_pay", lang),
        "name": "agentsMayPay",
        "type": "boolean",
        "default": False,
        "description": word("n8n_agents_may_pay_help", lang),
    }
    properties = [address, _secret("host_token", "hostToken", lang), key] if host else [address, key, agents]
    headers = {"x-api-key": "={{$credentials.apiKey}}"}
    if host:
        headers["authorization"] = "=Bearer {{$credentials.hostToken}}"
    return _filled(
        "KontorApi.credentials",
        written,
        homepage=literal(options.publisher.homepage),
        properties=literal(properties, 1),
        authenticate=literal({"type": "generic", "properties": {"headers": headers}}, 1),
    )


def _secret(name: str, field: str, lang: str) -> dict[str, Any]:
    return {
        "displayName": word(f"n8n_{name}", lang),
        "name": field,
        "type": "string",
        "typeOptions": {"password": True},
        "required": True,
        "default": "",
        "description": word(f"n8n_{name}_help", lang),
    }


def action_node(chooser: Mapping[str, Any], areas: Sequence[str], lang: str, written: str = TYPESCRIPT) -> str:
    """The node with all operations."""
    imports = "".join(f"import {{ {area}Description }} from './{area}Description';\n" for area in areas)
    spread = "".join(f"\t\t\t...{area}Description,\n" for area in areas)
    properties = f"[\n\t\t\t{literal(chooser, 3)},\n{spread}\t\t]"
    about = literal(word("n8n_about", lang))
    return _filled("Kontor.node", written, imports=imports, about=about, properties=properties)


def trigger_node(node: str, about: str, parameters: Parameters, written: str = TYPESCRIPT) -> str:
    """A node that starts workflows."""
    return _filled(f"{node}.node", written, about=literal(about), properties=literal(parameters, 2))


def parameters(area: str, found: Parameters) -> str:
    """The operations of one area."""
    return (
        "import type { INodeProperties } from 'n8n-workflow';\n\n"
        f"export const {area}Description: INodeProperties[] = {literal(found)};\n"
    )


def pack(content: Mapping[str, Any], dropdowns: Mapping[str, Any]) -> str:
    """What the core works from, and how the forms use the lookups; as JSON, which the linter takes for no form."""
    return (
        "import type { DropdownUse } from './adapter/form';\n"
        "import type { Pack } from './core/manifest/pack';\n\n"
        f"export const PACK: Pack = {_json(content)};\n\n"
        f"export const DROPDOWNS: Record<string, DropdownUse> = {_json(dropdowns)};\n"
    )


def code(paths: Iterable[str]) -> str:
    """The code beside manifests, by kind and id."""
    lines = ["import type { Code } from './core/manifest/code';"]
    kinds: dict[str, list[str]] = {"actions": [], "triggers": []}
    for path in sorted(paths):
        kind, _, id = path.removesuffix(".ts").partition("/")
        lines.append(f"import {{ {exported_as(id)} }} from './code/{kind}/{id}';")
        kinds[kind].append(f"{id}: {exported_as(id)}")
    inner = "".join(f"\t{kind}: {{ {', '.join(held)} }},\n" for kind, held in kinds.items() if held)
    return "\n".join([*lines, "", f"export const CODE: Code = {{\n{inner}}};", ""])


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent="\t")


def as_javascript(source: str) -> str:
    """What `parameters`, `pack` and `code` write, without the types."""
    return _TYPE.sub(r"\1", _TYPES_IMPORTED.sub("", source))


def _filled(template: str, written: str, /, **parts: str) -> str:
    """A template with its marked places filled: each is written `/*name*/`, in JavaScript as the build names it."""
    if written == TYPESCRIPT:
        text = (FOLDER / "nodes" / f"{template}.ts").read_text(encoding="utf-8")
        for name, part in parts.items():
            text = text.replace(f"/*{name}*/", part)
        return text
    text = (BUILD / "n8n" / "nodes" / f"{template}.js").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = part + text if name == IMPORTS else text.replace(FILLED + name, part)
    return text
