"""The sandbox, the exports and the doctor."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    # the sandbox
    "no_sandbox": ("This host works with the real service.", "Dieser Host arbeitet mit dem echten Dienst."),
    "sandbox_intro": (
        "A small company with its banks and books, simulated on this machine. Let something happen and watch it come.",
        "Eine kleine Firma mit Banken und Büchern, auf diesem Rechner simuliert. Etwas geschehen lassen und zusehen, "
        "wie es ankommt.",
    ),
    "sandbox_payments": ("Payments under way", "Laufende Zahlungen"),
    "sandbox_no_payments": ("None. Initiate one under Actions.", "Keine. Unter Aktionen eine auslösen."),
    "sandbox_banks": ("Banks", "Banken"),
    "sandbox_break": ("Break something", "Etwas kaputt machen"),
    "sandbox_break_help": (
        "What goes wrong in the field, on demand. Kontor should say what happened and what to do.",
        "Was im Betrieb schiefgeht, auf Knopfdruck. Kontor soll sagen, was geschah und was zu tun ist.",
    ),
    "sandbox_mend": ("Mend", "Wiederherstellen"),
    "faults_none": ("Nothing is broken.", "Nichts ist kaputt."),
    "consent_until": ("consent until {at}", "Zustimmung bis {at}"),
    "lever_arrive": ("Let 3 transactions arrive", "3 Umsätze eintreffen lassen"),
    "lever_expire": ("Expire the consent", "Zustimmung ablaufen lassen"),
    "lever_bank_error": ("Bank error", "Bankfehler"),
    "lever_renew": ("Renew the consent", "Zustimmung erneuern"),
    "lever_step": ("Next status", "Nächster Status"),
    "lever_settle": ("Settle", "Gutschreiben"),
    "lever_fail": ("Fail", "Scheitern lassen"),
    "lever_down": ("Service does not answer", "Dienst antwortet nicht"),
    "lever_500": ("Errors 500", "Fehler 500"),
    "lever_lost_answer": ("Lose the next write's answer", "Antwort der nächsten Buchung verlieren"),
    "lever_malformed": ("Broken answers", "Kaputte Antworten"),
    "lever_slow": ("Slow answers", "Langsame Antworten"),
    "lever_rate": ("Rate limit", "Anfragegrenze"),
    "lever_lose_events": ("Lose 3 events", "3 Ereignisse verlieren"),
    "lever_forged": ("Send a forged event", "Gefälschtes Ereignis senden"),
    "lever_poor": ("Only 4 credits left", "Nur noch 4 Credits"),
    "lever_mend": ("Mend everything", "Alles wiederherstellen"),
    "lever_rich": ("Top credits up to 500", "Guthaben auf 500 auffüllen"),
    "lever_reset": ("Begin the world anew", "Welt neu beginnen"),
    "lever_done": ("Done: {what}.", "Erledigt: {what}."),
    # exports
    "exports_intro": (
        "Packages for platforms, made from the same manifests. Each says what it holds and what it had to leave out.",
        "Pakete für Plattformen, aus denselben Manifesten. Jedes sagt, was es enthält und was es weglassen musste.",
    ),
    "exports_none": ("There are no exports in this installation.", "In dieser Installation gibt es keine Exporte."),
    "via_service": ("talks to the service", "spricht mit dem Dienst"),
    "via_host": ("talks to this host", "spricht mit diesem Host"),
    "download": ("Download", "Herunterladen"),
    "report": ("Report", "Bericht"),
    "dropped": ("Left out: {count}", "Weggelassen: {count}"),
    "lint": ("lint: {count}", "Prüfung: {count}"),
    # the doctor
    "doctor_intro": (
        "Looks at the credential from all sides. Nothing is changed, and without rights nothing costs a credit.",
        "Sieht sich die Zugangsdaten von allen Seiten an. Nichts wird geändert, und ohne Rechte kostet nichts.",
    ),
    "doctor_again": ("Examine again", "Erneut untersuchen"),
    "doctor_rights": ("Probe the rights too", "Auch die Rechte prüfen"),
    "doctor_findings": ("Findings", "Befunde"),
    "finding_ok": ("fine", "in Ordnung"),
    "finding_note": ("note", "Hinweis"),
    "finding_problem": ("problem", "Problem"),
}
