"""The doctor."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
    "doctor_key": (
        "{host} accepts the key; it sees {accounts} bank accounts.",
        "{host} akzeptiert den Schlüssel; er sieht {accounts} Bankkonten.",
    ),
    "doctor_ledger_connections": (
        "{count} ledger connections of the module {module}, {pending} of them not connected.",
        "{count} Verbindungen zur Buchhaltung im Modul {module}, davon {pending} nicht verbunden.",
    ),
    "doctor_pending_remedy": (
        "Finish connecting in the dashboard; until then no step can use them.",
        "Das Verbinden im Dashboard abschließen; bis dahin kann kein Schritt sie benutzen.",
    ),
    "doctor_rights_ok": (
        "{name}: all {count} areas are open.",
        "{name}: alle {count} Bereiche sind offen.",
    ),
    "doctor_rights_permission": ("{name}: the right is missing for {areas}.", "{name}: Das Recht fehlt für {areas}."),
    "doctor_rights_permission_remedy": (
        "The advisor or the client's owner must enable the right, or book the service it belongs to, at the accounting "
        "provider. Connecting again does not help.",
        "Kanzlei oder Mandanteninhaber müssen das Recht beim Buchhaltungsanbieter freigeben oder den zugehörigen Dienst "
        "buchen. Neu verbinden hilft nicht.",
    ),
    "doctor_rights_expired": (
        "{name}: the ledger connection has expired or was revoked ({areas}).",
        "{name}: Die Verbindung ist abgelaufen oder wurde widerrufen ({areas}).",
    ),
    "doctor_rights_expired_remedy": (
        "Connect it again in the dashboard.",
        "Im Dashboard neu verbinden.",
    ),
    "doctor_rights_error": (
        "{name}: the accounting provider failed for {areas}.",
        "{name}: Der Buchhaltungsanbieter ist gescheitert bei {areas}.",
    ),
    "doctor_rights_error_remedy": (
        "Wait and examine again: this is a fault at the provider, not a missing right.",
        "Warten und erneut prüfen: Das ist eine Störung beim Anbieter, kein fehlendes Recht.",
    ),
    "doctor_rights_unknown": ("{name}: {areas} could not be checked.", "{name}: {areas} ließen sich nicht prüfen."),
    "doctor_rights_unknown_remedy": (
        "Clear up the other findings of this ledger connection first, then examine again.",
        "Zuerst die anderen Befunde dieser Verbindung klären, dann erneut prüfen.",
    ),
    "doctor_rights_failed": ("{name}: {why}", "{name}: {why}"),
    "doctor_rights_cost": (
        "Not examined: the permission probe would cost {cost} credits (--rights does it all the same).",
        "Nicht geprüft: Die Rechteprüfung würde {cost} Credits kosten (--rights prüft trotzdem).",
    ),
    "doctor_webhook_url_ours": (
        "Events go to {url}, set from here.",
        "Ereignisse gehen an {url}, von hier aus gesetzt.",
    ),
    "doctor_webhook_url_foreign": (
        "Events go to {url}, which was not set from here: another tool or person did.",
        "Ereignisse gehen an {url}; das wurde nicht von hier aus gesetzt, sondern von anderer Stelle.",
    ),
    "doctor_no_webhook_url": (
        "None is set: no events are sent.",
        "Keine gesetzt: Es werden keine Ereignisse gesendet.",
    ),
    "doctor_balance": (
        "{balance} credits, as the service told {minutes} minutes ago.",
        "{balance} Credits, Stand vor {minutes} Minuten.",
    ),
    "doctor_balance_untold": (
        "The service tells the balance with the first ledger call that costs; none was made.",
        "Der Dienst nennt das Guthaben mit dem ersten kostenpflichtigen Buchhaltungsaufruf; es gab noch keinen.",
    ),
    "doctor_rate_window": (
        "{remaining} of {limit} requests left; the window ends in {minutes} minutes.",
        "{remaining} von {limit} Anfragen übrig; das Fenster endet in {minutes} Minuten.",
    ),
    "topic_credential": ("credential", "Zugangsdaten"),
    "topic_ledger_connections": ("ledger connections", "Buchhaltung"),
    "topic_rights": ("rights", "Rechte"),
    "topic_webhook_url": ("webhook URL", "Webhook-URL"),
    "topic_credits": ("credits", "Guthaben"),
    "topic_rate_window": ("rate window", "Anfragefenster"),
    "topic_wire_names": ("wire names", "Wire-Namen"),
    "doctor_wire": (
        "{assumed} names are assumed, {given} are given by KONTOR_WIRE (--wire lists them).",
        "{assumed} Namen sind angenommen, {given} durch KONTOR_WIRE vorgegeben (--wire zeigt sie).",
    ),
}
