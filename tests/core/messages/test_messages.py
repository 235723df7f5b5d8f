"""All sentences: in two languages with the same blanks, each used, each found, and none in the middle of code."""

from __future__ import annotations

import ast
import pickle
import re
import string
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from connector.core import compiled, messages
from connector.core.callers import ROLES
from connector.core.manifest.load import library
from connector.core.messages import Text, parse, quote, say, sentences, template
from connector.core.service.environment import GROUPS, VARIABLES
from connector.core.writes.policy import GROUPS as POLICY_GROUPS
from connector.core.writes.policy import Policy
from connector.durable.upkeep.attention import AREAS, KINDS
from connector.export import catalogue
from connector.sandbox.traffic.faults import EventFaultKind, RequestFaultKind
from connector.store.trust.audit_sendings import Missing
from connector.store.trust.granting_rows import KINDS as GRANTING

ROOT = Path(__file__).parents[3]
SOURCES = sorted((ROOT / "connector").rglob("*.py"))
TYPESCRIPT_FILES = [path for part in ("connector", "actions", "triggers") for path in (ROOT / part).rglob("*.ts")]
TYPESCRIPT = "\n".join(path.read_text(encoding="utf-8") for path in TYPESCRIPT_FILES)
SAYING = {"say", "localized", "template", "localize", "word", "Problem"}
"""Whatever looks a sentence up by the name that it is given first."""
COMPUTED = {
    "*_help": ["activepieces_key", "package_again"],
    "activepieces_conduct_*": ["service", "host"],
    "known_from_*": ("payments", "events", "connects", "before"),
    "*_remedy": [
        *("input", "key_refused", "reconnect_needed", "service_not_booked", "right_missing", "rate_limited"),
        *("budget_held", "not_found", "refused", "service_down", "store_refused", "outcome_unknown"),
        *("bad_reply", "busy", "likely_repeat", "store_down"),
        *("store_file_gone", "store_replaced"),
        *("package_repeats", "package_repeats_unknown", "package_memory_down"),
        *("approval_own", "approval_no_person", "approval_invited"),
    ],
    "*_confirm": ["approve", "reject"],
    "*_question": ["approve", "reject"],
    "approval_because_*": ["amount", "sum", "currency", "payee", "agent", "equal"],
    "audit_sending_*": list(get_args(Missing)),
    "rights_cleared_*": ["revoked", "deleted", "restored", "expired", "ended", "closed", "counted", "begun"],
    "audit_finding_*": ["altered", "missing", "inserted", "head", "end", "anchor"],
    "age_*": ["0", "1", "2", "3"],
    "area_*": ["ledger", "banking", "mobility", "any"],
    "budget_name_*": ["per_day", "per_flow", "hold_back"],
    "code_*": ["cli", "curl", "kontor", "requests"],
    "code_*_note": ["cli", "curl", "kontor", "requests"],
    "column_*": [
        "agent",
        *("id", "trigger", "state", "target", "item", "attempts", "answer"),
        *("token", "workspace", "role", "person", "used"),
        *("name", "value", "meaning", "action", "until", "reasons", "inputs", "key", "since"),
        *("output", "changed", "note", "waiting"),
    ],
    "command_*": [
        *("actions", "triggers", "lookups", "describe", "run", "options", "poll", "runs", "watch", "subscriptions"),
        *(
            "completion",
            "doctor",
            "credits",
            "serve",
            "worker",
            "sandbox",
            "export",
            "new",
            "check",
            "mcp",
            "workspaces",
            "keys",
            "people",
            "tokens",
        ),
        *("audit", "rights", "hooks", "policy", "approvals", "approve", "reject"),
        "templates",
    ],
    "commands_*": ["look", "work", "watch", "manage", "try", "build"],
    "course_run_*": [
        *("asked", "approved", "rejected", "withdrawn", "expired", "sent", "refused", "unknown", "done", "settled"),
        *("cancelled", "void", "released"),
    ],
    "delivery_*": ["waiting", "done", "dead", "ended"],
    "doctor_rights_*": ["permission", "expired", "error", "unknown"],
    "doctor_rights_*_remedy": ["permission", "expired", "error", "unknown"],
    "effect_*": ["read", "create", "update"],
    "event_*": ["new", "fired", "stale", "unconfirmed", "forged", "unknown"],
    "export_name_*": list(catalogue.platforms()),
    "export_steps_*": list(catalogue.platforms()),
    "export_way_*": ["host", "service"],
    "export_*_guarantees": ["host", "service"],
    "export_count_*": ["actions", "lookups", "pairs", "triggers"],
    "export_*": ["api_key", "base_url", "host_url", "host_token"],
    "export_*_help": ["api_key", "base_url", "host_url", "host_token"],
    "face_*": ["cli", "python", "http", "console", "mcp", "host"],
    "fault_*": [*get_args(RequestFaultKind), *get_args(EventFaultKind)],
    "finding_*": ["ok", "note", "problem"],
    "help_credits_*": ["per_day", "per_flow", "hold_back"],
    "keys_*_done": ["add", "replace", "revoke"],
    "kind_*": ["action", "trigger", "lookup"],
    "mcp_*": ["list_unknown_runs", "settle_run"],
    "mcp_*_title": ["list_unknown_runs", "settle_run"],
    "n8n_*": ["resource", "operation", "api_key", "host_token"],
    "n8n_*_help": ["api_key", "host_token"],
    "n8n_readme_conduct_*": ["service", "host"],
    "money_*": [
        *("accounts", "account", "open_items", "payments", "trial_balance"),
        *("latest", "in_flight", "settled", "failed", "debtors", "creditors"),
    ],
    "n8n_readme_credential_*": ["service", "host"],
    "n8n_start_*": ["now", "all", "since"],
    "node_red_conduct_*": ["service", "host"],
    "node_red_help_events_*": ["service", "host"],
    "package_enter_*": ["service", "host"],
    "package_readme_*": ["service", "host"],
    "package_start_*": ["now", "all", "since"],
    "place_*": [
        *("overview", "runs", "money", "actions", "triggers", "subscriptions", "inbox", "approvals"),
        *("operate", "settings", "sandbox", "exports", "doctor"),
    ],
    "person_is_*": ["named", "invited", "active", "expired", "revoked"],
    "policy_change_*": ["approved", "rejected"],
    "policy_*_invalid": ["payees", "changed_payees", "loosen"],
    "policy_*_meaning": [field.name for field in fields(Policy)],
    "policy_choice_*": [
        *("payees_any", "payees_known", "changed_payees_warn", "changed_payees_approve"),
        *("loosen_alone", "loosen_approve"),
    ],
    "policy_chosen_*": [
        *("payees_any", "payees_known", "changed_payees_warn", "changed_payees_approve"),
        *("loosen_alone", "loosen_approve"),
    ],
    "policy_group_*": [*POLICY_GROUPS, "more"],
    "policy_label_*": [name for group in POLICY_GROUPS.values() for name in group],
    "policy_off_*": [
        *("approve_above", "most_each", "most_per_day", "most_per_payee", "known_payees", "agents", "key_required"),
        *("repeat_minutes", "undeclared_paths", "any"),
    ],
    "policy_on_*": [
        *(
            name
            for group in POLICY_GROUPS.values()
            for name in group
            if name not in {"payees", "changed_payees", "loosen"}
        ),
        "any",
    ],
    "policy_one_*": ["hours", "minutes", "days", "payees"],
    "policy_suffix_*": ["hours", "minutes", "days"],
    "policy_unit_*": ["hours", "minutes", "days", "payees"],
    "role_*_meaning": list(ROLES),
    "run_is_*": ["claimed", "sending"],
    "run_settled_as_*": ["done", "not_done"],
    "runs_*": ["state", "action", "kind"],
    "question_*": ["who", "what", "amount", "payee", "account", "method", "path", "run", "state"],
    "runs_column_*": ["at", "action", "about", "state", "who", "key", "id"],
    "runs_kind_*": ["write", "read", "all"],
    "settle_*_confirm": ["yes", "no"],
    "settle_*_question": ["yes", "no"],
    "power_response_*": ["400", "401", "403", "404", "429"],
    "presence_*": ["required", "optional", "advanced"],
    "repeat_*": ["harmless", "same_result", "duplicates"],
    "series_*": ["debtors", "creditors"],
    "settings_*": ["key", "budget", "policy", "alerts", "people", "tokens", "workspaces"],
    "settings_*_about": ["key", "budget", "policy", "alerts", "people", "tokens", "workspaces"],
    "condition_*": list(KINDS),
    "attention_*": list(KINDS),
    "attention_*_remedy": list(KINDS),
    "attention_rights_*": ["altered", "inserted", "missing", "register"],
    "rights_of_*": ["rights_register", "runs", *(kind.name for kind in GRANTING)],
    "attention_work_*": ["polls", "events", "deliveries"],
    "bank_is_*": ["consent_over", "bank_needs_attention"],
    "navigation_*": list(AREAS),
    "role_*_name": list(ROLES),
    "setup_*": ["key", "trigger", "fired", "platform"],
    "setup_*_help": ["key", "trigger", "fired", "fired_sandbox", "platform"],
    "budget_*": ["per_day", "per_flow", "hold_back"],
    "source_*": ["poll", "event"],
    "start_*": ["now", "all"],
    "subscription_is_*": ["active", "failing", "paused", "ended"],
    "timeline_*": [
        *("poll_failed", "poll_recovered", "delivery_failed", "delivery_given_up", "delivery_recovered"),
        *("delivery_replayed", "subscription_created", "subscription_paused", "subscription_resumed"),
        "subscription_retried",
        *("subscription_ended", "subscription_secret_replaced", "subscription_target_changed"),
        *("subscription_tested", "subscription_test_refused", "budget_changed"),
        *("rate_used_up", "rate_refused", "rate_free"),
    ],
    "theme_*": ["auto", "light", "dark"],
    "token_is_*": ["valid", "expired", "revoked"],
    "title_*": [
        *("input", "host_token", "key_refused", "reconnect_needed", "service_not_booked", "right_missing"),
        *("rate_limited", "budget_held", "not_found", "conflict", "refused", "service_down", "store_refused"),
        *("outcome_unknown", "bad_reply", "method_not_allowed", "too_large", "likely_repeat", "store_down", "error"),
    ],
    "topic_*": [
        *("credential", "ledger_connections", "rights", "webhook_url", "credits", "rate_window", "wire_names"),
        "attention",
    ],
    "variable_*": [name.lower() for name in VARIABLES],
    "variables_*": list(GROUPS),
    "waiting_choice_*": ["later", "release", "no_release"],
    "webhook_*": ["active", "drifted"],
}
"""Names that are put together when they are looked up: the pattern, and what stands for its star."""
RULES = {
    "any_of.missing": {"labels"},
    "requires.other": {"label", "other", "value", "given"},
    "order.reversed": {"first_label", "first", "second_label", "second", "days"},
    "first_of_month.other_day": {"label", "given", "meant"},
    "not_past.past": {"label", "given", "today"},
    "sum.differs": {"label", "count", "sum", "total", "difference", "currency"},
    "sum.sign": {"label", "count", "sum", "total", "difference", "currency", "line"},
    "not_zero.zero": {"label", "line"},
    "range.too_small": {"label", "value", "limit", "difference"},
    "range.too_large": {"label", "value", "limit", "difference"},
    "equals.other": {"label", "given", "value"},
    "charset.invisible": {"label", "position", "code"},
    "charset.outside": {"label", "sign", "position"},
    "pattern.misfit": {"label"},
    "digits.first": {"label", "number"},
    "digits.letters": {"label", "number"},
    "digits.short": {"label", "number", "digits", "length", "longest", "difference"},
    "digits.long": {"label", "number", "digits", "length", "longest", "difference"},
    "at_most_one.several": {"label", "first", "line"},
    "file.too_large": {"line", "file", "size", "limit", "excess"},
    "file.unknown_kind": {"line", "file", "kinds"},
    "file.misnamed": {"line", "file", "kind", "endings"},
}
"""Every reason that a rule may give, and the blanks that it fills."""
NOTATIONS = {
    "number.two_readings": {"field", "written", "whole", "decimal"},
    "number.two_readings_rounded": {"field", "written", "whole", "decimal"},
    "number.misreadable": {"field", "written", "meant"},
    "number.other_currency": {"field", "written", "currency"},
    "number.no_currency": {"field", "written"},
    "date.misreadable": {"field", "written", "meant"},
    "date.month_name": {"field", "written", "meant"},
    "date.year_meant": {"field", "written", "years", "meant"},
    "date.two_readings": {"field", "written", "first", "second"},
    "date_time.skipped": {"field", "written", "read"},
    "date_time.twice": {"field", "written", "read"},
}
"""Every reason to refuse a notation or to warn of it, and the blanks that it fills."""

