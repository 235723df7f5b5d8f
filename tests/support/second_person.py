"""Test fixture: a person with a sign-in of their own, which alone counts as the second person who approves."""

from __future__ import annotations

import httpx

from tests.support.running_sandbox import HOST_TOKEN

PASSPHRASE = "drei blaue Fahrräder im Hof"


def sign_in(base_url: str, name: str, role: str, workspace: str = "default", token: str = HOST_TOKEN) -> str:
    """Invite a person, accept as that person, and return what signs in."""
    given = {"name": name, "role": role, "workspace": workspace}
    with httpx.Client(base_url=base_url, trust_env=False, timeout=30) as http:
        invited = http.post("/v1/people", json=given, headers={"authorization": f"Bearer {token}"})
        assert invited.status_code == 201, invited.text
        chosen = {"invitation": invited.json()["invitation"], "passphrase": PASSPHRASE}
        accepted = http.post("/v1/invitations/accept", json=chosen)
    assert accepted.status_code == 200, accepted.text
    return str(accepted.json()["token"])
