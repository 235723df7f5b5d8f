"""The README of the Make app: what it holds, how to load it, and what one should know before relying on it."""

from __future__ import annotations

from collections.abc import Iterable

from connector.core.manifest.model import Action
from connector.core.messages import Text
from connector.export.make.names import label
from connector.export.shape import Dropped, ExportOptions
from connector.runtime.connector import Connector
from connector.version import __version__

HOW = {
    "service": """The app talks to the service directly. Nothing else has to run.

- The service has one webhook URL. The instant triggers look before they set it and never replace somebody else's; two
  scenarios with an instant trigger on one organisation need a Kontor host and the package made with `--via host`.
- A write whose answer is lost ends in an error that Make does not repeat. Look in the books or the bank first.
- Lists return one page of the service.
""",
    "host": """The app talks to a Kontor host, which checks inputs before a credit is spent, shares polls between
scenarios and hands every event to each scenario that wants it.

- Each trigger makes one subscription at the host when the scenario is switched on, and ends it when it is deleted.
- Steps that write take a key. Map the execution's id and the step's number: a repeated run then never books twice.
""",
}


def readme(
    connector: Connector,
    options: ExportOptions,
    actions: Iterable[Action],
    triggers: Iterable[str],
    dropped: list[Dropped],
    notes: Iterable[Text],
) -> str:
    """The README, in English; what must be known first in German too."""
    modules = [f"- {label(action, options.lang)}" for action in actions]
    starts = [f"- {label(connector.trigger(id), options.lang)}" for id in sorted(triggers)]
    lines = [
        f"# {connector.about['title']['en']} for Make, {__version__}",
        "",
        *(line for note in notes for text in note for line in (f"> {text}", "")),
        connector.about["description"]["en"],
        "",
        HOW[options.via],
        "## Load it",
        "",
        "Open this folder in Visual Studio Code with Make's apps extension, add an origin with your own app to",
        "`makecomapp.json`, and deploy all components. Upload `assets/icon.png` as the app's logo. Add a connection",
        "with your API key; it is tested with a free call.",
        "",
        "## Modules",
        "",
        *modules,
        "",
        "## Triggers",
        "",
        *starts,
        "",
        "## What is left out",
        "",
        *([f"- {one.kind} `{one.id}`: {one.reason.en}" for one in dropped] or ["Nothing."]),
        "",
    ]
    return "\n".join(lines)
