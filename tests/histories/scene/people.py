"""Payments that a second person must approve, while askers and approvers are revoked, reject, or decide at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import httpx

from tests.histories.plan.schedule import LARGEST_CENTS, Fault, Planned
from tests.histories.plan.writes import Write
from tests.histories.rules.reading import PAYMENT
from tests.histories.scene.hosts import TOKEN
from tests.histories.scene.scene import Scene
from tests.support.second_person import PASSPHRASE

APPROVE_ABOVE = LARGEST_CENTS // 100
"""In euros: more than any client pays by itself, so that only these payments wait."""
TRIES = 40


def approvals(scene: Scene, fault: Fault) -> None:
    """In each round somebody asks for a large payment, and what the round is named after happens to it."""
    people = People(scene)
    if not people.agree_on_policy():
        return  # the database was away all the time: nothing needs an approval
    scene.recorder.record("policy")
    for number, way in enumerate(fault.options["rounds"]):
        asked = people.ask(number)
        if asked is not None:
            WAYS[way](people, asked)


@dataclass(frozen=True)
class Asked:
    """A payment that somebody asked for, and that waits."""

    mark: str
    run: str
    asker: str
    first: str
    second: str
    """The two who may approve it."""


class People:
    """Those who ask and approve, each with a token of their own."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._tokens: dict[str, str] = {}
        self._people: dict[str, str] = {}
        """The ids of those who sign in."""

    def agree_on_policy(self) -> bool:
        """Have large payments approved; a host whose database is away does not take that, and is asked again."""
        for _ in range(TRIES):
            answer = self.send("PUT", "/v1/policy", {"approve_above": APPROVE_ABOVE})
            if answer is not None and answer.status_code == httpx.codes.OK:
                return True
            time.sleep(0.5)
        return False

    def ask(self, number: int) -> Asked | None:
        """Let a new person ask for a payment; None when nobody heard that it waits."""
        scene, mark = self._scene, f"approval {number}"
        asker, first, second = f"asker-{number}", f"first-{number}", f"second-{number}"
        for name, role in ((asker, "payer"), (first, "approver"), (second, "approver")):
            if not (self._sign_in(name) if role == "approver" else self._create_token(name, role)):
                return None
        write = Write(PAYMENT, mark, LARGEST_CENTS + 100 + number)
        planned = Planned(0, f"http-{number % len(scene.hosts)}-a", write, mark, token=self._tokens[asker])
        scene.recorder.record("needs_approval", mark=mark)
        scene.asked_besides.append(replace(planned, token=None))
        run = scene.do(planned, planned.lane).get("document", {}).get("run")
        return Asked(mark, run, asker, first, second) if run else None

    def approve(self, asked: Asked, approver: str) -> None:
        self._scene.recorder.record("decision", mark=asked.mark, what="approves")
        self.send("POST", f"/v1/runs/{asked.run}/approve", {}, token=self._tokens[approver])

    def reject(self, asked: Asked, approver: str) -> None:
        answer = self.send("POST", f"/v1/runs/{asked.run}/reject", {"why": "no"}, token=self._tokens[approver])
        if answer is not None and answer.status_code == httpx.codes.OK:
            self._scene.recorder.record("decision", mark=asked.mark, what="rejected")

    def revoke(self, asked: Asked, name: str) -> None:
        person = self._people.get(name)
        answer = self.send("DELETE", f"/v1/people/{person}" if person else f"/v1/tokens/{name}")
        if answer is not None and answer.status_code == httpx.codes.OK:
            self._scene.recorder.record("decision", mark=asked.mark, what="revoked")

    def _create_token(self, name: str, role: str) -> bool:
        answer = self.send("POST", "/v1/tokens", {"name": name, "role": role, "person": name})
        token = None if answer is None else answer.json().get("token")
        if token:
            self._tokens[name] = token
        return bool(token)

    def _sign_in(self, name: str) -> bool:
        """Invite somebody who approves, and accept as that person: only a sign-in of their own counts."""
        invited = self.send("POST", "/v1/people", {"name": name, "role": "approver"})
        code = None if invited is None else invited.json().get("invitation")
        if invited is None or not code:
            return False
        accepted = self.send("POST", "/v1/invitations/accept", {"invitation": code, "passphrase": PASSPHRASE}, "")
        token = None if accepted is None else accepted.json().get("token")
        if token:
            self._tokens[name], self._people[name] = token, invited.json()["id"]
        return bool(token)

    def send(self, method: str, path: str, body: Any = None, token: str = TOKEN) -> httpx.Response | None:
        """Send it to any host that listens; None when it was cut off."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        headers["x-api-key"] = self._scene.api_key
        for number in range(TRIES):
            host = self._scene.hosts[number % len(self._scene.hosts)]
            try:
                return httpx.request(
                    method, f"{host.url}{path}", json=body, headers=headers, trust_env=False, timeout=60
                )
            except httpx.ConnectError:
                time.sleep(0.5)  # it is being started again
            except httpx.HTTPError:
                return None
        return None


def _approved(people: People, asked: Asked) -> None:
    people.approve(asked, asked.first)


def _approved_by_two(people: People, asked: Asked) -> None:
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda approver: people.approve(asked, approver), (asked.first, asked.second)))


def _rejected(people: People, asked: Asked) -> None:
    people.reject(asked, asked.first)
    people.approve(asked, asked.second)


def _asker_revoked(people: People, asked: Asked) -> None:
    people.revoke(asked, asked.asker)
    people.approve(asked, asked.first)


def _approver_revoked(people: People, asked: Asked) -> None:
    people.approve(asked, asked.first)
    people.revoke(asked, asked.first)


WAYS = {way.__name__.removeprefix("_"): way for way in (
    _approved, _approved_by_two, _rejected, _asker_revoked, _approver_revoked,
)}  # fmt: skip
