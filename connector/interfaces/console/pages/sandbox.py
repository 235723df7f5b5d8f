"""The sandbox's page: buttons that make the demo world move, and break it on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx
from nicegui import ui

from connector.core.errors import NotFound
from connector.core.messages import say
from connector.core.states import payment_states
from connector.core.values import json
from connector.interfaces.console.frame import Visit, desk_here, page
from connector.interfaces.console.levers import BREAKING, MENDING, Lever, of_bank, of_payment
from connector.interfaces.console.pages.missing import not_there
from connector.interfaces.console.pieces import Text, abreast, box, button, empty, live_region, panel, paragraph, pill

TIMEOUT = 10.0
MOST_PAYMENTS = 8
SECONDS = 2.0


@ui.page("/sandbox")
def sandbox() -> None:
    """The demo world's levers; there is no such page at a host of the real service."""
    if desk_here().state.sandbox_url is None:
        not_there(NotFound(say("no_sandbox")), "overview")
        return
    with page("sandbox") as visit:
        SandboxDesk(visit)


class SandboxDesk:
    """The levers, and the world they move."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._url = f"{visit.desk.state.sandbox_url}/sandbox"
        self._shown: Any = None
        localize = visit.localize
        paragraph(localize("sandbox_intro"), "intro")
        self._said = live_region("said")
        with panel(localize("sandbox_payments"), "wide"):
            self._payments = box("panel-body")
        with panel(localize("sandbox_banks"), "wide"):
            self._banks = box("panel-body")
        with box("panels"):
            with panel(localize("sandbox_break")):
                paragraph(localize("sandbox_break_help"), "quiet")
                self._levers(BREAKING)
            with panel(localize("sandbox_mend")):
                self._faults = box("panel-body")
                self._levers(MENDING)
        ui.timer(0.1, self._fill, once=True)
        ui.timer(SECONDS, self._fill)

    def _levers(self, levers: Sequence[Lever], about: str = "") -> None:
        with abreast("levers"):
            for lever in levers:
                made = button(
                    self._visit.localize(lever.word), lambda _, one=lever: self._pull(one), f"small {lever.tone}"
                )
                if about:
                    made.props["aria-label"] = f"{self._visit.localize(lever.word)}: {about}"

    async def _pull(self, lever: Lever) -> None:
        localize = self._visit.localize
        try:
            async with httpx.AsyncClient(timeout=TIMEOUT, trust_env=False) as client:
                content = None if lever.method == "DELETE" else json.encode(lever.body)
                answer = await client.request(lever.method, f"{self._url}{lever.path}", content=content)
            said = localize("lever_done", what=localize(lever.word))
            if answer.status_code >= 400:
                said = str(answer.json().get("error", answer.status_code))
        except httpx.HTTPError as error:
            said = type(error).__name__
        self._said.clear()
        with self._said:
            Text(
                "p", said, "notice good" if said == localize("lever_done", what=localize(lever.word)) else "notice bad"
            )
        await self._fill()

    async def _fill(self) -> None:
        try:
            async with httpx.AsyncClient(timeout=TIMEOUT, trust_env=False) as client:
                state = json.decode((await client.get(f"{self._url}/state")).content)
        except httpx.HTTPError:
            return
        world = {"banking": state["banking"], "faults": state["faults"], "credits": state["credits"]}
        if world == self._shown:  # nothing moved: what has the focus keeps it
            return
        self._shown = world
        self._show_payments(state["banking"]["payments"])
        self._show_banks(state["banking"]["connections"])
        self._faults.clear()
        with self._faults:
            faults = [
                one for one in state["faults"] if one["order"]["times"] is None or one["struck"] < one["order"]["times"]
            ]
            if not faults:
                empty(self._visit.localize("faults_none"))
            for fault in faults:
                pill(f"{fault['order']['kind']} · {fault['struck']}/{fault['order']['times'] or '∞'}", "bad")

    def _show_payments(self, payments: list[Any]) -> None:
        localize = self._visit.localize
        open_ones = [one for one in reversed(payments) if one["status"] not in payment_states().final][:MOST_PAYMENTS]
        self._payments.clear()
        with self._payments:
            if not open_ones:
                empty(localize("sandbox_no_payments"))
            for one in open_ones:
                with box("need"):
                    with box("need-text"):
                        Text("strong", f"{one['creditor_name']} · {localize.cell(one['amount'], 'amount', one)} EUR")
                        Text("span", f"{one['id']} · {one['description'] or ''}", "quiet")
                    with abreast("need-remedy"):
                        pill(one["status"])
                        self._levers(of_payment(one["id"]), one["creditor_name"])

    def _show_banks(self, banks: list[Any]) -> None:
        self._banks.clear()
        with self._banks:
            for one in banks:
                with box("need"):
                    with box("need-text"):
                        Text("strong", str(one["provider_name"] or one["provider_code"] or one["id"]))
                        ends = self._visit.localize.cell(one["consent_expires_at"])
                        Text("span", self._visit.localize("consent_until", at=ends), "quiet")
                    with abreast("need-remedy"):
                        pill(one["status"], "good" if one["status"] == "active" else "bad")
                        self._levers(of_bank(one["id"]), str(one["provider_name"]))
