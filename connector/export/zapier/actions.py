"""Actions as Zapier's creates (what changes something) and searches (what only reads)."""

from __future__ import annotations

from typing import Any

from connector.core.manifest.model import Action
from connector.core.messages import Text, say
from connector.export.shape import Dropped, ExportOptions
from connector.export.zapier import outputs
from connector.export.zapier.forms import Forms
from connector.export.zapier.wording import about, headline, help_text

ZAPIER_SECONDS = 30.0
"""How long Zapier lets a step run."""
KEY_FIELD = "kontor_key"
AGAIN_FIELD = "kontor_again"


def operation(action: Action, forms: Forms, options: ExportOptions) -> tuple[dict[str, Any], list[Dropped]]:
    """One create or search, and what of the action it cannot do."""
    lang, notes = options.lang, _notes(action, options)
    slow = options.via == "host" and action.timeout > ZAPIER_SECONDS and not action.writes
    step = {"does": "run", "id": action.id, **({"slow": True} if slow else {})}
    fields = [*about(action, notes, lang), *forms.of(action)]
    if action.repeat == "duplicates":
        key = {"key": KEY_FIELD, "label": headline(say("zapier_key"), lang), "type": "string"}
        again = {"key": AGAIN_FIELD, "label": headline(say("package_again"), lang), "type": "boolean"}
        fields.append({**key, "helpText": help_text(say("zapier_key_help"), lang)})
        fields.append({**again, "helpText": help_text(say("package_again_help"), lang)})
    finds = {} if action.writes else {"finds": "many" if action.is_list else "one"}
    shown = {
        "key": action.id,
        "noun": headline(action.noun or action.title, lang),
        "display": {"label": headline(action.title, lang), "description": action.summary.in_(lang)},
        "operation": {
            "perform": {**step, **finds},
            **({"performResume": {"does": "resume", "id": action.id, **finds}} if slow else {}),
            "inputFields": fields,
            "outputFields": outputs.fields(action, forms.library, lang),
            "sample": outputs.sample(action),
        },
    }
    return shown, [Dropped("check", action.id, note) for note in notes]


def _notes(action: Action, options: ExportOptions) -> list[Text]:
    """What a user should know before the step runs, and the report tells too."""
    notes = []
    if action.timeout > ZAPIER_SECONDS and options.via == "service":
        notes.append(say("zapier_slow"))
    elif action.timeout > ZAPIER_SECONDS and action.writes:
        notes.append(say("zapier_slow_write"))
    if action.repeat == "duplicates" and options.via == "service":
        notes.append(say("zapier_no_key"))
    return notes
