"""The package's own papers: package.json, tsconfig, the linter's configuration, README, licence and the codex files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from connector.export.shape import Dropped, ExportOptions
from connector.version import __version__

NAME = "n8n-nodes-kontor"
HOMEPAGE = "https://kontor.example/n8n"
AUTHOR = {"name": "Kontor", "email": "n8n@kontor.example"}
NODES = ("Kontor", "KontorTrigger", "KontorEventTrigger")
LICENCE = Path(__file__).parents[3] / "LICENSE"


def package_json(about: str) -> bytes:
    """Who the package is, and what n8n loads from it."""
    return _json(
        {
            "name": NAME,
            "version": __version__,
            "description": about,
            "license": "MIT",
            "homepage": HOMEPAGE,
            "keywords": ["n8n-community-node-package"],
            "author": AUTHOR,
            "repository": {"type": "git", "url": f"https://kontor.example/{NAME}.git"},
            "scripts": {"build": "n8n-node build", "lint": "n8n-node lint", "dev": "n8n-node dev"},
            "files": ["dist"],
            "n8n": {
                "n8nNodesApiVersion": 1,
                "strict": True,
                "credentials": ["dist/credentials/KontorApi.credentials.js"],
                "nodes": [f"dist/nodes/{name}/{name}.node.js" for name in NODES],
            },
            "devDependencies": {"@n8n/node-cli": "0.48.3", "typescript": "5.9.3"},
            "peerDependencies": {"n8n-workflow": "*"},
        }
    )


def tsconfig() -> bytes:
    """How the TypeScript is compiled: as strictly as n8n's own template, for Node 20 and later."""
    return _json(
        {
            "compilerOptions": {
                "strict": True,
                "module": "commonjs",
                "moduleResolution": "node",
                "target": "es2021",
                "lib": ["es2021", "es2022.error"],
                "removeComments": True,
                "forceConsistentCasingInFileNames": True,
                "noImplicitAny": True,
                "noImplicitReturns": True,
                "noUnusedLocals": True,
                "noUnusedParameters": True,
                "esModuleInterop": True,
                "resolveJsonModule": True,
                "declaration": True,
                "sourceMap": True,
                "skipLibCheck": True,
                "outDir": "./dist/",
            },
            "include": ["credentials/**/*", "nodes/**/*", "package.json"],
        }
    )


def eslint_config() -> bytes:
    """The stock configuration of n8n's own tool, which insists on finding exactly this."""
    return b"import { config } from '@n8n/node-cli/eslint';\n\nexport default config;\n"


def codex(node: str) -> bytes:
    """Where n8n shows the node."""
    resources = {"primaryDocumentation": [{"url": HOMEPAGE}], "credentialDocumentation": [{"url": HOMEPAGE}]}
    return _json(
        {
            "node": f"{NAME}.{node[:1].lower()}{node[1:]}",
            "nodeVersion": "1.0",
            "codexVersion": "1.0",
            "categories": ["Finance & Accounting"],
            "resources": resources,
        }
    )


def readme(about: str, titles: dict[str, list[str]], dropped: tuple[Dropped, ...], options: ExportOptions) -> bytes:
    """What a person must know who installs it."""
    host = options.via == "host"
    lines = [
        f"# {NAME}",
        "",
        about,
        "",
        "It talks to a Kontor host, with its guards: keys for every step, checks, one webhook URL for all."
        if host
        else "It talks to the service directly; nothing else has to run.",
        "",
        "## Install",
        "",
        "```",
        "npm install && npm run build && npm run lint",
        "```",
        "",
        "Copy the folder, or pack it, into `~/.n8n/nodes/node_modules/" + NAME + "` and start n8n again.",
        "",
        "## Credential",
        "",
        "Kontor API: the host's address and token, and the service's API key."
        if host
        else "Kontor API: the service's base URL and an API key from its dashboard.",
        "",
        *_sections(titles),
        "## Good to know",
        "",
        "- IDs are text. Hand them on as they are; a number with more digits than n8n can hold arrives as text too.",
        "- Amounts are typed with a point (-41.65) and reach the service to the last digit.",
        "- A date-time without a zone is read in Europe/Berlin.",
        "- What an event trigger has told of, it remembers while n8n runs. After a restart, or with several processes, "
        "the same news may start a workflow once more; it carries the same `_id`.",
        "- Receipt images: name the binary field of the incoming item, or give the file as base64.",
        *_conduct(host),
        "",
    ]
    if options.lang == "de":
        lines += ["Labels are German here; n8n's linter knows English title case only.", ""]
    if dropped:
        lines += ["## Not in this package", "", *(f"- {one.kind} `{one.id}`: {one.reason.en}" for one in dropped), ""]
    return "\n".join(lines).encode()


def _sections(titles: dict[str, list[str]]) -> list[str]:
    lines: list[str] = []
    for heading, found in titles.items():
        lines += [f"## {heading}", "", *(f"- {title}" for title in found), ""]
    return lines


def _conduct(host: bool) -> list[str]:
    if host:
        return [
            "- Every write carries a key of execution, node, run and item: a retry by n8n books or pays only once.",
            "- The event trigger subscribes at the host, one subscription per workflow.",
        ]
    return [
        "- After a lost answer a booking or payment is reported as unknown and not repeated. Leave n8n's \"Retry On "
        'Fail" off for such steps, or use the package for a Kontor host.',
        "- The service has one webhook URL. The event trigger reads it first, and leaves a foreign one alone unless "
        "told otherwise. An event about a payment is confirmed by the API before the workflow starts.",
        '- An event can get lost on the way: where it matters, poll "Payment status changed" as well.',
    ]


def licence() -> bytes:
    """Kontor's own licence; an installed Kontor may have no file of it, and then says its name."""
    return LICENCE.read_bytes() if LICENCE.is_file() else b"MIT\n"


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent="\t") + "\n").encode()
