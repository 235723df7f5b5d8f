"""The sandbox page: buttons that change the simulated service and inject faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from connector.core.data import localize
from connector.core.errors import KontorError, NotFound
from connector.core.messages import say
from connector.core.service_facts import name_of_state, payment_states
from connector.core.values import json
from connector.durable.upkeep.due_times import forget_refusals
from connector.interfaces.console.frame.page_frame import Page, current_console, page_at, page_frame
from connector.interfaces.console.frame.role_note import offered
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    empty_note,
    flex_row,
    keep_current,
    live_region,
    panel,
    paragraph,
    pill,
)
from connector.interfaces.console.pages.not_found import not_found_page

FORGED = {"payment_id": "1", "status": "settled"}


@dataclass(frozen=True, slots=True)
class SandboxControl:
    """A button: its message name and its control request."""

    message: str
    path: str
    body: dict[str, Any] = field(default_factory=dict)
    method: str = "POST"
    tone: str = ""
    begins_anew: bool = False
    """Whether the service then counts requests anew, or refuses them no longer."""


def bank_controls(bank_connection: str) -> tuple[SandboxControl, ...]:
    """Controls of a bank connection."""
    at = f"/bank-connections/{bank_connection}"
    return (
        SandboxControl("lever_arrive", f"{at}/refresh", {"transactions": 3}, tone="primary"),
        SandboxControl("lever_expire", f"{at}/expire-consent"),
        SandboxControl("lever_bank_error", f"{at}/error"),
        SandboxControl("lever_renew", f"{at}/reconnect"),
    )


def payment_controls(payment: str) -> tuple[SandboxControl, ...]:
    """Controls of a payment."""
    at = f"/payments/{payment}"
    return (
        SandboxControl("lever_step", f"{at}/step"),
        SandboxControl("lever_settle", at, {"status": "settled"}, tone="primary"),
        SandboxControl("lever_fail", at, {"status": "failed"}, tone="danger"),
    )


FAULT_CONTROLS: tuple[SandboxControl, ...] = (
    SandboxControl(
        "lever_down", "/faults", {"kind": "drop_before", "times": None, "match": {"path": "/v2/"}}, tone="danger"
    ),
    SandboxControl("lever_500", "/faults", {"kind": "error_500", "times": 20}),
    SandboxControl("lever_lost_answer", "/faults", {"kind": "drop_after", "times": 1, "match": {"method": "POST"}}),
    SandboxControl("lever_malformed", "/faults", {"kind": "malformed", "times": 3}),
    SandboxControl("lever_slow", "/faults", {"kind": "slow", "times": 3, "seconds": 8}),
    SandboxControl("lever_rate", "/faults", {"kind": "rate_limited", "times": 5}),
    SandboxControl("lever_lose_events", "/faults", {"kind": "event_lose", "times": 3}),
    SandboxControl("lever_forged", "/events", {"event": name_of_state("settled"), "data": FORGED}),
    SandboxControl("lever_poor", "/credits", {"balance": 4}),
)
RESET_CONTROLS: tuple[SandboxControl, ...] = (
    SandboxControl("lever_mend", "/faults", method="DELETE", tone="primary", begins_anew=True),
    SandboxControl("lever_rich", "/credits", {"balance": 500}),
    SandboxControl("lever_reset", "/reset", tone="danger", begins_anew=True),
)


TIMEOUT = 10.0
MAX_PAYMENTS = 8
REFRESH_SECONDS = 2.0


@page_at("/sandbox")
def sandbox() -> None:
    """Show the sandbox controls; 404 when the host uses the real service."""
    if current_console().state.sandbox_url is None:
        not_found_page(NotFound(say("no_sandbox")), "overview")
        return
    with page_frame("sandbox") as page:
        SandboxView(page)


class SandboxView:
    """The sandbox controls and the sandbox's current state."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._url = f"{page.console.state.sandbox_url}/sandbox"
        self._last_state: Any = None
        localize = page.localize
        paragraph(localize("sandbox_intro"), "intro")
        offered(page, "operator")
        self._status = live_region("said")
        with panel(localize("sandbox_payments"), "wide"):
            self._payments = box("panel-body")
        with panel(localize("sandbox_banks"), "wide"):
            self._banks = box("panel-body")
        with box("panels"):
            with panel(localize("sandbox_break")):
                paragraph(localize("sandbox_break_help"), "quiet")
                self._build_controls(FAULT_CONTROLS)
            with panel(localize("sandbox_mend")):
                self._faults = box("panel-body")
                self._build_controls(RESET_CONTROLS)
        keep_current(self._payments, self._refresh, REFRESH_SECONDS)

    def _build_controls(self, controls: Sequence[SandboxControl], subject: str = "") -> None:
        if not self._page.console.actor.may("operator"):
            return
        with flex_row("levers"):
            for control in controls:
                made = button(
                    self._page.localize(control.message),
                    lambda _, one=control: self._send(one),
                    f"small {control.tone}",
                )
                if subject:
                    made.props["aria-label"] = f"{self._page.localize(control.message)}: {subject}"

    async def _send(self, control: SandboxControl) -> None:
        localize = self._page.localize
        try:
            self._page.console.check("operator")
            async with httpx.AsyncClient(timeout=TIMEOUT, trust_env=False) as client:
                content = None if control.method == "DELETE" else json.encode(control.body)
                answer = await client.request(control.method, f"{self._url}{control.path}", content=content)
            message_text = localize("lever_done", what=localize(control.message))
            if answer.status_code >= 400:
                why = str(answer.json().get("error", answer.status_code))
                message_text = localize("lever_refused", why=why)
            elif control.begins_anew:
                await forget_refusals(self._page.console.state.context, await self._page.console.credential_id())
        except httpx.HTTPError:
            message_text = localize("lever_unanswered")
        except KontorError as error:
            message_text = localize.of(error.message)
        self._status.clear()
        with self._status:
            TextWidget(
                "p",
                message_text,
                "notice good"
                if message_text == localize("lever_done", what=localize(control.message))
                else "notice bad",
            )
        await self._refresh()

    async def _refresh(self) -> None:
        try:
            async with httpx.AsyncClient(timeout=TIMEOUT, trust_env=False) as client:
                state = json.decode((await client.get(f"{self._url}/state")).content)
        except httpx.HTTPError:
            return
        current = {"banking": state["banking"], "faults": state["faults"], "credits": state["credits"]}
        if current == self._last_state:  # unchanged: keep the focus
            return
        self._last_state = current
        self._show_payments(state["banking"]["payments"])
        self._show_banks(state["banking"]["connections"])
        self._faults.clear()
        with self._faults:
            faults = [
                one for one in state["faults"] if one["order"]["times"] is None or one["struck"] < one["order"]["times"]
            ]
            if not faults:
                empty_note(self._page.localize("faults_none"))
            for fault in faults:
                kind = self._page.localize(f"fault_{fault['order']['kind']}")
                pill(f"{kind} · {fault['struck']}/{fault['order']['times'] or '∞'}", "bad")

    def _show_payments(self, payments: list[Any]) -> None:
        localize = self._page.localize
        open_ones = [one for one in reversed(payments) if one["status"] not in payment_states().final][:MAX_PAYMENTS]
        self._payments.clear()
        with self._payments:
            if not open_ones:
                empty_note(localize("sandbox_no_payments"))
            for one in open_ones:
                with box("need"):
                    with box("need-text"):
                        TextWidget(
                            "strong",
                            f"{one['creditor_name']} · {localize.format_value(one['amount'], 'amount', one)} EUR",
                        )
                        TextWidget("span", f"{one['id']} · {one['description'] or ''}", "quiet")
                    with flex_row("need-remedy"):
                        pill(self._word("payment_status", one["status"]))
                        self._build_controls(payment_controls(one["id"]), one["creditor_name"])

    def _word(self, words: str, value: str) -> str:
        sets = self._page.console.connector.library.words
        return localize.word(value, sets[words], self._page.localize.lang)

    def _show_banks(self, banks: list[Any]) -> None:
        self._banks.clear()
        with self._banks:
            for one in banks:
                with box("need"):
                    with box("need-text"):
                        TextWidget("strong", str(one["provider_name"] or one["provider_code"] or one["id"]))
                        ends = self._page.localize.format_value(one["consent_expires_at"])
                        TextWidget("span", self._page.localize("consent_until", at=ends), "quiet")
                    with flex_row("need-remedy"):
                        shown = self._word("bank_connection_status", one["status"])
                        pill(shown, "good" if one["status"] == "active" else "bad")
                        self._build_controls(bank_controls(one["id"]), str(one["provider_name"]))
