"""What the rows of figures lead to: bank accounts by name, payments, and the runs that made them. Nothing is sent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Lookup
from connector.interfaces.console.figures.last_answers import LastAnswers
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.runs.run_details import is_payment
from connector.interfaces.result_rows import Row, declared_rows
from connector.interfaces.result_text import ResultText
from connector.runtime.connector import Connector
from connector.store.runs import search
from connector.store.runs.search import Wanted

if TYPE_CHECKING:
    from sqlalchemy import Connection

MAX_RUNS = 1000
"""How many of the latest runs are looked through for those that made payments: what they hold is encrypted."""


def account_input(connector: Connector) -> tuple[Field, Lookup]:
    """Return the input by which transactions of one account are listed, and the lookup that names the accounts."""
    accounts, transactions = connector.action_for("account_list"), connector.action_for("transaction_list")
    offered = ((field, connector.lookup(field.lookup.id)) for field in transactions.inputs if field.lookup is not None)
    return next((field, lookup) for field, lookup in offered if _path(lookup) == _path(accounts))


def _path(manifest: Action | Lookup) -> str | None:
    return manifest.request.path if manifest.request is not None else None


def ids_of_accounts(connector: Connector, rows: Iterable[Row]) -> list[str]:
    """Return the id of each bank account; empty where it has none."""
    lookup = account_input(connector)[1]
    return [entry.value if (entry := lookup.options.entry(row)) is not None else "" for row in rows]


async def account_names(page: Page) -> dict[str, str]:
    """Return what the bank accounts are called that were read before, by id."""
    connector = page.console.connector
    action, lookup = connector.action_for("account_list"), account_input(connector)[1]
    names: dict[str, str] = {}
    for answer in reversed(await LastAnswers(page, action).kept()):
        found = (lookup.options.entry(row, lang=page.localize.lang) for row in declared_rows(action, answer.output))
        names |= {one.value: one.label for one in found if one is not None}
    return names


async def keep_account_names(page: Page) -> None:
    """Read the bank accounts, which is free, where none was read before: ids of accounts are no names."""
    action = page.console.connector.action_for("account_list")
    if not action.cost.credits and not await account_names(page):
        await LastAnswers(page, action).read({})


async def runs_of_payments(page: Page, ids: Collection[str], since: Any = None) -> dict[str, str]:
    """Return the runs that made these payments, by the payment's id; those before the day `since` are not looked at."""
    console = page.console
    paying = [one for one in console.connector.actions.values() if is_payment(console, one)]
    if not ids:
        return {}
    workspace, wanted = await console.workspace(), frozenset(ids)
    begin = datetime.combine(since, time(), UTC) if since is not None else None

    def read(connection: Connection) -> dict[str, str]:
        found: dict[str, str] = {}
        for action in paying:
            asked = Wanted(action=action.id, kind="write", since=begin)
            for run in search.newest(connection, workspace, asked, MAX_RUNS):
                made = run.outcome.get("output") if isinstance(run.outcome, dict) else None
                id = str(made.get("id")) if isinstance(made, Mapping) and run.state == "done" else ""
                if id in wanted:
                    found[id] = run.id
        return found

    return await console.read(read)


def fields_that_refer(text: ResultText, resource: str) -> list[str]:
    """Return the fields of a row that hold the id of a resource."""
    return [field.name for field in text.fields if field.refers_to == resource]
