"""The chart of accounts and the business partners of the demo companies."""

from __future__ import annotations

import random

CHART = {
    "0320": "Pkw",
    "0420": "Büroeinrichtung",
    "0650": "Verbindlichkeiten gegenüber Kreditinstituten",
    "0800": "Gezeichnetes Kapital",
    "0860": "Gewinnvortrag vor Verwendung",
    "1000": "Kasse",
    "1200": "Bank",
    "1571": "Abziehbare Vorsteuer 7 %",
    "1576": "Abziehbare Vorsteuer 19 %",
    "1771": "Umsatzsteuer 7 %",
    "1776": "Umsatzsteuer 19 %",
    "3300": "Wareneingang 7 % Vorsteuer",
    "3400": "Wareneingang 19 % Vorsteuer",
    "4120": "Gehälter",
    "4210": "Miete",
    "4830": "Abschreibungen auf Sachanlagen",
    "4930": "Bürobedarf",
    "8300": "Erlöse 7 % USt",
    "8400": "Erlöse 19 % USt",
    "8736": "Gewährte Skonti 19 % USt",
    "9000": "Saldenvorträge Sachkonten",
    "9008": "Saldenvorträge Debitoren",
    "9009": "Saldenvorträge Kreditoren",
    "14100001": "Forderungen Dienstrad-Leasing Nord",
    "14100002": "Forderungen Dienstrad-Leasing Süd",
    "16100001": "Verbindlichkeiten Einkaufsverbund",
}
"""Eight-digit accounts are own receivables and payables: not in OPOS, but in the trial balance."""

OWN_RECEIVABLES = ("14100001", "14100002")
OWN_PAYABLE = "16100001"

# fmt: off
_SURNAMES = (
    "Ahlers", "Behrens", "Carstens", "Dierks", "Eggers", "Feddersen", "Gätjens", "Hansen", "Ibsen", "Jessen",
    "Kröger", "Lührs", "Matthiesen", "Nissen", "Ohlsen", "Petersen", "Quast", "Rickmers", "Sönksen", "Thomsen",
    "Ulrichs", "Voss", "Wulff", "Ziegler", "Brandt", "Claussen", "Dröge", "Friedrichs", "Harms", "Jürgens",
    "Köster", "Lorenzen", "Möller", "Paulsen", "Reimers", "Schütt",
)
# fmt: on
_BUYERS = ("Hausverwaltung {} GmbH", "Pflegedienst {} GmbH", "Kurierdienst {} e. K.", "{} & Söhne KG", "Praxis Dr. {}")
_SELLERS = ("{} Fahrradteile GmbH", "Reifen {} KG", "{} Werkzeuge GmbH & Co. KG", "Druckerei {} GmbH", "{} Logistik AG")


def partners(rng: random.Random, debtors: int, creditors: int) -> dict[str, str]:
    """Return names by person account: debtors from 100100000, creditors from 700100000."""
    buyers = rng.sample([form.format(name) for name in _SURNAMES for form in _BUYERS], debtors)
    sellers = rng.sample([form.format(name) for name in _SURNAMES for form in _SELLERS], creditors)
    return {str(100_100_000 + n): name for n, name in enumerate(buyers)} | {
        str(700_100_000 + n): name for n, name in enumerate(sellers)
    }
