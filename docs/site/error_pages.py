"""Writes the reference pages of the kinds of errors: what each means, what to do, and how every face tells it."""

from __future__ import annotations

from collections.abc import Iterator

import connector
from connector.core.errors import KontorError, Refused, ServiceDown
from connector.core.messages import Text, language, quote, say, sentences
from connector.core.problems import KINDS, title
from connector.interfaces.cli.output import pretty_json
from connector.interfaces.host import errors as host_errors
from connector.interfaces.host.responses import STATUS_BY_KIND, TYPE, http_status
from connector.operations.operation import HostError
from connector.runtime.requests.catalog import Catalog
from connector.store.database import errors as store_errors
from docs.site.markdown import block, code, facts, hidden_contents, plain, section, table, word
from docs.site.pages import kinds

SOURCES = (host_errors, store_errors)
"""Modules whose errors are known once they are imported."""
HOST_REMEDIES = {"method_not_allowed": "host_no_route_remedy", "too_large": "host_too_large_remedy"}
"""What a host says of kinds that it alone tells."""


def error_pages(catalog: Catalog) -> dict[str, str]:
    """Return the pages of all kinds of errors by their paths in the site."""
    header = [word(f"column_{name}") for name in ("title", "kind", "status", "exit", "class")]
    rows = [
        [
            f"[{plain(title(kind))}]({kind}.md)",
            code(kind),
            _statuses(kind),
            str(_class(kind).exit_status),
            _python(kind),
        ]
        for kind in KINDS
    ]
    text = f"# {word('errors_page_title')}\n\n{word('errors_about')}\n\n{table(header, rows)}\n"
    found = {"errors/index.md": text + hidden_contents(KINDS)}
    return found | {f"errors/{kind}.md": _page(kind, catalog) for kind in KINDS}


def _page(kind: str, catalog: Catalog) -> str:
    error = _class(kind)
    outcome = _outcome(error)
    rows = [
        [str(word("fact_status")), _statuses(kind)],
        [str(word("fact_class")), _python(kind)],
        [str(word("fact_exit")), str(error.exit_status)],
        [str(word("fact_outcome")), f"{code(outcome)}: {word(f'outcome_{outcome}')}"],
        [str(word("fact_retry")), str(word("retry_yes" if error.retryable else "retry_no"))],
    ]
    return "".join(
        [
            f"# {plain(title(kind))}\n\n`{kind}`\n\n",
            section("heading_meaning", str(word(f"meaning_{kind}"))),
            section("heading_remedy", plain(_remedy(kind))),
            section("heading_told", f"{facts(rows)}\n{block('json', pretty_json(_document(kind)))}"),
            section("heading_where", _occurrences(kind, catalog)),
        ]
    )


def _document(kind: str) -> dict[str, object]:
    """The error as a host tells it, without what only an actual one has."""
    error = _class(kind)
    return {
        "type": f"{TYPE}{kind}",
        "title": str(title(kind)),
        "status": _usual_status(error),
        "kind": kind,
        "remedy": _remedy(kind).as_dict(),
        "outcome": _outcome(error),
        "retryable": error.retryable,
    }


def _class(kind: str) -> type[KontorError]:
    """The class that tells of a kind: the one that callers import, else the host's or the store's own."""
    found = [one for one in _all_classes() if one.kind == kind]
    return next((one for one in found if one.__name__ in connector.__all__), found[0])


def _all_classes(error: type[KontorError] = KontorError) -> Iterator[type[KontorError]]:
    yield error
    for one in error.__subclasses__():
        if one.__module__.startswith("connector."):
            yield from _all_classes(one)


def _outcome(error: type[KontorError]) -> str:
    """What is usually known of the outcome; whoever tells of a mistake inside Kontor says `unknown`."""
    return "unknown" if error is KontorError else error.default_outcome


def _python(kind: str) -> str:
    error = _class(kind)
    if issubclass(error, HostError):
        return str(word("fact_by_host"))
    return code(f"{'connector' if error.__name__ in connector.__all__ else error.__module__}.{error.__name__}")


def _statuses(kind: str) -> str:
    """Every status with which a host may tell of a kind."""
    error, said = _class(kind), quote(kind)
    found = {_usual_status(one) for one in _all_classes() if one.kind == kind and one is not HostError}
    if error is ServiceDown:
        found.add(http_status(ServiceDown(said, outcome="not_sent")))
    if error is Refused:
        found.add(http_status(Refused(said, details={"status": 409})))
    return ", ".join(map(str, sorted(found)))


def _usual_status(error: type[KontorError]) -> int:
    own = getattr(error, "http_status", None)
    return own if isinstance(own, int) else STATUS_BY_KIND.get(error.kind, 500)


def _remedy(kind: str) -> Text:
    name = HOST_REMEDIES.get(kind, f"{kind}_remedy")
    return Text(*say(name)) if name in sentences() else word(f"remedy_{kind}")


def _occurrences(kind: str, catalog: Catalog) -> str:
    rows = [
        [f"[{plain(one.title)}](../{folder}/{one.id}.md)", plain(error["when"][language()])]
        for folder, manifests in kinds(catalog).items()
        for one in manifests.values()
        for error in one.raw.get("errors", ())
        if error["kind"] == kind
    ]
    return table([word("column_page"), word("column_when")], rows) if rows else ""
