"""Ids and labels as Make wants them: ids of letters and digits, labels like "Create a payment" or "Watch payments"."""

from __future__ import annotations

import re

from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.export.service_request import is_free_call

QUELLE = "make"
"""The label of calls, and the name by which a host knows whose words to use."""
CONNECTION = "kontor"
"""The id of the app's only connection (Make's word for a stored credential)."""
DEPENDENCY = "of_"
"""Begins the names of an RPC's own parameters, so that no field of a form is taken for one by accident."""
SINGLE = re.compile(r"(Create or update|Create|Get|Update|Delete|Initiate|Start|Set) (?=[a-z])")


def module_id(manifest: Action | Trigger) -> str:
    """The id of a module: `createCashBookEntry`, `watchNewPayment`."""
    return _camel(manifest.id if isinstance(manifest, Action) else f"watch_{manifest.id}")


def webhook_id(trigger: Trigger) -> str:
    """The id of an instant trigger's webhook."""
    return _camel(f"hook_{trigger.id}")


def rpc_id(lookup: str) -> str:
    """The id of a lookup's RPC: `optionsCashBooks`."""
    return _camel(f"options_{lookup}")


def label(manifest: Manifest, lang: str) -> str:
    """A module's label in sentence case, in the words that Make's reviewers expect."""
    title = manifest.title.in_(lang)
    if isinstance(manifest, Lookup):
        return title
    if isinstance(manifest, Trigger):
        return _watch(manifest, title, lang)
    if is_free_call(manifest) and lang == "en":
        return "Make an API call"
    single = isinstance(manifest, Action) and not manifest.is_list
    return _with_article(title) if lang == "en" and single else title


def _with_article(title: str) -> str:
    found = SINGLE.match(title)
    if found is None or title.endswith("s"):
        return title
    noun = title[found.end() :]
    return f"{found[0]}{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def _watch(trigger: Trigger, title: str, lang: str) -> str:
    if lang == "de":
        return f"Beobachten: {title}"
    if title.startswith("New "):
        return f"Watch new {title.removeprefix('New ')}s"
    kind = "events" if trigger.source == "event" else "changes"
    return f"Watch {kind}: {title[:1].lower()}{title[1:]}"


def _camel(id: str) -> str:
    first, *rest = id.split("_")
    return first + "".join(word.capitalize() for word in rest)
