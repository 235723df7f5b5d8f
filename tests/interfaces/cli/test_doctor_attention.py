"""The doctor names everything that needs a person: from the data of this machine, or as a host tells it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from connector import Connector
from connector.core.timing import Clock
from connector.durable.settings import Settings
from connector.sandbox.banking.demo import ENDING_SOON
from connector.store.trust.vault import Vault
from tests.interfaces.cli.kontor_command import CommandResult, Kontor
from tests.interfaces.host.running_host import TOKEN, running
from tests.support.troubles import Troubles

URL = "https://service.example"


def told(ending: CommandResult) -> list[tuple[str, str]]:
    found = [one for one in ending.document["findings"] if one["topic"] == "attention"]
    return [(one["details"]["kind"], one["details"]["subject"]) for one in found if one["state"] == "problem"]


def make_troubles(folder: str) -> Troubles:
    connector = Connector(folder)
    try:
        vault, now = Vault(folder, env={}), Clock().utcnow()
        return connector.database.write(lambda c: Troubles(c, connector, vault, now, URL)).result()
    finally:
        connector.close()


def test_what_is_stored_on_this_machine_is_told(kontor_here: Kontor, environment: dict[str, str]) -> None:
    made = make_troubles(environment["KONTOR_DATA"]).made
    assert set(made) <= set(told(kontor_here("doctor", "--json")))
    shown = kontor_here("doctor", KONTOR_LANG="de").out
    assert "✗ braucht einen Menschen    Musterbank: Die Zustimmung endete am " in shown
    assert "→ In den Büchern oder bei der Bank nachsehen, dann sagen, was dort steht." in shown


def test_where_no_host_keeps_the_banks_the_doctor_looks_itself(kontor_here: Kontor) -> None:
    assert ("consent_ending", ENDING_SOON) in told(kontor_here("doctor", "--json"))


@pytest.mark.long
@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_host_that_the_environment_names_is_asked(
    kontor_here: Kontor, sandbox: Any, tmp_path: Path, lang: str
) -> None:
    made = make_troubles(str(tmp_path / "host")).made
    idle = Settings(tick=3600.0)
    with running(sandbox, tmp_path / "host", trial=False, own_credential=None, engine=idle) as host:
        where = {"KONTOR_HOST_URL": host.url, "KONTOR_HOST_TOKEN": TOKEN, "KONTOR_LANG": lang}
        ending = kontor_here("doctor", "--json", **where)
    stalled = ("work_stalled", "polls")  # whoever runs a host may work: it was taken meanwhile
    assert set(made) - {stalled} <= set(told(ending))
