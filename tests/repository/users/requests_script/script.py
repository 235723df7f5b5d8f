"""A script of a user that calls a Kontor host, and the service itself, with requests."""

from __future__ import annotations

import requests


def open_amount(host: str, token: str, ledger: str) -> float:
    """Return what customers owe, by a host."""
    answer = requests.post(
        f"{host}/v1/actions/get_open_items/run",
        json={"inputs": {"ledger_connection": ledger, "side": "debitors"}},
        headers={"Authorization": f"Bearer {token}"},
        timeout=30,
    )
    answer.raise_for_status()
    return float(answer.json()["output"]["sumDebitoren"])


def account_names(service: str, key: str) -> list[str]:
    """Return the names of all bank accounts, by the service itself."""
    answer = requests.get(f"{service}/v2/banking/accounts", headers={"x-api-key": key}, timeout=30)
    answer.raise_for_status()
    return [row["name"] for row in answer.json()["data"]]
