"""The limits of the TypeScript core: it imports only itself, takes nothing from its surroundings and names no id.

What it needs from outside is injected, so that every Node platform can carry it unchanged.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from connector.core.messages import sentences
from tests.platforms.node import find_node, or_skip

ROOT = Path(__file__).parents[3]
CORE = ROOT / "connector" / "export" / "node" / "core"
MODULES = sorted(CORE.rglob("*.ts"))
BESIDE_MANIFESTS = sorted(path for room in ("actions", "triggers") for path in (ROOT / room).rglob("*.ts"))
TIMERS = ("setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "queueMicrotask")
NODE = ("process", "Buffer", "crypto", "console", "require", "module", "global", "globalThis", "performance")
WEB = ("fetch", "XMLHttpRequest", "WebSocket", "window", "self", "navigator", "atob", "btoa", "URL", "URLSearchParams")
OTHERS = ("eval", "Function", "TextEncoder", "TextDecoder", "structuredClone")
FORBIDDEN = (*TIMERS, *NODE, *WEB, *OTHERS)
MOST_LINES = 400
MOST_COLUMNS = 120
TAB = " " * 4

_COMMENT = r"/\*.*?\*/|//[^\n]*"
_STRING = r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\""
_IMPORT = re.compile(r"^(?:import|export)\b[^;]*?\bfrom '([^']+)';|\bimport\(|^import '([^']+)';", re.MULTILINE)


def code_of(source: str) -> str:
    """The source without comments and plain strings; what stands in template strings may be code."""
    return re.sub(f"{_STRING}|{_COMMENT}", lambda found: "''" if found[0][0] in "'\"" else "", source, flags=re.DOTALL)


def strangers_in(source: str) -> set[str]:
    """The names of the surroundings that a source uses, other than as a property or a key of its own."""
    code = code_of(source)
    return {name for name in FORBIDDEN if re.search(rf"(?<![\w$.]){name}\b(?!['\w$]|\??:)", code)}


def imports_of(source: str) -> list[str]:
    return [
        found[1] or found[2] or found[0] for found in _IMPORT.finditer(re.sub(_COMMENT, "", source, flags=re.DOTALL))
    ]


def names_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=names_of)
def test_a_module_imports_only_the_core_itself(path: Path) -> None:
    for target in imports_of(path.read_text(encoding="utf-8")):
        assert target.startswith(("./", "../")), target
        assert target.endswith(".ts"), target
        found = (path.parent / target).resolve()
        assert found.is_file(), target
        assert found.is_relative_to(CORE), target


@pytest.mark.parametrize("path", BESIDE_MANIFESTS, ids=names_of)
def test_code_beside_a_manifest_imports_only_the_core(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert imports_of(source)
    for target in imports_of(source):
        assert (path.parent / target).resolve().is_relative_to(CORE), target
    assert strangers_in(source) == set()
    assert path.with_suffix(".py").is_file()


@pytest.mark.parametrize("path", MODULES, ids=names_of)
def test_a_module_takes_nothing_from_its_surroundings(path: Path) -> None:
    assert strangers_in(path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize("path", [*MODULES, *BESIDE_MANIFESTS], ids=names_of)
def test_a_module_is_laid_out_like_the_others(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("/**")
    assert len(lines) <= MOST_LINES
    for number, line in enumerate(lines, start=1):
        assert len(line.replace("\t", TAB)) <= MOST_COLUMNS, number
        assert not re.match(r"\t* {2,}", line), number
        assert line == line.rstrip(), number


def test_the_core_names_no_id_and_no_path_of_a_manifest() -> None:
    manifests = [
        yaml.safe_load(path.read_text(encoding="utf-8"))
        for room in ("actions", "lookups", "triggers")
        for path in (ROOT / "manifests" / room).rglob("*.yaml")
    ]
    ids = {manifest["id"] for manifest in manifests}
    assert "list_payments" in ids
    for path in MODULES:
        tokens = re.findall(f"({_STRING})|{_COMMENT}", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        strings = {text[1:-1] for text in tokens if text}
        tables = {"currencies"} if path.name == "form.ts" else set()  # a table of Kontor's own
        assert strings & ids == tables, path
        assert not [text for text in strings if "/v2/" in text], path


def test_every_sentence_that_the_core_says_is_in_the_catalogue() -> None:
    said = sentences_said()
    assert {"missing", "iban_checksum", "write_lost", "service_down_remedy", "cursor_invalid"} <= said
    assert said - set(sentences()) == set()


def sentences_said() -> set[str]:
    """The names of sentences in the sources; those of rules are `rule.reason`, and are checked by the cases."""
    said: set[str] = set()
    for path in MODULES:
        if path.name in {"rules.ts", "files.ts"}:
            continue
        source = path.read_text(encoding="utf-8")
        said |= set(re.findall(r"\b(?:Misfit|say)\(\s*'(\w+)'", source))
        said |= set(re.findall(r"\breason: '(\w+)'", source))
        said |= set(re.findall(r"'((?:not_an?|iban|german|url|base_url|why|package|key)_\w+)'", source))
        for kind, reason in re.findall(r"\bproblem\(\s*[\w.]+,\s*'(\w+)',\s*'?(\w+)", source):
            said |= {f"{kind}_remedy", *({reason} - {"reason"})}
        for kind, reason in re.findall(r"\bas\(\s*'(\w+)'(?:,\s*'(\w+)')?", source):
            said |= {f"{kind}_remedy", reason or kind}
    return said - {"not_yet"}


def test_node_runs_every_module_unbuilt(tmp_path: Path) -> None:
    """Node only takes types away: it refuses what would have to be translated, such as enums."""
    with or_skip():
        node = find_node()
        node.require(24, "TypeScript that is not built")
    addresses = [path.as_uri() for path in [*MODULES, *BESIDE_MANIFESTS]]
    script = tmp_path / "load.mjs"
    script.write_text(f"for (const one of {json.dumps(addresses)}) await import(one);\nconsole.log('loaded');\n")
    done = subprocess.run([node.program, str(script)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "loaded\n", done.stderr


@pytest.mark.parametrize(
    "source",
    [
        "const id = process.env.ID;",
        "setTimeout(() => 1, 5);",
        "const bytes = `${Buffer.from(text)}`;",
        "if (typeof fetch === 'function') run();",
    ],
)
def test_a_source_that_takes_something_is_noticed(source: str) -> None:
    assert strangers_in(source)


@pytest.mark.parametrize(
    "source", ["// process it", "const text = 'fetch';", "row.module", "/** crypto */", "say({ global: 1 });"]
)
def test_a_source_that_only_mentions_something_is_not(source: str) -> None:
    assert not strangers_in(source)


@pytest.mark.parametrize(
    ("source", "targets"),
    [
        ("import { x } from 'n8n-workflow';", ["n8n-workflow"]),
        ("import type {\n\tA,\n} from './a.ts';", ["./a.ts"]),
        ("export type * from './pack.ts';", ["./pack.ts"]),
        ("import 'left';", ["left"]),
        ("const late = await import(name);", ["import("]),
    ],
)
def test_imports_of_any_form_are_found(source: str, targets: list[str]) -> None:
    assert imports_of(source) == targets
