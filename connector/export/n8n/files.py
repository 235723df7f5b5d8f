"""The package's own papers: package.json, tsconfig, the linter's configuration, README, licence and the codex files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from connector.core.manifest.model import Action, Manifest, Trigger
from connector.export.n8n.wording import word
from connector.export.node import npm_lock
from connector.export.shape import Dropped, ExportOptions
from connector.version import __version__

NAME = "n8n-nodes-kontor"
HOMEPAGE = "https://kontor.example/n8n"
AUTHOR = {"name": "Kontor", "email": "n8n@kontor.example"}
NODES = ("Kontor", "KontorTrigger", "KontorEventTrigger")
LICENCE = Path(__file__).parents[3] / "LICENSE"
LOCK = Path(__file__).with_name("npm-lock.json")
PEER = "n8n-workflow"
"""What n8n itself brings; the version in the lock is the one that the package is built with."""


def package_json(about: str, lock: npm_lock.Lock) -> bytes:
    """Who the package is, and what n8n loads from it."""
    tools = {name: version for name, version in lock["dependencies"].items() if name != PEER}
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
            "devDependencies": tools,
            "peerDependencies": {PEER: "*"},
        }
    )


def build_files(about: str) -> dict[str, bytes]:
    """What npm reads: the package.json, and the lock of all packages that building takes."""
    lock = npm_lock.read(LOCK)
    described = package_json(about, lock)
    return {"package.json": described, "package-lock.json": _json(npm_lock.package_lock(json.loads(described), lock))}


def tsconfig() -> bytes:
    """How the TypeScript is compiled: as strictly as n8n's own template, for Node 20 and later."""
    return _json(
        {
            "compilerOptions": {
                "strict": True,
                "module": "commonjs",
                "moduleResolution": "node",
                "target": "es2022",
                "lib": ["es2022"],
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


def codex(node: str, manifests: Iterable[Manifest]) -> bytes:
    """Where n8n shows the node, and by which words its search finds it."""
    aliases = dict.fromkeys(word for one in manifests for word in one.aliases)
    resources = {"primaryDocumentation": [{"url": HOMEPAGE}], "credentialDocumentation": [{"url": HOMEPAGE}]}
    return _json(
        {
            "node": f"{NAME}.{node[:1].lower()}{node[1:]}",
            "nodeVersion": "1.0",
            "codexVersion": "1.0",
            "categories": ["Finance & Accounting"],
            "alias": list(aliases),
            "resources": resources,
        }
    )


def readme(
    about: str,
    actions: Iterable[Action],
    triggers: Iterable[Trigger],
    dropped: Sequence[Dropped],
    options: ExportOptions,
) -> bytes:
    """What a person must know who installs it."""
    lang, via = options.lang, options.via
    text = word(
        "n8n_readme",
        lang,
        name=NAME,
        about=about,
        backend=word(f"n8n_readme_{via}", lang),
        credential=word(f"n8n_readme_credential_{via}", lang),
        operations=_listed(one.title.in_(lang) for one in actions),
        triggers=_listed(one.title.in_(lang) for one in triggers),
        conduct=word(f"n8n_readme_conduct_{via}", lang),
    )
    if dropped:
        missing = _listed(f"{one.kind} `{one.id}`: {one.reason.in_(lang)}" for one in dropped)
        text += f"\n## {word('n8n_readme_dropped', lang)}\n\n{missing}\n"
    return text.encode()


def _listed(titles: Iterable[str]) -> str:
    return "\n".join(f"- {title}" for title in titles)


def licence() -> bytes:
    """Kontor's own licence; an installed Kontor may have no file of it, and then says its name."""
    return LICENCE.read_bytes() if LICENCE.is_file() else b"MIT\n"


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent="\t") + "\n").encode()
