"""The vendors' own JSON schemas, where they are at hand: beside the checkout, in `../shared/schemas`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from connector.export.shape import Finding

SCHEMAS = Path(__file__).resolve().parents[3].parent / "shared" / "schemas"
BASE = "https://schemas.invalid/"
LONGEST = 300


def present(platform: str) -> bool:
    """Whether the schemas of a platform are at hand, and something that can read them."""
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        return False
    return (SCHEMAS / platform).is_dir()


def findings(platform: str, schema: str, content: Any, where: str) -> Iterator[Finding]:
    """What the vendor's schema says against a file's content."""
    for error in _validator(platform, schema).iter_errors(content):
        place = "/".join(str(step) for step in error.absolute_path)
        yield Finding(f"{where}#{place}", f"the vendor's schema says: {error.message[:LONGEST]}")


@lru_cache(maxsize=32)
def _validator(platform: str, schema: str) -> Any:
    from jsonschema import validators
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT7

    folder = SCHEMAS / platform
    content = json.loads((folder / schema).read_text(encoding="utf-8"))
    if platform != "make":
        return validators.validator_for(content)(content)
    # Make's schemas refer to each other by file name and have no addresses of their own.
    resources = {
        path.name: DRAFT7.create_resource(json.loads(path.read_text(encoding="utf-8")))
        for path in folder.glob("*.json")
    }
    registry: Registry[Any] = Registry().with_resources((f"{BASE}{name}", one) for name, one in resources.items())
    start: Resource[Any] = DRAFT7.create_resource({"$ref": f"{BASE}{schema}"})
    return validators.validator_for(content)(start.contents, registry=registry)
