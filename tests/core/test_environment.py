"""The table of environment variables is all that Kontor reads, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from connector.core.service.environment import GROUPS, VARIABLES
from connector.interfaces.cli import main

ROOT = Path(__file__).parents[2]
SOURCES = [path for room in ("connector", "sandbox") for path in (ROOT / room).rglob("*.py")]
TYPESCRIPT = [path for room in ("connector/export", "actions", "triggers") for path in (ROOT / room).rglob("*.ts")]
ENVIRONMENTS = {"env", "environ"}
READ_BY_HTTPX = {"HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE"}
PASSED_ON = {"PATH"}
"""What the tour gives to the commands that it starts."""
OWN = re.compile(r"KONTOR_[A-Z][A-Z_]*[A-Z]")


def read_in(source: str) -> Iterator[str]:
    """The variables that a module names: its own by their form, others where an environment is read."""
    if "env" not in source and not OWN.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and OWN.fullmatch(node.value):
            yield node.value
        match node:
            case ast.Call(func=ast.Attribute(value=where, attr="get" | "pop" | "setdefault"), args=[key, *_]):
                pass
            case ast.Subscript(value=where, slice=key):
                pass
            case ast.Call(func=ast.Attribute(attr="getenv") | ast.Name(id="getenv"), args=[key, *_]):
                where = ast.Name(id="environ")
            case _:
                continue
        name = where.attr if isinstance(where, ast.Attribute) else getattr(where, "id", "")
        if name in ENVIRONMENTS and isinstance(key, ast.Constant):
            yield str(key.value)


def test_every_variable_that_is_read_is_in_the_table_and_no_other() -> None:
    read = {name for path in SOURCES for name in read_in(path.read_text(encoding="utf-8"))}
    assert read - PASSED_ON == set(VARIABLES) - READ_BY_HTTPX


def test_no_package_for_a_platform_reads_the_environment() -> None:
    assert not [path for path in TYPESCRIPT if "process.env" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize(
    "source",
    [
        'os.environ.get("KONTOR_NEW", "")',
        'os.environ["TZ"]',
        'env.get("TZ")',
        'os.getenv("TZ")',
        'NAME = "KONTOR_NEW"',
    ],
)
def test_a_read_is_found_however_it_is_written(source: str) -> None:
    assert set(read_in(source)) - set(VARIABLES)


def test_what_the_documents_name_is_in_the_table() -> None:
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    named = {name for path in documents for name in OWN.findall(path.read_text(encoding="utf-8"))}
    assert named <= set(VARIABLES)


def test_keys_and_tokens_are_marked_as_secret_and_have_no_default() -> None:
    secret = {name for name, variable in VARIABLES.items() if variable.secret}
    assert secret == {name for name in VARIABLES if name.endswith(("_KEY", "_TOKEN"))}
    assert not [name for name in secret if VARIABLES[name].default]
    assert {variable.group for variable in VARIABLES.values()} == set(GROUPS)


@pytest.mark.parametrize(("lang", "said"), [("en", "The language of messages"), ("de", "Die Sprache der Meldungen")])
def test_the_command_line_lists_them(
    lang: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KONTOR_LANG", lang)
    monkeypatch.setenv("KONTOR_API_KEY", "the-very-secret-key")
    assert main(["help", "environment"]) == 0
    printed = capsys.readouterr().out
    assert said in printed
    assert all(name in printed for name in VARIABLES)
    assert main(["help", "environment", "--json"]) == 0
    document = capsys.readouterr().out
    assert document.count("\n") == 1
    assert all(f'"name":"{name}"' in document for name in VARIABLES)
    assert "the-very-secret-key" not in printed + document
