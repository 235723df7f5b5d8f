"""What the sidebar says about each node, and the words of its form, in each language that Node-RED loads."""

from __future__ import annotations

from typing import Any

from connector.core.messages import Text, say
from connector.export.node.contents import Contents
from connector.export.node.npm_package import document, listed
from connector.export.node_red import forms
from connector.export.shape import ExportOptions

LOCALES = {"en": "en-US", "de": "de"}
WORDS = {
    "account": "node_red_account",
    "action": "node_red_action",
    "again": "package_again",
    "againHelp": "package_again_help",
    "all": "package_start_all",
    "apiKey": "export_api_key",
    "apiKeyHelp": "export_api_key_help",
    "baseUrl": "export_base_url",
    "baseUrlHelp": "export_base_url_help",
    "events": "node_red_events",
    "every": "node_red_every",
    "firstOutput": "node_red_first_output",
    "hostToken": "export_host_token",
    "hostTokenHelp": "export_host_token_help",
    "hostUrl": "export_host_url",
    "hostUrlHelp": "export_host_url_help",
    "key": "node_red_key",
    "keyHelp": "node_red_key_help",
    "list": "node_red_list",
    "minutes": "node_red_minutes",
    "more": "node_red_more",
    "name": "node_red_name",
    "no": "no",
    "none": "n8n_none",
    "nothing": "node_red_nothing",
    "now": "package_start_now",
    "paletteAction": "node_red_palette_action",
    "paletteTrigger": "node_red_palette_trigger",
    "polls": "node_red_polls",
    "publicUrl": "node_red_public_url",
    "publicUrlHelp": "node_red_public_url_help",
    "replaceForeign": "export_replace_url",
    "replaceForeignHelp": "node_red_replace_help",
    "secondOutput": "node_red_second_output",
    "since": "package_start_since",
    "sinceId": "package_since",
    "start": "package_start",
    "store": "node_red_store",
    "storeHelp": "node_red_store_help",
    "test": "node_red_test",
    "trigger": "node_red_trigger",
    "unreachable": "node_red_unreachable",
    "usualStore": "node_red_usual_store",
    "value": "node_red_value",
    "yes": "yes",
}
"""The words of the editor page, by their names there."""


def locales(contents: Contents, options: ExportOptions, about: Text) -> dict[str, bytes]:
    """The catalogues of words and the help, by their paths below the folder of the nodes."""
    found: dict[str, bytes] = {}
    for lang, locale in LOCALES.items():
        found[f"locales/{locale}/kontor.json"] = document({"kontor": _catalogue(contents, options, lang)})
        found[f"locales/{locale}/kontor.html"] = _help(contents, options, about, lang).encode()
    return found


def _catalogue(contents: Contents, options: ExportOptions, lang: str) -> dict[str, Any]:
    own = {name: say(sentence).in_(lang) for name, sentence in WORDS.items()}
    own["needed"] = say("node_red_needed", fields="__fields__").in_(lang)  # which Node-RED fills in
    return {"words": own, **forms.words(contents, options, lang)}


def _help(contents: Contents, options: ExportOptions, about: Text, lang: str) -> str:
    second = say("node_red_help_second").in_(lang) if options.via == "host" else ""
    texts = {
        "kontor-account": say("node_red_help_account", about=about, credential=say(f"package_enter_{options.via}")),
        "kontor-action": say("node_red_help_action", second=second, actions=_listed(contents.actions)),
        "kontor-trigger": say(
            "node_red_help_trigger",
            events=say(f"node_red_help_events_{options.via}"),
            triggers=_listed(contents.triggers),
        ),
    }
    return "\n".join(
        f'<script type="text/markdown" data-help-name="{name}">\n{_escaped(text.in_(lang).strip())}\n</script>\n'
        for name, text in texts.items()
    )


def _listed(manifests: Any) -> Text:
    return Text(
        *(
            listed(f"**{one.title.in_(lang)}**: {' '.join(one.description.in_(lang).split())}" for one in manifests)
            for lang in LOCALES
        )
    )


def _escaped(text: str) -> str:
    """Text that ends no script."""
    return text.replace("</", "<\\/")
