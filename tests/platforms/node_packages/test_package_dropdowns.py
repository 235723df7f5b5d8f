"""Dropdowns on Node-RED and on Activepieces: what the runtime offers, for nothing, and a cause where there is none."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector
from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Trigger
from connector.runtime.session import Session
from tests.platforms.node_packages.conftest import KEY, Engines
from tests.platforms.node_packages.engines.stand import Refusal, Stand
from tests.support.filled_in import NORDLICHT
from tests.support.parts import part
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
Use = tuple[Action | Trigger, Field]


def uses() -> dict[str, Use]:
    """One field for each way in which a lookup is used."""
    found: dict[str, Use] = {}
    forms: list[Action | Trigger] = [*CONNECTOR.actions.values()]
    forms += [one for one in CONNECTOR.triggers.values() if not one.own and one.request is not None]
    for manifest in forms:
        for field in manifest.inputs:
            if field.lookup is not None and not field.internal:
                found.setdefault(f"{field.lookup.id} {sorted(field.lookup.with_.items())}", (manifest, field))
    return found


USES = uses()


def chosen(manifest: Action | Trigger, field: Field, session: Session) -> tuple[dict[str, Any], dict[str, Any]]:
    """What stands in the form already, and what that makes of the lookup's inputs."""
    assert field.lookup is not None
    others = {"ledger_connection": NORDLICHT, "geschaeftsjahrStartDatum": f"{session.clock.utcnow():%Y}-01-01"}
    entered: dict[str, Any] = {}
    inputs: dict[str, Any] = {}
    for name, source in field.lookup.with_.items():
        if not (isinstance(source, str) and source.startswith("$")):
            inputs[name] = source
        elif source[1:] in others:
            inputs[name] = entered[source[1:]] = others[source[1:]]
        else:
            entered[source[1:]] = ""
    return entered, inputs


@pytest.mark.parametrize("use", part(sorted(USES)))
def test_a_dropdown_offers_what_the_runtime_offers_and_costs_nothing(
    use: str, direct: Stand, session: Session, sandbox: RunningSandbox
) -> None:
    manifest, field = USES[use]
    assert field.lookup is not None
    entered, inputs = chosen(manifest, field, session)
    expected = session.options(field.lookup.id, inputs).options
    balance = sandbox.balance()
    offered = direct.options(manifest, field, entered)
    assert [value for value, _ in offered] == [one.value for one in expected]
    assert all(label.startswith(one.label) for (_, label), one in zip(offered, expected, strict=True))
    assert sandbox.balance() == balance


def test_a_dropdown_comes_from_the_host(hosted: Stand, session: Session) -> None:
    for use in ("bank_accounts [('payments_only', True)]", next(one for one in USES if one.startswith("cash_books"))):
        manifest, field = USES[use]
        assert field.lookup is not None
        entered, inputs = chosen(manifest, field, session)
        expected = session.options(field.lookup.id, inputs).options
        assert [value for value, _ in hosted.options(manifest, field, entered)] == [one.value for one in expected]


def test_a_dropdown_that_depends_on_another_says_what_to_choose_first(stand: Stand) -> None:
    manifest, field = USES[next(one for one in USES if one.startswith("cash_books"))]
    with pytest.raises(Refusal, match=r"^Choose this first: Ledger connection\."):
        stand.options(manifest, field, {"ledger_connection": "", "client": ""})


def test_a_dropdown_that_cannot_be_shown_says_why_in_its_place(
    kind: str, engines: Engines, sandbox: RunningSandbox, unused_port: int
) -> None:
    manifest, field = USES["bank_accounts [('payments_only', True)]"]
    wrong = engines(kind, "service").stand({"baseUrl": sandbox.url, "apiKey": "wrong"})
    with pytest.raises(Refusal, match="API key"):
        wrong.options(manifest, field, {})
    nobody = engines(kind, "service").stand({"baseUrl": f"http://127.0.0.1:{unused_port}", "apiKey": KEY})
    with pytest.raises(Refusal, match="cannot be reached"):
        nobody.options(manifest, field, {})
