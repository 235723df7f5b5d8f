"""Runs every action by the client that openapi-python-client generates of a host's description.

Reads the inputs of each, writes for each action what class its answer has and what of it is not as it was sent.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import kontor_client
from kontor_client import AuthenticatedClient


def run(client: AuthenticatedClient, id: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """Run one action."""
    [module] = Path(kontor_client.__path__[0]).glob(f"api/*/run_{id}.py")
    operation = import_module(f"kontor_client.api.{module.parent.name}.{module.stem}")
    body = operation._get_kwargs.__annotations__["body"]
    body = getattr(import_module("kontor_client.models"), body) if isinstance(body, str) else body
    answer = operation.sync_detailed(client=client, body=body.from_dict({"inputs": inputs}))
    sent = json.loads(answer.content)
    read = answer.parsed.to_dict()
    return {
        "status": answer.status_code,
        "class": type(answer.parsed).__name__,
        "lost": sorted(name for name in sent if name not in read),
        "sent": sent,
    }


if __name__ == "__main__":
    url, token, key = sys.argv[1:]
    client = AuthenticatedClient(base_url=url, token=token, headers={"x-api-key": key})
    print(json.dumps({id: run(client, id, inputs) for id, inputs in json.load(sys.stdin).items()}))
