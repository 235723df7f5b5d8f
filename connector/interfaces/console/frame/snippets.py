"""The filled form as code: command line, curl, Kontor in Python, plain `requests`; never with the API key."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.core.values import json
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import (
    button,
    code_block,
    empty_note,
    flex_row,
    live_region,
    paragraph,
    show_error,
)

KEY_VARIABLE = "KONTOR_API_KEY"
TOKEN_VARIABLE = "KONTOR_HOST_TOKEN"  # noqa: S105 - the name of a variable
OWN_HEADERS = frozenset({"x-api-key", "user-agent"})
"""Request headers that are left out of snippets."""


def command_line(action: str, inputs: Mapping[str, Any], key: str | None = None) -> str:
    """Return a `kontor run` command."""
    words = ["kontor", "run", action]
    if inputs:
        words += ["--input", _line(inputs)]
    if key:
        words += ["--key", key]
    return shlex.join(words)


def curl(host_url: str, action: str, inputs: Mapping[str, Any], key: str | None = None) -> str:
    """Return a curl call of the host."""
    body: dict[str, Any] = {"inputs": dict(inputs)}
    if key:
        body["key"] = key
    return curl_post(f"{host_url}/v1/actions/{action}/run", body)


def curl_post(url: str, body: Mapping[str, Any]) -> str:
    """Return a curl call that posts a JSON body to a host."""
    return " \\\n  ".join(
        [
            f"curl -sS {shlex.quote(url)}",
            f'-H "Authorization: Bearer ${TOKEN_VARIABLE}"',
            f'-H "x-api-key: ${KEY_VARIABLE}"',
            "-H 'Content-Type: application/json'",
            f"--data-raw {shlex.quote(_line(body))}",
        ]
    )


def kontor_python(action: str, inputs: Mapping[str, Any], key: str | None = None) -> str:
    """Return Python code that uses Kontor in-process; the inputs are JSON text, which keeps amounts exact."""
    arguments = [repr(action), "inputs"] + ([f"key={key!r}"] if key else [])
    return (
        "from connector import Connector\n"
        "from connector.core.values import json\n\n"
        f"inputs = json.decode({_literal(inputs)})\n"
        "# The credential comes from KONTOR_BASE_URL and KONTOR_API_KEY.\n"
        "with Connector().open() as kontor:\n"
        f"    result = kontor.invoke({', '.join(arguments)})\n"
        "print(result.output)\n"
    )


def requests_python(request: Mapping[str, Any]) -> str:
    """Return Python code that sends a dry run's request with `requests`; the body is text, which keeps digits."""
    headers = [f'    "x-api-key": os.environ["{KEY_VARIABLE}"],']
    headers += [f"    {name!r}: {value!r}," for name, value in request["headers"].items() if name not in OWN_HEADERS]
    lines = ["import os", "", "import requests", ""]
    if request["body"] is not None:
        lines += [f"body = {_literal(request['body'])}", ""]
    lines += [
        "answer = requests.request(",
        f"    {request['method']!r},",
        f"    {request['url']!r},",
        "    headers={",
        *(f"    {line}" for line in headers),
        "    },",
        *(["    data=body.encode(),"] if request["body"] is not None else []),
        "    timeout=60,",
        ")",
        "answer.raise_for_status()",
        "print(answer.json())",
    ]
    return "\n".join(lines) + "\n"


def pretty(value: Any) -> str:
    """Format a value as indented JSON with exact numbers."""
    return msgspec.json.format(json.encode_clean(value), indent=2).decode()


def _line(value: Any) -> str:
    return json.encode_clean(value).decode()


def _literal(value: Any) -> str:
    """Format JSON as a Python string literal, multi-line where possible."""
    text = pretty(value)
    plain = '"""' not in text
    return f'r"""\n{text}\n"""' if plain and "\n" in text else repr(text)


KINDS = ("cli", "curl", "kontor", "requests")


class CodePanel:
    """Builds itself into the current panel."""

    def __init__(
        self, page: Page, action: Action, inputs: Callable[[], dict[str, Any]], key: Callable[[], str | None]
    ) -> None:
        self._page, self._action, self._inputs, self._key = page, action, inputs, key
        with flex_row():
            for kind in KINDS:
                made = button(page.localize(f"code_{kind}"), lambda _, one=kind: self._show(one), "small")
                made.props["data-kind"] = kind
        self._container = live_region("code-place")
        with self._container:
            empty_note(page.localize("code_none"))

    async def _show(self, kind: str) -> None:
        try:
            text = await self._text(kind)
        except KontorError as error:
            self._container.clear()
            with self._container:
                show_error(error, self._page.localize)
            return
        except NoCredential:
            self._container.clear()
            with self._container:
                empty_note(self._page.localize("no_credential"))
            return
        self._container.clear()
        with self._container:
            code_block(text, self._page.localize)
            paragraph(self._page.localize(f"code_{kind}_note"), "quiet")

    async def _text(self, kind: str) -> str:
        """Generate the code from validated inputs."""
        console, id = self._page.console, self._action.id
        inputs = console.connector.inputs(self._action).clean(self._inputs())
        match kind:
            case "cli":
                return command_line(id, inputs, self._key())
            case "curl":
                return curl(console.host_url, id, inputs, self._key())
            case "kontor":
                return kontor_python(id, inputs, self._key())
            case _:
                session = await console.session()
                dry = await session.invoke(id, self._inputs(), key=self._key(), dry_run=True)
                return requests_python(dry.output)
