"""Triggers: polls and guarded webhooks where the package talks to the service, subscriptions where it has a host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from connector.core.manifest.model import Trigger
from connector.core.messages import Text, say
from connector.export.shape import Dropped, ExportOptions
from connector.export.unexpressed import says_end
from connector.export.zapier import outputs
from connector.export.zapier.forms import Forms
from connector.export.zapier.wording import about, headline, help_text

REPLACE_FIELD = "replace_foreign_url"
HOOK = {
    "perform": "receive",
    "performList": "sample",
    "performSubscribe": "subscribe",
    "performUnsubscribe": "unsubscribe",
}


def operation(trigger: Trigger, forms: Forms, options: ExportOptions) -> tuple[dict[str, Any] | None, list[Dropped]]:
    """One trigger, or None where this package cannot have it; and what is lost."""
    lang = options.lang
    if options.via == "host":
        return _shown(trigger, forms, lang, []), []
    if trigger.own:
        return None, [Dropped("trigger", trigger.id, say("export_host_only"))]
    if trigger.source == "event":
        notes = [say("zapier_one_url"), say("zapier_no_memory")]
        notes += [say("left_out_unknown_end")] if says_end(trigger) else []
        replace = {
            "key": REPLACE_FIELD,
            "label": headline(say("export_replace_url"), lang),
            "helpText": help_text(say("zapier_replace_help"), lang),
            "type": "boolean",
            "default": "false",
        }
        return _shown(trigger, forms, lang, notes, more=[replace]), _told(trigger, notes)
    if trigger.request is None:
        return None, [Dropped("trigger", trigger.id, say("dropped_no_call"))]
    if trigger.poll is None or not trigger.poll.stateless:
        return None, [Dropped("trigger", trigger.id, say("zapier_needs_memory"))]
    notes = _notes(trigger)
    return _shown(trigger, forms, lang, notes, polls=True), _told(trigger, notes)


def _shown(
    trigger: Trigger,
    forms: Forms,
    lang: str,
    notes: list[Text],
    *,
    more: Sequence[dict[str, Any]] = (),
    polls: bool = False,
) -> dict[str, Any]:
    doing = {"perform": "poll"} if polls else HOOK
    return {
        "key": trigger.id,
        "noun": headline(trigger.noun or trigger.title, lang),
        "display": {"label": headline(trigger.title, lang), "description": trigger.summary.in_(lang)},
        "operation": {
            "type": "polling" if polls else "hook",
            **{name: {"does": step, "id": trigger.id} for name, step in doing.items()},
            "inputFields": [*about(trigger, notes, lang, looks=polls), *forms.of(trigger), *more],
            "outputFields": outputs.fields(trigger, forms.library, lang),
            "sample": outputs.sample(trigger),
        },
    }


def _notes(trigger: Trigger) -> list[Text]:
    """What a poll loses because Zapier keeps nothing but the ids of what fired, as its strategy declares it."""
    match trigger.raw["poll"]:
        case {"by_id": {"look_back": {"days": days}}}:
            return [say("zapier_looks_back", days=days)]
        case {"progress": {"previous": _}}:
            return [say("zapier_no_previous")]
        case {"alarm": {"id": id}} if "{@episode}" in id:
            return [say("zapier_daily")]
    return []


def _told(trigger: Trigger, notes: list[Text]) -> list[Dropped]:
    return [Dropped("check", trigger.id, note) for note in notes]
