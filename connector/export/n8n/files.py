"""The package's own papers: package.json, tsconfig, the linter's configuration, README, licence and the codex files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from connector.core.manifest.model import Action, Manifest, Trigger
from connector.export.n8n.wording import word
from connector.export.node import npm_lock
from connector.export.node.npm_package import document, left_out, listed, origin
from connector.export.shape import Dropped, ExportOptions, Publisher
from connector.version import __version__

NAME = "n8n-nodes-kontor"
FILE = f"{NAME}-{__version__}.tgz"
"""As `npm pack` calls it."""
NODES = ("Kontor", "KontorTrigger", "KontorEventTrigger")
LOCK = Path(__file__).with_name("npm-lock.json")
PEER = "n8n-workflow"
"""What n8n itself brings; the version in the lock is the one that the package is built with."""


def package_json(about: str, lock: npm_lock.Lock, publisher: Publisher) -> bytes:
    """Who the package is, and what n8n loads from it."""
    return document(
        {
            "name": NAME,
            "version": __version__,
            "description": about,
            **origin(publisher),
            "keywords": ["n8n-community-node-package"],
            "scripts": {"build": "n8n-node build", "lint": "n8n-node lint", "dev": "n8n-node dev"},
            "files": ["dist"],
            "n8n": {
                "n8nNodesApiVersion": 1,
                "strict": True,
                "credentials": ["dist/credentials/KontorApi.credentials.js"],
                "nodes": [f"dist/nodes/{name}/{name}.node.js" for name in NODES],
            },
            "devDependencies": lock["dependencies"],
            "peerDependencies": {PEER: "*"},
            "peerDependenciesMeta": {PEER: {"optional": True}},  # else npm fetches it too, and compiles parts of it
        }
    )


def build_files(about: str, publisher: Publisher) -> dict[str, bytes]:
    """What npm reads: the package.json, and the lock of all packages that building takes."""
    lock = npm_lock.read(LOCK)
    described = package_json(about, lock, publisher)
    return {
        "package.json": described,
        "package-lock.json": document(npm_lock.package_lock(json.loads(described), lock)),
    }


def tsconfig() -> bytes:
    """How the TypeScript is compiled: as strictly as n8n's own template, for Node 20 and later."""
    return document(
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


def codex(node: str, manifests: Iterable[Manifest], homepage: str) -> bytes:
    """Where n8n shows the node, and by which words its search finds it."""
    aliases = dict.fromkeys(word for one in manifests for word in one.aliases)
    resources = {"primaryDocumentation": [{"url": homepage}], "credentialDocumentation": [{"url": homepage}]}
    return document(
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
        file=FILE,
        about=about,
        backend=word(f"package_readme_{via}", lang),
        credential=word(f"n8n_readme_credential_{via}", lang),
        operations=listed(one.title.in_(lang) for one in actions),
        triggers=listed(one.title.in_(lang) for one in triggers),
        conduct=word(f"n8n_readme_conduct_{via}", lang),
    )
    return (text + left_out(dropped, lang)).encode()
