"""A guided tour of the command line: `python -m connector.sandbox.tour`; KONTOR_LANG=de gives it in German."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from connector.sandbox.ledger.demo import ledger_connection_id
from connector.sandbox.server import SandboxServer

LEDGER = ledger_connection_id("nordlicht")

ENTRY = (
    f"kontor run create_cash_book_entry --set ledger_connection={LEDGER} --set kassenname=Ladenkasse "
    "--set transaktionsdatum=2026-11-14T10:00 --set betrag={betrag} "
    "--set belegzeilen[0].belegtext='Verkauf Fahrradhelm' --set belegzeilen[0].gegenkonto=8400 "
    "--set belegzeilen[0].belegNummer=K-1041 --set belegzeilen[0].betrag=79.90 "
    "--set belegzeilen[1].belegtext='Verkauf Schloss' --set belegzeilen[1].gegenkonto=8400 "
    "--set belegzeilen[1].belegNummer=K-1042 --set belegzeilen[1].betrag=39.10"
)

STEPS = [
    ("What is this credential good for? Free calls only.",
     "Wozu berechtigen diese Zugangsdaten? Nur kostenlose Aufrufe.",
     "kontor doctor"),
    ("What can a step of a flow do, and what does it cost?",
     "Was kann ein Schritt eines Ablaufs, und was kostet es?",
     "kontor actions"),
    ("A dropdown: the cash books, marked as dropdown use, so free.",
     "Eine Auswahlliste: die Kassenbücher, als Auswahl gekennzeichnet und damit kostenlos.",
     f"kontor options cash_books --set ledger_connection={LEDGER}"),
    ("A cash book entry that is one cent off is caught before it costs a credit …",
     "Eine Kassenbuchung, die um einen Cent nicht aufgeht, fällt auf, bevor sie einen Credit kostet …",
     ENTRY.format(betrag="119.01")),
    ("… and with the right sum it is booked. The key makes a repeat safe:",
     "… und mit der richtigen Summe wird sie gebucht. Der Schlüssel macht eine Wiederholung unschädlich:",
     ENTRY.format(betrag="119.00") + " --key tour-1"),
    ("The same step again, as a platform would after a time-out: nothing is booked twice.",
     "Derselbe Schritt noch einmal, wie eine Plattform es nach einer Zeitüberschreitung täte: nichts doppelt.",
     ENTRY.format(betrag="119.00") + " --key tour-1 --json"),
    ("What do customers owe? Five credits, computed from all bookings.",
     "Was schulden die Kunden? Fünf Credits, aus allen Buchungen berechnet.",
     f"kontor run get_open_items --set ledger_connection={LEDGER} --set side=debitors"),
    ("What was spent?", "Was wurde verbraucht?", "kontor credits"),
]  # fmt: skip


def main() -> int:
    """Run all steps; on a terminal, wait for Enter between them."""
    is_interactive = sys.stdin.isatty() and sys.stdout.isatty()
    with SandboxServer(allow_loopback_webhooks=True) as server, tempfile.TemporaryDirectory() as data:
        env = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
            "KONTOR_BASE_URL": server.url,
            "KONTOR_API_KEY": "sandbox-key",
            "KONTOR_DATA": data,
        }
        _print(
            say(
                f"The sandbox, a simulated service with a small company in it, answers at {server.url}",
                f"Die Sandbox, ein simulierter Dienst mit einer kleinen Firma darin, antwortet unter {server.url}",
            )
        )
        for number, (english, german, command) in enumerate(STEPS, start=1):
            _print(f"\n{number}/{len(STEPS)}  {say(english, german)}")
            _print(f"$ {command}")
            status = subprocess.run(shlex.split(command), env=env, check=False).returncode  # noqa: S603
            expected = 2 if "119.01" in command else 0
            if status != expected:
                _print(
                    say(
                        f"That was not expected: exit status {status} instead of {expected}.",
                        f"Das war nicht zu erwarten: Ergebnis {status} statt {expected}.",
                    )
                )
                return 1
            if is_interactive and number < len(STEPS):
                input(say("\n[Enter] goes on, Ctrl-C ends ", "\n[Eingabe] geht weiter, Strg-C beendet "))
        _print(
            say(
                "\nThat was the tour. `kontor sandbox` keeps one running for you; README.md tells the rest.",
                "\nDas war der Rundgang. `kontor sandbox` lässt eine für Sie laufen; alles Weitere steht in README.md.",
            )
        )
    return 0


def say(english: str, german: str) -> str:
    """The sentence in the user's language."""
    return german if os.environ.get("KONTOR_LANG", "").lower().startswith("de") else english


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except (KeyboardInterrupt, EOFError):
        raise SystemExit(130) from None
