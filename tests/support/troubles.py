"""Makes each kind of trouble that needs a person, in the database of a host, so that every face can be asked for it."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from connector import Connector, Credential
from connector.core.values import json
from connector.durable.banks import save_bank
from connector.durable.sending.signing import new_secret
from connector.durable.settings import BANK_CHECK_INTERVAL
from connector.store.database import leases
from connector.store.rates import usage
from connector.store.rates.usage import Budget
from connector.store.runs import alerts, approvals, runs
from connector.store.runs.approvals import Approval
from connector.store.runs.runs import NewRun
from connector.store.schema import tokens
from connector.store.triggers import bank_states, deliveries, due_work, hooks, subscriptions
from connector.store.triggers.hooks import Hook
from connector.store.trust import credentials
from connector.store.trust.vault import Vault

if TYPE_CHECKING:
    from sqlalchemy import Connection

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
WORDS = {"en": "Nobody answers at the webhook URL.", "de": "An der Webhook-URL antwortet niemand."}
BANK = {"provider_name": "Musterbank", "provider_code": "muster_de", "country_code": "DE", "status": "active"}


class Troubles:
    """Everything that can be wrong in one workspace; `made` holds kind and subject of each."""

    def __init__(self, connection: Connection, connector: Connector, vault: Vault, now: datetime, url: str) -> None:
        """`url` is the service's: nobody calls it, since whatever would is planned for later."""
        self._connection, self._connector, self._vault, self._now = connection, connector, vault, now
        self.made: list[tuple[str, str]] = []
        self.first, self.second, self.third = (self._credential(url, f"key-{number}") for number in (1, 2, 3))
        self._forge_a_token()
        self._make_runs()
        self._make_subscriptions()
        self._make_hooks()
        self._make_banks()
        self._make_budgets()
        self._make_stalled_work()

    def _credential(self, url: str, key: str) -> str:
        id = credentials.save(self._connection, self._vault, Credential(url, key), self._now)
        # As if they had just been asked for.
        leases.set_timer(self._connection, f"banks:{id}", self._now + BANK_CHECK_INTERVAL)
        return id

    def _forge_a_token(self) -> None:
        forged = {
            "workspace": "default",
            "name": "forged",
            "role": "admin",
            "person": "",
            "digest": "0",
            "made_at": 0.0,
        }
        self._connection.execute(tokens.insert().values(forged))
        self.made.append(("rights_altered", "tokens/default/forged"))

    def _run(self, id: str) -> NewRun:
        return NewRun(id * 32, "default", None, "f" * 16, "initiate_payment", f"2:{id}", b"{}", "owner")

    def _make_runs(self) -> None:
        connection, now = self._connection, self._now
        unknown, waiting = self._run("a"), self._run("b")
        runs.insert(connection, unknown, "sending", now)
        runs.finish(connection, unknown, "unknown", {}, now)
        runs.insert(connection, waiting, "claimed", now)
        runs.await_approval(connection, waiting, now)
        approvals.ask(
            connection,
            Approval(
                *(waiting.id, "default", waiting.digest, "open", ("amount",), "n8n", "Ada", now, now + DAY),
                *(None, None, None, None, None, ""),
            ),
        )
        alerts.raise_alarm(connection, "default", "paid_twice", "mark-1", {"found": ["p1", "p2"]}, now)
        alerts.raise_alarm(connection, "default", "done_after_refusal", "c" * 32, {}, now)
        self.made += [("outcome_unknown", unknown.id), ("approval_waiting", waiting.id)]
        self.made += [("paid_twice", "mark-1"), ("done_after_refusal", "c" * 32)]

    def _subscription(self, target: str, *items: str) -> str:
        subscription = subscriptions.create_once(
            self._connection,
            digest=None,
            credential_id=self.first,
            trigger="payment_settled",
            inputs={},
            target_url=target,
            sealed_secret=self._vault.seal(new_secret()),
            now=self._now,
        )
        assert subscription is not None
        for item in items:
            deliveries.enqueue(self._connection, subscription.id, item, "{}", self._now + HOUR)
        return subscription.id

    def _fail(self, queue: str, next_at: datetime | None) -> None:
        head = deliveries.next_waiting(self._connection, queue)
        assert head is not None
        deliveries.mark_failed(self._connection, head, 500, "", next_at)

    def _make_subscriptions(self) -> None:
        failing = self._subscription("https://first.example/", "1")
        self._fail(failing, self._now + HOUR)
        recovered = self._subscription("https://second.example/", "1", "2")
        self._fail(recovered, None)
        head = deliveries.next_waiting(self._connection, recovered)
        assert head is not None
        deliveries.mark_delivered(self._connection, head, 200, self._now)
        self.made += [("subscription_failing", failing), ("delivery_given_up", recovered)]

    def _make_hooks(self) -> None:
        lost = self._hook(self.second, "drifted")
        failing = self._hook(self.third, "active", former_url="https://former.example/", pass_on=True)
        deliveries.enqueue(self._connection, failing.queue_id, "1", "{}", self._now + HOUR)
        self._fail(failing.queue_id, self._now + HOUR)
        self.made += [("webhook_url_lost", lost.credential_id), ("webhook_url_failing", failing.credential_id)]
        self.made += [("forwarding_failing", failing.credential_id)]

    def _hook(self, credential_id: str, state: hooks.State, former_url: str = "", *, pass_on: bool = False) -> Hook:
        sealed, token = self._vault.seal("https://host.example/hooks/t"), hooks.digest(credential_id)
        trouble = json.encode({"message": WORDS, "remedy": WORDS}).decode()
        hook = Hook(token, credential_id, sealed, former_url or None, pass_on, state, self._now, None, trouble)
        hooks.save(self._connection, hook)
        due_work.forget(self._connection, due_work.WEBHOOK_URLS, credential_id)
        return hook

    def _make_banks(self) -> None:
        soon, over, later = self._now + 3 * DAY, self._now - 10 * DAY, self._now + 90 * DAY
        error = {"status": "inactive", "error_class": "ProviderError", "error_message": "The bank is down."}
        for id, ends, more in (("7100", over, {}), ("7200", soon, {}), ("7300", later, error)):
            shown = {**BANK, "id": id, "consent_expires_at": ends.isoformat(), **more}
            save_bank(self._connection, self._connector, self.first, id, shown, self._now)
        row = {"name": "Altes Konto", "updated_at": (self._now - 11 * DAY).isoformat()}
        bank_states.save(self._connection, self.first, "account", "9100", row, "", self._now)
        self.made += [("consent_over", "7100"), ("consent_ending", "7200"), ("bank_needs_attention", "7300")]
        self.made += [("balance_old", "9100")]

    def _make_budgets(self) -> None:
        day = self._now.astimezone(ZoneInfo("Europe/Berlin")).date().isoformat()
        for id, spent in ((self.second, 10), (self.third, 9)):
            key = credentials.fingerprint_of(self._connection, id)
            usage.set_budget(self._connection, key, Budget(per_day=10))
            usage.add(self._connection, key, day, "", "list_transactions", Decimal(spent))
        self.made += [("budget_used_up", self.second), ("budget_nearly_used", self.third)]

    def _make_stalled_work(self) -> None:
        due_work.schedule(self._connection, due_work.POLLS, self.first, self._now - HOUR)
        self.made.append(("work_stalled", due_work.POLLS))
