"""Every line that a package's README or the console prints for installing runs as it is printed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from connector import Connector
from connector.core.messages import LANGUAGES, say
from connector.export import catalogue
from connector.export.shape import ExportOptions
from tests.platforms.node import find_node

pytestmark = [pytest.mark.platforms, pytest.mark.long]
CONNECTOR = Connector("unused")
LINE = re.compile(r"^\s*(?:\$ )?((?:npm|npx|pip) .+)$", re.MULTILINE)
NEEDS_ACCOUNT = re.compile(r"(zapier-platform-cli@\S+) (register|push)\b.*")
"""Of these, it is only tried that Zapier's tool knows them."""
SECONDS = 300


def exported(platform: str, lang: str, folder: Path) -> None:
    """Write a package as `kontor export` does."""
    options = ExportOptions(lang=lang)  # type: ignore[arg-type]
    catalogue.write(catalogue.export(platform, CONNECTOR, options), folder)
    if (installable := catalogue.ready_made(platform, CONNECTOR, options)) is not None:
        (folder / installable[0]).write_bytes(installable[1])


def printed(platform: str, lang: str, folder: Path) -> list[str]:
    """The lines in the README of a package and on the console's page."""
    steps = say(f"export_steps_{platform}", **catalogue.install_words(platform)).in_(lang)
    readmes = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))]
    return LINE.findall("\n".join([*readmes, steps]))


@pytest.mark.parametrize("platform", catalogue.platforms())
def test_what_is_printed_for_installing_runs_as_it_is_printed(platform: str, tmp_path: Path) -> None:
    done = set[str]()
    for lang in LANGUAGES:
        exported(platform, lang, tmp_path / lang)
        for line in printed(platform, lang, tmp_path / lang):
            if line not in done:
                _typed(NEEDS_ACCOUNT.sub(r"\1 help \2", line), tmp_path / lang, tmp_path)
                done.add(line)
    assert (tmp_path / ".n8n/nodes/node_modules/n8n-nodes-kontor").is_dir() is (platform == "n8n")
    assert (tmp_path / ".node-red/node_modules/@kontor/node-red").is_dir() is (platform == "node-red")
    for place in (".n8n/nodes", ".node-red"):
        installed = [path.name for path in (tmp_path / place / "node_modules").glob("[!.]*")]
        assert len(installed) <= 1, "the platform brings the rest"


def _typed(line: str, folder: Path, home: Path) -> None:
    node = find_node()
    cache = subprocess.run([*node.npm, "config", "get", "cache"], capture_output=True, text=True, check=True).stdout
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env={**node.environment, "HOME": str(home), "npm_config_cache": cache.strip()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("platform", ["n8n", "node-red", "activepieces"])
def test_npm_takes_the_file_for_a_package_that_can_be_published(platform: str, tmp_path: Path) -> None:
    exported(platform, "en", tmp_path)
    file = catalogue.file_to_install(platform)
    _typed(f"npm pack --dry-run ./{file}", tmp_path, tmp_path)
