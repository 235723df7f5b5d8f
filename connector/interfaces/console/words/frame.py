"""The frame around every page, the gate before it, and what stands on many pages."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    # the frame
    "language_name": ("English", "Deutsch"),
    "skip": ("Skip to the content", "Zum Inhalt springen"),
    "navigation": ("Pages", "Seiten"),
    "place_overview": ("Overview", "Überblick"),
    "place_actions": ("Actions", "Aktionen"),
    "place_triggers": ("Triggers", "Auslöser"),
    "place_sandbox": ("Sandbox", "Sandbox"),
    "place_exports": ("Exports", "Exporte"),
    "place_doctor": ("Doctor", "Diagnose"),
    "sandbox_badge": ("demo world", "Demowelt"),
    "theme_auto": ("Theme: auto", "Thema: auto"),
    "theme_light": ("Theme: light", "Thema: hell"),
    "theme_dark": ("Theme: dark", "Thema: dunkel"),
    "theme_switch": ("Switch between automatic, light and dark", "Zwischen automatisch, hell und dunkel wechseln"),
    "leave": ("Leave", "Abmelden"),
    "not_there": ("Not there", "Nicht vorhanden"),
    # the gate
    "login_title": ("Kontor console", "Kontor-Konsole"),
    "login_help": (
        "Enter the host token. It was printed when the host was first started, or was set as KONTOR_HOST_TOKEN.",
        "Das Host-Token eingeben. Es wurde beim ersten Start des Hosts ausgegeben oder als KONTOR_HOST_TOKEN gesetzt.",
    ),
    "login_label": ("Host token", "Host-Token"),
    "login_button": ("Open the console", "Konsole öffnen"),
    "login_refused": (
        "That token or link is not valid, or the link was used before.",
        "Token oder Link ist nicht gültig, oder der Link wurde schon benutzt.",
    ),
    "login_welcome": ("To the console", "Zur Konsole"),
    # values
    "yes": ("yes", "ja"),
    "no": ("no", "nein"),
    "side_soll": ("debit", "Soll"),
    "side_haben": ("credit", "Haben"),
    "now": ("just now", "gerade eben"),
    # errors
    "outcome_unknown": (
        "Nobody knows yet whether the service acted. Do not repeat it blindly.",
        "Ob der Dienst gehandelt hat, weiß noch niemand. Nicht blind wiederholen.",
    ),
    "retry_at": ("Possible again from {at}.", "Wieder möglich ab {at}."),
    "reconnect": ("Reconnect", "Neu verbinden"),
    "no_credential": (
        "No credential yet: enter one on the overview.",
        "Noch keine Zugangsdaten: im Überblick eintragen.",
    ),
    "copy": ("Copy", "Kopieren"),
    "copied": ("Copied", "Kopiert"),
    "details": ("Details", "Einzelheiten"),
    "as_json": ("As JSON", "Als JSON"),
    "rows_left_out": ("{count} more rows are in the JSON.", "{count} weitere Zeilen stehen im JSON."),
}
