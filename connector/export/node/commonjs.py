"""Turns our compiled modules into CommonJS, which is what n8n loads.

Our modules import and export by name only; anything else is an error here instead of a package that does not load.
"""

from __future__ import annotations

import re

_IMPORT = re.compile(r"^import \{([^}]*)\} from '([^']+)';$", re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|const|class) (\w+)", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def commonjs(source: str) -> str:
    """Return the same module with `require` and `exports`."""
    exported = _EXPORT.findall(source)
    # Functions are there before the first line runs: told first, modules that import one another find them.
    functions = [name for kind, name in exported if kind.endswith("function")]
    others = [name for kind, name in exported if not kind.endswith("function")]
    text = _IMPORT.sub(_required, source)
    text = _EXPORT.sub(r"\1 \2", text)
    left = _OTHER.search(text)
    if left is not None:
        raise ValueError(f"no way to write this as CommonJS: {left[0]}")
    head = ["'use strict';", "Object.defineProperty(exports, '__esModule', { value: true });", *map(_told, functions)]
    return "\n".join([*head, text.strip(), *map(_told, others), ""])


def _required(found: re.Match[str]) -> str:
    names = ", ".join(part.strip().replace(" as ", ": ") for part in found[1].split(",") if part.strip())
    return f"const {{ {names} }} = require('{found[2]}');"


def _told(name: str) -> str:
    return f"exports.{name} = {name};"
