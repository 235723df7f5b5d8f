"""No code knows an action, a lookup, a trigger or a path of the service, and fields only where it decides itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from connector import Connector
from connector.core.manifest.load import library
from connector.export.handlers.python_handlers import GENERATED

ROOT = Path(__file__).parents[2]
CODE = (".py", ".ts", ".js", ".csx", ".html", ".css", ".j2")
CONNECTOR = Connector("unused")
IDS = frozenset((*CONNECTOR.actions, *CONNECTOR.lookups, *CONNECTOR.triggers))
WORD = re.compile(r"""["'`/]([a-z][a-z0-9_]+)(?=["'`/?])""")
SERVICE_PATH = re.compile(r"/v2/[A-Za-z]")
ORDINARY = {
    "connector/core/data/options.py": {"currencies"},  # a table of Kontor
    "connector/core/writes/policy.py": {"known_payees"},  # a setting of the policy
    "connector/core/writes/policy_change.py": {"known_payees"},  # the same
    "connector/store/trust/audit_sendings.py": {"known_payees"},  # a setting of the policy
    "connector/store/runs/payment_records.py": {"payments"},  # a column of our own: how many payments a day had
    "connector/store/schema.py": {"payments"},  # the same
    "connector/store/migrations/versions/0031_sealed_counts.py": {"payments"},  # the same
    "connector/export/node/pack.py": {"currencies"},  # the same
    "connector/core/manifest/form.py": {"currencies"},  # the name of that table
    "connector/export/node/core/manifest/form.ts": {"currencies"},
    "connector/durable/upkeep/attention.py": {"payments"},  # a blank of a sentence
    "connector/interfaces/console/pages/sandbox.py": {"payments"},  # its control interface and its own state
    "connector/testing/sandbox.py": {"payments"},  # the same
    "connector/interfaces/console/pages/money.py": {"payments"},  # the address of a page
    "connector/interfaces/console/money/bank_rows.py": {"payments"},  # the same
}
BUILT = "connector/export/node/build/"
OWN_TOO = {"created_at", "received_at", "webhook_url"}
"""Names of columns, of what a host adds to an event and of a right, and fields of the service as well."""
FIELDS = {
    # what an error of the service says beside its code, and where a booking shows the credits
    "connector/client/verdict.py": {"activeSubscriptions", "reconnectUrl"},
    "connector/core/data/answers.py": {"neuesGuthaben"},
    "connector/export/make/errors.py": {"reconnectUrl"},
    "connector/export/openapi/answers.py": {"neuesGuthaben"},
    # an event of the service, held against what the API shows
    "connector/durable/inbox/confirm.py": {"connection_id"},
    "connector/durable/inbox/decide.py": {"updated_at"},
    "connector/durable/inbox/envelope.py": {"connection_id", "payment_id"},
    "connector/durable/inbox/facts.py": {
        *("connection_id", "error_class", "payment_attributes", "payment_id"),
        *("creditor_iban", "creditor_name", "currency_code", "custom_fields", "debtor_iban", "end_to_end_id"),
        *("raw_provider_status", "template_identifier"),
    },
    "connector/export/node/core/events/confirmed_data.ts": {
        *("creditor_iban", "creditor_name", "currency_code", "custom_fields", "debtor_iban", "end_to_end_id"),
        *("raw_provider_status", "template_identifier"),
    },
    "connector/operations/samples.py": {"updated_at"},
    # how bank connections and accounts fare, and whether a paid list has moved
    "connector/durable/banks.py": {
        *("display_name", "error_class", "error_message", "provider_code", "provider_name", "updated_at"),
    },
    "connector/durable/poller/change_signals.py": {"transactions_count", "updated_at"},
    "connector/durable/poller/pages.py": {"account_id", "connection_id"},
    "connector/durable/upkeep/bank_checks.py": {"connection_id", "updated_at"},
    "connector/runtime/poll.py": {"transactions_count"},
    "connector/store/triggers/bank_connections.py": {
        *("connection_id", "country_code", "provider_code", "provider_name"),
    },
    # whose payments an API key shows
    "connector/runtime/workspace.py": {"organization_id"},
    # columns of the database
    "connector/store/rates/usage.py": {"payment_id"},
    "connector/store/runs/payment_records.py": {"payment_id"},
    "connector/store/schema.py": {"connection_id", "payment_id"},
    # the sandbox's own state, and the mark of a write
    "connector/interfaces/console/pages/sandbox.py": {
        *("consent_expires_at", "creditor_name", "payment_id", "provider_code", "provider_name"),
    },
    "connector/testing/cases/expectation.py": {"custom_fields"},
}
"""The fields that code names, by what it needs them for. Everything else of the service stands in manifests."""
QUOTED = re.compile(r"""["'`.]([A-Za-z][A-Za-z0-9_]+)(?=["'`])""")


def known_in(text: str) -> Iterator[str]:
    """The ids and the beginnings of paths that a text names."""
    yield from (word for word in WORD.findall(text) if word in IDS)
    yield from SERVICE_PATH.findall(text)


def fields_in(text: str) -> set[str]:
    """The fields of the service that a text names; a single English word tells nothing."""
    return {word for word in QUOTED.findall(text) if word in service_fields()}


@cache
def service_fields() -> frozenset[str]:
    own_events = {name for name, event in library()["events"].items() if "own" in event}
    own = {
        trigger.resource
        for trigger in CONNECTOR.triggers.values()
        if trigger.event and own_events & {*trigger.event.names}
    }
    resources = CONNECTOR.library.resources.items()
    fields = {field for name, resource in resources if name not in own for field in resource["fields"]}
    return frozenset({field for field in fields if "_" in field or field.lower() != field} - OWN_TOO)


def modules() -> list[str]:
    found = [path for path in (ROOT / "connector").rglob("*") if path.suffix in CODE]
    names = [path.relative_to(ROOT).as_posix() for path in found]
    return sorted(name for name in names if not name.startswith(BUILT) and not is_generated(ROOT / name))


def is_generated(path: Path) -> bool:
    """Whether it is made from the manifests, as another test makes sure."""
    return path.read_text(encoding="utf-8").startswith(GENERATED)


def test_no_module_names_an_id_or_a_path_of_the_service() -> None:
    found = {name: set(known_in((ROOT / name).read_text(encoding="utf-8"))) for name in modules()}
    assert {name: words for name, words in found.items() if words} == ORDINARY


def test_a_module_names_no_field_of_the_service_but_those_listed() -> None:
    code = [name for name in modules() if name.endswith((".py", ".ts")) and "/versions/" not in name]
    named = {name: fields_in((ROOT / name).read_text(encoding="utf-8")) for name in code}
    assert {name: fields for name, fields in named.items() if fields} == FIELDS


def test_most_fields_of_the_service_stand_in_manifests_only() -> None:
    named = {field for fields in FIELDS.values() for field in fields}
    assert len(service_fields() - named) > len(named)


@pytest.mark.parametrize(
    "text", ['"list_payments"', "'bank_accounts'", "`new_payment`", 'f"triggers/new_payment?x"', "/v2/banking/accounts"]
)
def test_what_names_one_is_found(text: str) -> None:
    assert list(known_in(text))


@pytest.mark.parametrize("text", ["list_payments()", "# payments are free", '"/v2/"', '"payments_only"'])
def test_ordinary_words_are_not(text: str) -> None:
    assert not list(known_in(text))
