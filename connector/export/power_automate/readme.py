"""The readme of the Power Automate connector."""

from __future__ import annotations

from collections.abc import Iterable

from connector.core.manifest.model import Trigger
from connector.core.messages import Text
from connector.export.power_automate.names import summary
from connector.export.shape import Dropped, ExportOptions
from connector.runtime.connector import Connector
from connector.version import __version__

HOW = {
    "service": """The connector talks to the service directly. Nothing else has to run.

`script.csx` sends dropdowns and triggers to the service's paths, writes the options of dropdowns and speaks the
platform's polling protocol. It was tried by a compiler and a runtime that are **not the platform's own**: try every
trigger and one dropdown on a test environment before you rely on it. Rows that are new fire in the order of their ids;
those behind one that still has to wait come after it.

A definition has no place for a retry policy, and the platform's own repeats after 408, 429 and 5xx. So the script turns
those answers to a write into 424, which is not repeated; the answer's `status` is the service's own. Set "Retry policy"
to "None" in the settings of a step that writes as well: a connection that breaks never reaches the script.
""",
    "host": """The connector talks to a Kontor host, which checks inputs before a credit is spent, shares polls between
flows and hands every event to each flow that wants it. Polling triggers speak the platform's protocol with the host;
event triggers subscribe there when a flow is switched on, and the platform ends the subscription with it.
""",
}


def readme(
    connector: Connector,
    options: ExportOptions,
    triggers: list[Trigger],
    dropped: list[Dropped],
    notes: Iterable[Text],
) -> str:
    """The readme, in English; what must be known first in German too."""
    left = {one.id for one in dropped if one.kind == "action"}
    actions = [f"- {summary(one, options.lang)}" for one in connector.actions.values() if one.id not in left]
    starts = [f"- {summary(trigger, options.lang)}" for trigger in triggers]
    lines = [
        f"# {connector.about['title']['en']} for Power Automate, {__version__}",
        "",
        *(line for note in notes for text in note for line in (f"> {text}", "")),
        connector.about["description"]["en"],
        "",
        HOW[options.via],
        "## Prerequisites",
        "",
        "An API key of the service, made in its dashboard"
        + (", and the token of your Kontor host." if options.via == "host" else "."),
        "",
        "## Load it",
        "",
        "Put your own host into `host` of `apiDefinition.swagger.json`, and your site and contact into `info` and",
        "`x-ms-connector-metadata`. Then create a custom connector from the files, with `paconn create` or in the",
        "portal's import of an OpenAPI file, and enter the key when you add a connection.",
        "",
        "## Actions",
        "",
        *actions,
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
