"""Triggers: polls and guarded webhooks where the package talks to the service, subscriptions where it has a host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.manifest.model import Trigger
from connector.core.messages import say
from connector.export.shape import Dropped, ExportOptions
from connector.export.zapier import outputs
from connector.export.zapier.actions import reading
from connector.export.zapier.forms import Forms
from connector.export.zapier.inputs import Reader
from connector.export.zapier.requests import sending
from connector.export.zapier.sources import function, literal, part
from connector.export.zapier.titles import headline

LOOK_BACK_DAYS = 90
"""A poll without a cursor has to begin somewhere; this bounds what each one reads."""
REPLACE_FIELD = "replace_foreign_url"
NOTES = {
    "new_transaction": "zapier_looks_back",
    "bank_connection_needs_attention": "zapier_daily",
    "payment_status_changed": "zapier_no_cursor",
}


def operation(
    trigger: Trigger, forms: Forms, options: ExportOptions, constants: Mapping[str, Any]
) -> tuple[dict[str, Any] | None, list[Dropped]]:
    """One trigger, or None where this package cannot have it; and what is lost."""
    if options.via == "host":
        return _shown(trigger, forms.of(trigger), options, _subscribed(trigger, options, constants)), []
    if trigger.source == "event":
        fields = forms.of(trigger)
        fields.append(
            {
                "key": REPLACE_FIELD,
                "label": say("export_replace_url").in_(options.lang),
                "helpText": say("zapier_replace_help").in_(options.lang),
                "type": "boolean",
                "default": "false",
            }
        )
        doing = _guarded_webhook(trigger, options, constants)
        lost = [Dropped("check", trigger.id, say("zapier_not_given_back"))]
        return _shown(trigger, fields, options, doing, say("zapier_one_url").in_(options.lang)), lost
    if trigger.request is None:
        return None, [Dropped("trigger", trigger.id, say("dropped_no_call"))]
    if part("polls", trigger.id) is None:
        return None, [Dropped("trigger", trigger.id, say("zapier_needs_memory"))]
    lost = [Dropped("check", trigger.id, say(NOTES[trigger.id], days=LOOK_BACK_DAYS))] if trigger.id in NOTES else []
    return _shown(trigger, forms.of(trigger), options, _poll(trigger, options, constants)), lost


def _shown(
    trigger: Trigger, fields: list[dict[str, Any]], options: ExportOptions, doing: dict[str, Any], note: str = ""
) -> dict[str, Any]:
    lang = options.lang
    description = f"{trigger.description.in_(lang)} {note}".strip()
    return {
        "key": trigger.id,
        "noun": headline(trigger.title, lang),
        "display": {"label": headline(trigger.title, lang), "description": description},
        "operation": {
            **doing,
            "inputFields": fields,
            "outputFields": outputs.fields(trigger, lang),
            "sample": outputs.sample(trigger),
        },
    }


def _poll(trigger: Trigger, options: ExportOptions, constants: Mapping[str, Any]) -> dict[str, Any]:
    turn = part("polls", trigger.id) or ""
    more = "ask" if "const ask" in turn else ""
    items = "rows(z, answer, UNREADABLE)" if trigger.is_list else "[single(answer)]"
    lines = [
        reading(trigger, options.lang),
        turn,
        sending(trigger, options.wire, more),
        # Whatever the service's own id is, Zapier tells items apart by `id` where it has no other field for it.
        f"return turn({items}).map((item) => ({{ id: item._id, ...item }}));",
    ]
    return {"type": "polling", "perform": function("\n".join(lines), {**constants, "LOOK_BACK_DAYS": LOOK_BACK_DAYS})}


def _guarded_webhook(trigger: Trigger, options: ExportOptions, constants: Mapping[str, Any]) -> dict[str, Any]:
    """Reads the one URL before it writes it, and touches a foreign one only if the form allows it."""
    read = "const { data: answer } = await z.request({ url: '/v2/banking/webhook-url' });"
    write = "await z.request({ method: 'PUT', url: '/v2/banking/webhook-url', body: { webhook_url: %s } });"
    subscribe = f"""{read}
const now = webhookUrl(z, answer, UNREADABLE);
const allowed = yes(z, bundle.inputData.{REPLACE_FIELD}, UNREADABLE);
if (now && now !== bundle.targetUrl && !allowed) refuse(z, fill(URL_TAKEN, {{ url: now }}));
{write % "bundle.targetUrl"}
return {{ id: bundle.targetUrl, former: now === bundle.targetUrl ? null : now }};"""
    unsubscribe = f"""{read}
const now = webhookUrl(z, answer, UNREADABLE);
const {{ former }} = bundle.subscribeData ?? {{}};
if (now === bundle.targetUrl && former) {{
  {write % "former"}
}}
return {{ id: bundle.targetUrl }};"""
    return {
        "type": "hook",
        "perform": function(_taking_in(trigger, options), constants),
        "performList": _sample_list(trigger, constants),
        "performSubscribe": function(subscribe, constants),
        "performUnsubscribe": function(unsubscribe, constants),
    }


def _taking_in(trigger: Trigger, options: ExportOptions) -> str:
    """What becomes of an event that comes in. One that is not meant for this trigger is no error."""
    statuses = {"payment_settled": ["settled"], "payment_failed": ["failed", "rejected"]}.get(trigger.id)
    lines = [
        Reader(options.lang, checks=True).all(trigger.inputs),
        "const { event, data, received_at: receivedAt } = bundle.cleanedRequest ?? {};",
        "if (typeof event !== 'string' || !data || typeof data !== 'object') return [];",
    ]
    if trigger.events:
        lines.append(f"if (!{literal(list(trigger.events))}.includes(event)) return [];")
    if statuses:
        lines.append(f"if (!{literal(statuses)}.includes(data.status)) return [];")
    lines.append("if (!passes(event, data, inputs)) return [];")
    if trigger.confirm:
        lines.append("if (!(await confirmed(z, data))) return [];")
    lines.append("return [hookEvent(z, event, data, receivedAt)];")
    return "\n".join(lines)


def _subscribed(trigger: Trigger, options: ExportOptions, constants: Mapping[str, Any]) -> dict[str, Any]:
    """A subscription of its own for each Zap, at the host: which polls, confirms and delivers."""
    subscribe = f"""{Reader(options.lang, checks=False).all(trigger.inputs)}
const body = {{ trigger: {literal(trigger.id)}, inputs, target_url: bundle.targetUrl }};
const {{ data }} = await z.request({{ method: 'POST', url: '/v1/subscriptions', body }});
return {{ id: data.id }};"""
    unsubscribe = """const id = encodeURIComponent(bundle.subscribeData.id);
await z.request({ method: 'DELETE', url: `/v1/subscriptions/${id}` });
return { id };"""
    perform = "return lines(bundle.cleanedRequest).map((item) => ({ id: item._id, ...item }));"
    return {
        "type": "hook",
        "perform": function(perform, constants),
        "performList": _sample_list(trigger, constants),
        "performSubscribe": function(subscribe, constants),
        "performUnsubscribe": function(unsubscribe, constants),
    }


def _sample_list(trigger: Trigger, constants: Mapping[str, Any]) -> dict[str, Any]:
    """What the editor shows before anything has happened."""
    return function(f"return [{literal(outputs.sample(trigger))}];", constants)
