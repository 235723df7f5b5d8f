"""JSON Schemas of what the host itself answers and takes."""

from __future__ import annotations

from typing import Any

from connector.core.payment_states import CHARGED, EXPIRED, RESERVED
from connector.core.problem_kinds import KINDS
from connector.export.openapi.components import Schema, ref
from connector.runtime.result import WAITS
from connector.store.runs import KINDS as RUN_KINDS
from connector.store.runs import STATES as RUN_STATES

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FREE: Schema = {"type": "object"}
MOMENT: Schema = {"type": "string", "format": "date-time"}
BOTH: Schema = {
    "type": "object",
    "properties": {"en": TEXT, "de": TEXT},
    "required": ["en", "de"],
    "description": "The same in English and German.",
}
AMOUNT: Schema = {"type": "number"}
PAGE_OF_OPTIONS: dict[str, Schema] = {
    "search": {"type": "string", "description": "Only options that hold all these words."},
    "limit": {"type": "integer", "minimum": 1, "description": "At most so many."},
    "after": {"type": "string", "description": "Only those behind this value, as `next` of the page before names it."},
}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def an_object(required: dict[str, Schema], optional: dict[str, Schema] | None = None, **more: Any) -> Schema:
    """An object with these fields and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def a_list(schema: Schema) -> Schema:
    """A list of them."""
    return {"type": "array", "items": schema}


def ok(**fields: Schema) -> Schema:
    """A success with these fields."""
    return an_object({"ok": {"const": True}, **fields})


def answer_schemas() -> dict[str, Schema]:
    """Every schema that does not depend on the manifests."""
    of_payment: Schema = {"enum": [RESERVED, CHARGED, EXPIRED], "description": "Of the credits of a payment."}
    credits = an_object({"cost": AMOUNT, "balance": nullable(AMOUNT)}, {"state": of_payment})
    option = an_object({"value": TEXT, "label": TEXT, "hint": nullable(TEXT)})
    waiting = an_object(
        {"ok": {"const": True}, "action": TEXT, "state": {"const": WAITS}, "run": TEXT, "expires_at": MOMENT},
        {"callback_secret": nullable(TEXT)},
    )
    return {
        "Problem": _problem(),
        "Credits": credits,
        "Option": option,
        "RunAccepted": {"anyOf": [ok(accepted={"const": True}, id=TEXT, callback_secret=TEXT), waiting]},
        "RunFailed": an_object({"ok": {"const": False}, "error": _error()}),
        "OptionsAnswer": an_object(
            {"ok": {"const": True}, "options": a_list(ref("Option")), "cached": FLAG},
            {"next": {**TEXT, "description": "The value behind which further options follow."}},
        ),
        "TestAnswer": ok(accounts=COUNT, quelle=TEXT),
        "Summary": an_object(
            {"id": TEXT, "area": TEXT, "title": BOTH, "description": BOTH, "cost": FREE, "required": a_list(TEXT)},
            {
                **dict.fromkeys(("effect", "repeat", "source"), TEXT),
                **{
                    "events": a_list(TEXT),
                    "aliases": a_list(TEXT),
                    "duration": FREE,
                    "interval": FREE,
                    "ttl": COUNT,
                    "deprecated": {},
                },
            },
        ),
        "ManifestAnswer": ok(manifest=FREE),
        "ConnectorAnswer": ok(
            id=TEXT,
            title=BOTH,
            description=BOTH,
            version=TEXT,
            callbacks={**FLAG, "description": "Whether a run may carry a callback_url."},
            sandbox=FLAG,
            public_url=TEXT,
            actions=a_list(TEXT),
            lookups=a_list(TEXT),
            triggers=a_list(TEXT),
        ),
        **_stored(),
        "HealthAnswer": ok(version=TEXT),
        "ReadyAnswer": an_object(
            {
                "ok": FLAG,
                "database": {"enum": ["writable", "unwritable", "refused"]},
                "engine": {"enum": ["running", "stopped"]},
                "hub": {"enum": ["active", "drifted", "none", "unknown"]},
                "closing": FLAG,
                "stalled": {
                    **a_list({"enum": ["polls", "events", "deliveries"]}),
                    "description": "Overdue work that no host takes.",
                },
                "reason": nullable(BOTH),
            }
        ),
    }


def _error() -> Schema:
    return an_object(
        {
            "kind": {"enum": list(KINDS)},
            "message": TEXT,
            "remedy": BOTH,
            "field": nullable(TEXT),
            "outcome": {
                "enum": ["not_sent", "refused", "unknown"],
                "description": "Whether the service acted: certainly not, no, or nobody knows.",
            },
            "proof": {
                "enum": ["described", "assumed", None],
                "description": "Of a refused write: whether the service's description says that nothing was done.",
            },
            "retryable": FLAG,
            "retry_at": nullable(MOMENT),
            "reconnect_url": nullable(TEXT),
            "details": {"description": "What else is known; its form depends on the kind."},
        },
        description="What a flow needs in order to decide what to do next.",
    )


def _problem() -> Schema:
    return an_object(
        {
            "type": {"type": "string", "format": "uri"},
            "title": TEXT,
            "status": {"type": "integer"},
            "detail": TEXT,
            **_error()["properties"],
            "request_id": TEXT,
        },
        description="RFC 9457, with what a flow needs in order to decide what to do next.",
    )


def _credit_report() -> Schema:
    """What an API key has spent, from what answers told."""
    day = {"type": "string", "format": "date"}
    charged = {"label": TEXT, "calls": COUNT, "credits": AMOUNT, "last_on": day}
    line = {"day": day, "action": TEXT, "flow": TEXT, "calls": COUNT, "credits": AMOUNT, "reserved": AMOUNT}
    return ok(
        balance=nullable(AMOUNT),
        told_at=nullable(MOMENT),
        reserved={**AMOUNT, "description": "For payments under way; charged when they settle, else expired."},
        spent=a_list(an_object(line)),
        forecast=an_object({"per_day": AMOUNT, "runs_out_on": nullable(day)}),
        budget=an_object({"per_day": nullable(COUNT), "per_flow": nullable(COUNT), "hold_back": COUNT}),
        surprises={**a_list(an_object(charged)), "description": "Dropdowns that should be free and were charged."},
    )


def _stored() -> dict[str, Schema]:
    """Subscriptions, deliveries, credentials and runs, as the store shows them."""
    subscription = {
        "id": TEXT,
        "credential_id": TEXT,
        "trigger": TEXT,
        "inputs": FREE,
        "cursor_name": nullable(TEXT),
        "target_url": TEXT,
        "state": {"enum": ["active", "ended"]},
        "why_ended": nullable(TEXT),
        "created_at": MOMENT,
        "ended_at": nullable(MOMENT),
        "paused_at": nullable(MOMENT),
    }
    health = an_object(
        {
            "state": {"enum": ["active", "failing", "paused", "ended"]},
            "reason": nullable(FREE),
            "next_try": nullable(MOMENT),
            "waiting": COUNT,
        }
    )
    place = {
        "health": health,
        "cursor": nullable(TEXT),
        "polled_at": nullable(MOMENT),
        "next_at": nullable(MOMENT),
        "trouble": nullable(FREE),
    }
    delivery = {
        "id": TEXT,
        "subscription_id": TEXT,
        "item_id": TEXT,
        "body": {},
        "state": {"enum": ["waiting", "done", "dead", "ended"]},
        "attempts": COUNT,
        "next_at": nullable(MOMENT),
        "last_status": nullable({"type": "integer"}),
        "last_error": nullable(TEXT),
        "made_at": MOMENT,
        "done_at": nullable(MOMENT),
    }
    credential = {
        **dict.fromkeys(("id", "fingerprint", "base_url", "quelle", "workspace"), TEXT),
        "created_at": MOMENT,
        "revoked_at": nullable(MOMENT),
        "chosen_at": nullable(MOMENT),
        "active_subscriptions": COUNT,
    }
    run = {
        **dict.fromkeys(("id", "workspace", "action", "digest"), TEXT),
        "key": nullable(TEXT),
        "state": {"enum": list(RUN_STATES)},
        "inputs": FREE,
        "outcome": nullable(FREE),
        "made_at": MOMENT,
        "changed_at": MOMENT,
        **dict.fromkeys(("actor", "person", "face", "origin"), nullable(TEXT)),
        "kind": {"enum": list(RUN_KINDS)},
    }
    limit = nullable({"type": "number", "minimum": 0})
    policy = {
        **dict.fromkeys(("most_each", "most_per_day", "approve_above"), limit),
        "payees": {"enum": ["any", "known"]},
        **dict.fromkeys(("known_payees", "agents"), a_list(TEXT)),
        **dict.fromkeys(("approval_hours", "repeat_minutes", "keep_writes_days", "keep_reads_days"), COUNT),
        **dict.fromkeys(("key_required", "undeclared_paths"), FLAG),
    }
    return {
        "Subscription": an_object(subscription, place),
        "Delivery": an_object(delivery),
        "KeptCredential": an_object(credential),
        "Run": an_object(run, {"approval": FREE, "waiting": FREE}),
        "Policy": an_object({}, policy),
        "CreditReport": _credit_report(),
        "SubscriptionCreated": ok(
            id=TEXT,
            secret=TEXT,
            credential_id=TEXT,
            existing={**FLAG, "description": "Whether an equal request had created it before."},
        ),
        "SubscriptionEnded": ok(id=TEXT, ended=FLAG),
        "DeliveryReplayed": ok(id=TEXT, replayed=FLAG),
        "CredentialRotated": ok(id=TEXT, rotated=FLAG),
        "CredentialRevoked": ok(id=TEXT, revoked=FLAG, ended_subscriptions=COUNT),
    }
