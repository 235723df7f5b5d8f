"""Actions as Zapier's creates (what changes something) and searches (what only reads)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.manifest.model import Action, Trigger
from connector.core.messages import say
from connector.export.shape import Dropped, ExportOptions
from connector.export.zapier import outputs
from connector.export.zapier.forms import Forms
from connector.export.zapier.inputs import Reader
from connector.export.zapier.requests import sending
from connector.export.zapier.sources import function, literal, part
from connector.export.zapier.titles import headline, noun
from connector.runtime.handlers import offered

ZAPIER_SECONDS = 30.0
"""How long Zapier lets a call run."""
KEY_FIELD = "kontor_key"


def operation(
    action: Action, forms: Forms, options: ExportOptions, constants: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Dropped]]:
    """One create or search, and what of the action it cannot do."""
    lang = options.lang
    fields = forms.of(action)
    doing: dict[str, Any]
    if options.via == "host":
        doing = _by_host(action, options, constants)
        dropped = [Dropped("check", action.id, say("zapier_slow_write"))] if _slow(action) and action.writes else []
        if action.writes:
            words = {"label": say("zapier_key").in_(lang), "helpText": say("zapier_key_help").in_(lang)}
            fields.append({"key": KEY_FIELD, **words, "type": "string"})
    else:
        doing = {"perform": function(f"{reading(action, lang)}\n{_by_service(action, options)}", constants)}
        dropped = _lost(action)
    shown = {
        "key": action.id,
        "noun": noun(action.title, lang),
        "display": {"label": headline(action.title, lang), "description": action.description.in_(lang)},
        "operation": {
            **doing,
            "inputFields": fields,
            "outputFields": outputs.fields(action, lang),
            "sample": outputs.sample(action),
        },
    }
    return shown, dropped


def reading(manifest: Action | Trigger, lang: str) -> str:
    """Lines that read the form, and check it in the manifest's own words before anything is sent."""
    lines = Reader(lang, checks=True).all(manifest.inputs)
    check = part("checks", manifest.id)
    if check is None or offered(manifest, "check") is None:
        return lines
    messages = literal({name: text.in_(lang) for name, text in manifest.messages.items()})
    say = f"const say = (name, values) => refuse(z, fill({messages}[name], values));"
    return f"{lines}\n{say}\n{check}"


def _by_service(action: Action, options: ExportOptions) -> str:
    shape = part("shapes", action.id)
    if shape is None:
        shape = f"const output = {'rows(z, answer, UNREADABLE)' if action.is_list else 'single(answer)'};"
    lines = f"{sending(action, options.wire)}\n{shape}"
    if action.writes:
        return f"{lines}\nreturn output;"
    inner = lines.replace("\n", "\n  ")
    return f"return orNothing(async () => {{\n  {inner}\n  return Array.isArray(output) ? output : [output];\n}});"


def _by_host(action: Action, options: ExportOptions, constants: Mapping[str, Any]) -> dict[str, Any]:
    lines = [Reader(options.lang, checks=False).all(action.inputs)]
    sent = ["inputs"]
    if action.writes:
        lines.append(f"const own = text(given.{KEY_FIELD});")
        sent.append("...(own ? { key: `zapier-${bundle.meta?.zap?.id ?? 0}-${own}` } : {})")
    called_back = _slow(action) and not action.writes  # a host calls back for reads only
    if called_back:
        # To ask for the address is to promise a call back, so the host is asked first whether it makes them.
        lines.append("const { data: about } = await z.request({ url: '/v1/connector' });")
        sent.append("...(about.callbacks ? { callback_url: z.generateCallbackUrl() } : {})")
    lines.append(
        f"const {{ data: answer }} = await z.request({{ method: 'POST', url: '/v1/actions/{action.id}/run', "
        f"body: {{ {', '.join(sent)} }} }});"
    )
    if called_back:
        lines.append("if (about.callbacks) return [{}];")
    perform = function(_searching(action, "\n".join([*lines, _given(action)])), constants)
    if not called_back:
        return {"perform": perform}
    resume = f"const answer = bundle.cleanedRequest;\n{_CALLED_BACK}\n{_given(action)}"
    return {"perform": perform, "performResume": function(resume, constants)}


_CALLED_BACK = """if (!answer?.ok) {
  const error = answer?.error ?? answer ?? {};
  const remedy = error.remedy?.[LANGUAGE] ?? error.remedy?.en;
  throw new z.errors.Error([error.message ?? UNREADABLE, remedy].filter(Boolean).join(' '), error.kind, 502);
}"""


def _given(action: Action) -> str:
    if action.writes:
        return "return answer.output;"
    return "return answer.output.items;" if action.is_list else "return [answer.output];"


def _searching(action: Action, lines: str) -> str:
    if action.writes:
        return lines
    inner = lines.replace("\n", "\n  ")
    return f"return orNothing(async () => {{\n  {inner}\n}});"


def _slow(action: Action) -> bool:
    return action.timeout > ZAPIER_SECONDS


def _lost(action: Action) -> list[Dropped]:
    lost = []
    if _slow(action):
        lost.append(Dropped("check", action.id, say("zapier_slow")))
    if action.writes and action.repeat == "duplicates":
        lost.append(Dropped("check", action.id, say("zapier_no_key")))
    if offered(action, "check") is not None and part("checks", action.id) is None:
        lost.append(Dropped("check", action.id, say("dropped_not_checked")))
    return lost