GERMAN = {
    "core/values/written_dates.py": "knows how the names of months begin",
    "export/n8n/wording.py": "knows where a German sentence ends",
    "client/verdict.py": "reads the quotation marks of the service",
    "export/power_automate/lint/operations.py": "knows capital letters",
}
"""Where German letters stand in code, and why."""


@cache
def trees() -> dict[Path, ast.Module]:
    """Every module of the connector; parsed when a test asks, not while tests are collected."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


def test_both_languages_have_the_same_blanks() -> None:
    differing = [name for name, (en, de) in sentences().items() if _blanks(en) != _blanks(de)]
    assert differing == []


def test_every_reason_has_a_sentence_with_no_other_blanks() -> None:
    spoken = {name: _blanks(en) for name, (en, _) in sentences().items() if "." in name}
    filled = RULES | NOTATIONS
    assert set(spoken) == set(filled)
    assert {name: blanks - filled[name] for name, blanks in spoken.items() if blanks - filled[name]} == {}


def test_every_name_that_is_said_exists() -> None:
    said = {name for node in _first_arguments() for name in _literals(node)}
    said |= set(re.findall(r"\bsay\(\s*'([a-z0-9_.]+)'", TYPESCRIPT))
    assert len(said) > 500
    assert sorted(said - set(sentences())) == []


def test_every_name_that_is_put_together_is_listed_here_and_exists() -> None:
    patterns = {_pattern(node) for node in _first_arguments() if isinstance(node, ast.JoinedStr)}
    assert patterns - {"*.*"} == set(COMPUTED)
    assert sorted(_computed() - set(sentences())) == []


def test_every_sentence_is_used() -> None:
    written = {node.value for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    written |= set(re.findall(r"'([a-z0-9_.]+)'", TYPESCRIPT))
    written |= {str(declared.get("message")) for declared in library()["formats"].values()}
    assert sorted(set(sentences()) - written - _computed() - set(RULES)) == []


def test_no_sentence_stands_in_code() -> None:
    places = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, tree in trees().items()
        if any(_imports_text(node) for node in ast.walk(tree))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _name(node.func) == "Text" and _two_literals(node.args)
    ]
    assert places == []


def test_no_german_stands_in_code() -> None:
    modules = {
        path.relative_to(ROOT / "connector").as_posix()
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search("[äöüÄÖÜß„]", node.value)
    }
    assert modules <= set(GERMAN)


def test_no_module_is_a_table_of_sentences() -> None:
    tables = [path for path in SOURCES if {"words", "sentences", "phrases"} & {path.stem, path.parent.name}]
    assert tables == []


def test_blanks_are_filled_in_each_language_by_its_own_words() -> None:
    assert say("in_line", line=2, text=say("missing", field="betrag")) == Text(
        "Line 2: 'betrag' is required.", "Zeile 2: „betrag“ ist erforderlich."
    )
    assert template("in_line").de == "Zeile {line}: {text}"
    assert quote("Mandant gesperrt") == ("Mandant gesperrt", "Mandant gesperrt")
    with pytest.raises(KeyError):
        say("in_line", line=2)
    with pytest.raises(KeyError):
        say("there_is_no_such_sentence")


def test_a_text_is_a_pair_that_survives_copies() -> None:
    text = Text("a", "b")
    assert (text.en, text.de, text.in_("de"), text.in_("fr")) == ("a", "b", "b", "a")
    assert text.as_dict() == {"en": "a", "de": "b"}
    assert pickle.loads(pickle.dumps(text)) == text


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.yaml": "x: {en: A, de: A}", "b.yaml": "x: {en: B, de: B}"}, "'x' stands in .*a.yaml and in .*b.yaml"),
        ({"a.yaml": "x: {en: A, de: A}\nx: {en: B, de: B}"}, "a.yaml, line 2: 'x' stands there twice"),
        ({"a.yaml": "yes: {en: A, de: A}"}, "a.yaml, line 1: put 'yes' in quotes"),
        ({"a.yaml": "x: {en: A}"}, "'x' in .*a.yaml must be {en: text, de: text}"),
        ({"a.yaml": "x: {en: A, de: no}"}, "'x' in .*a.yaml must be {en: text, de: text}"),
        ({"a.yaml": "x: {en: A, de: ''}"}, "'x' in .*a.yaml must be {en: text, de: text}"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_place(tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        parse(compiled.sources([str(tmp_path)]))


def test_sentences_need_no_yaml_once_they_are_compiled() -> None:
    code = (
        "import sys; from connector.core.messages import say; say('missing', field='x'); print('yaml' in sys.modules)"
    )
    for _ in ("compiles", "finds everything compiled"):
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_words_of_a_list_are_cached_apart_and_are_the_same() -> None:
    assert messages._lists().items() <= sentences().items()


def _blanks(text: str) -> set[str]:
    """The names of the blanks; that of a platform's word may begin with a capital letter."""
    fields = {field for _, field, _, _ in string.Formatter().parse(text) if field}
    return {field.lower() if field.startswith("@") else field for field in fields}


def _computed() -> set[str]:
    return {pattern.replace("*", part) for pattern, parts in COMPUTED.items() for part in parts}


def _first_arguments() -> Iterator[ast.expr]:
    """What sentences are looked up by; both branches of a choice."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and _says(node.func, path):
                yield from _branches(node.args[0])


def _says(function: ast.expr, path: Path) -> bool:
    match function:
        case ast.Name(id=name):
            return name in SAYING or (name == "self" and path.stem == "localizer")
        case ast.Attribute(attr=name):
            return name == "localize"
        case _:
            return False


def _branches(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from _branches(node.body)
        yield from _branches(node.orelse)
    else:
        yield node


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _pattern(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)


def _imports_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.ImportFrom)
        and node.module == "connector.core.messages"
        and any(alias.name == "Text" for alias in node.names)
    )


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""


def _two_literals(arguments: list[ast.expr]) -> bool:
    return len(arguments) == 2 and all(
        isinstance(argument, ast.JoinedStr) or (isinstance(argument, ast.Constant) and isinstance(argument.value, str))
        for argument in arguments
    )
