"""How values and tables look to people."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.client import Client
from connector.core.timing import Clock
from connector.interfaces.cli import main
from connector.interfaces.cli.output import table
from connector.interfaces.result_text import ResultText
from tests.interfaces.cli.kontor_command import Kontor
from tests.support.running_sandbox import RunningSandbox

CONNECTOR = Connector("unused")
EUR = {"currency_code": "EUR"}
PAYMENTS, ACCOUNTS, ROWS = "list_payments", "list_bank_accounts", "list_transactions"
BALANCES, INVOICE = "get_trial_balance", "create_collective_invoice"


@pytest.mark.parametrize(
    ("action", "value", "name", "row", "en", "de"),
    [
        (PAYMENTS, Decimal("1234.5"), "amount", EUR, "1,234.50", "1.234,50"),
        (PAYMENTS, Decimal("-0.005"), "amount", EUR, "-0.005", "-0,005"),
        (ACCOUNTS, 1500, "balance", EUR, "1,500.00", "1.500,00"),
        (PAYMENTS, 1500, "amount", {"currency_code": "JPY"}, "1500", "1500"),
        (PAYMENTS, 1500, "amount", {"currency_code": "no such"}, "1,500.00", "1.500,00"),
        (INVOICE, 1500, "ticket_count", {}, "1500", "1500"),
        (BALANCES, {"betrag": Decimal("8.1"), "sollHabenKennzeichen": "HABEN"}, "saldo", {}, "8.10 Cr", "8,10 H"),
        (BALANCES, {"betrag": 8, "sollHabenKennzeichen": "SOLL"}, "saldo", {}, "8.00 Dr", "8,00 S"),
        (PAYMENTS, "DE02120300000000202051", "creditor_iban", {}, *("DE02 1203 0000 0000 2020 51",) * 2),
        (ACCOUNTS, "DE02120300000000202051", "extra.iban", {}, *("DE02 1203 0000 0000 2020 51",) * 2),
        (PAYMENTS, True, "", {}, "yes", "ja"),
        (PAYMENTS, None, "", {}, "–", "–"),
        (PAYMENTS, "2026-05-04T08:31:12+00:00", "", {}, "2026-05-04 10:31", "04.05.2026 10:31"),
        (ROWS, "2026-05-04", "made_on", {}, "2026-05-04", "04.05.2026"),
        (PAYMENTS, "222483902742913301", "id", {}, "222483902742913301", "222483902742913301"),
    ],
)
def test_a_value_reads_as_people_write_it(
    action: str, value: Any, name: str, row: dict[str, Any], en: str, de: str
) -> None:
    for lang, expected in (("en", en), ("de", de)):
        text = ResultText(lang, CONNECTOR.library, CONNECTOR.action(action))
        assert text.value(value, name, row) == expected


def test_a_table_fits_its_terminal_by_shortening_its_longest_texts() -> None:
    lines = table([["8101", "x" * 100, "1.00"], ["8102", "y", "12.00"]], right={2}, within=50)
    assert max(map(len, lines)) == 50
    assert lines[0].endswith("…   1.00")
    assert lines[1].endswith(" 12.00")


@pytest.mark.conforms("collective_invoice.pdf_is_internal")
@pytest.mark.parametrize(("lang", "label"), [("en", "(internal address)"), ("de", "(interne Adresse)")])
def test_the_pdf_of_a_collective_invoice_is_said_to_be_internal(
    kontor_here: Kontor, sandbox: RunningSandbox, lang: str, label: str
) -> None:
    customer = sandbox.api.get("/v2/mobility/customers").json()[0]["id"]
    shown = kontor_here("run", "create_collective_invoice", "--set", f"customer_id={customer}", KONTOR_LANG=lang).out
    assert label in next(line for line in shown.splitlines() if "https://" in line)


def test_words_of_the_service_do_not_steer_the_terminal() -> None:
    (line,) = table([["\x1b[2Jgone", "two\nlines"]])
    assert line.isprintable()


def test_a_service_that_cannot_be_reached_ends_with_5(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], unused_port: int, tmp_path: Any
) -> None:
    monkeypatch.setenv("KONTOR_BASE_URL", f"http://127.0.0.1:{unused_port}")
    monkeypatch.setenv("KONTOR_API_KEY", "sandbox-key")
    monkeypatch.setenv("KONTOR_DATA", str(tmp_path))
    # A minute of patience passes in a moment.
    monkeypatch.setattr(
        "connector.runtime.session.Client",
        lambda credential, clock, state, transport: Client(credential, clock=Clock(500), state=state),
    )
    assert main(["run", "list_payments", "--json"]) == 5
    assert '"kind":"service_down"' in capsys.readouterr().out


def test_a_mistake_of_our_own_is_told_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("connector.interfaces.cli.commands.describe.load", lambda: 1 / 0)
    assert main(["describe", "list_payments", "--json"]) == 5
    document = capsys.readouterr().out
    assert '"kind":"error"' in document
    assert "ZeroDivisionError" in document
