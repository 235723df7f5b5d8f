"""The engine, its vault and its stores."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
    # The engine: its vault and its stores.
    "vault_wrong_key": (
        "A stored key cannot be opened: it was sealed with another data key.",
        "Ein gespeicherter Schlüssel lässt sich nicht öffnen: Er wurde mit einem anderen Datenschlüssel versiegelt.",
    ),
    "vault_wrong_key_remedy": (
        "Set KONTOR_DATA_KEY to the data key with which it was stored, or put back that kontor.key file; otherwise enter the API key anew.",
        "KONTOR_DATA_KEY auf den Datenschlüssel setzen, mit dem gespeichert wurde, oder jene Datei kontor.key zurücklegen; sonst den API-Schlüssel neu eingeben.",
    ),
    "vault_key_missing": (
        "A data key is needed to store API keys in this database, and there is none.",
        "Um API-Schlüssel in dieser Datenbank zu speichern, wird ein Datenschlüssel gebraucht; es gibt keinen.",
    ),
    "vault_key_invalid": (
        "The data key in {source} is not one: 32 bytes in URL-safe base64 are expected.",
        "Der Datenschlüssel in {source} ist keiner: Erwartet werden 32 Bytes in URL-sicherem Base64.",
    ),
    "vault_key_unreadable": (
        "The data key in {path} cannot be read: {why}.",
        "Der Datenschlüssel in {path} ist nicht lesbar: {why}.",
    ),
    "vault_key_remedy": (
        "Give all hosts of this database the same KONTOR_DATA_KEY, 32 random bytes in URL-safe base64: "
        "head -c 32 /dev/urandom | base64 | tr '+/' '-_'",
        "Allen Hosts dieser Datenbank denselben KONTOR_DATA_KEY geben, 32 zufällige Bytes in URL-sicherem Base64: "
        "head -c 32 /dev/urandom | base64 | tr '+/' '-_'",
    ),
    "credential_revoked": (
        "The credential {id} was revoked.",
        "Die Zugangsdaten {id} wurden widerrufen.",
    ),
    "credential_unknown": ("There is no credential {id}.", "Zugangsdaten {id} gibt es nicht."),
    "credential_known": (
        "This API key is already kept, as the credential {id}.",
        "Dieser API-Schlüssel ist schon hinterlegt, als Zugangsdaten {id}.",
    ),
    # The engine: polling.
    "cursor_of_other_trigger": (
        "The name '{name}' belongs to the trigger {trigger}.",
        "Der Name „{name}“ gehört zum Auslöser {trigger}.",
    ),
    "cursor_name_invalid": (
        "A name has 1 to {most} printable characters.",
        "Ein Name hat 1 bis {most} druckbare Zeichen.",
    ),
    "bank_silent": (
        "The bank connection has brought nothing new for {hours} hours.",
        "Der Bankzugang hat seit {hours} Stunden nichts Neues gebracht.",
    ),
    "bank_silent_remedy": (
        "Look at the bank connection in the dashboard: its consent may have ended, or its refresh may have stopped.",
        "Den Bankzugang im Dashboard ansehen: Die Zustimmung kann abgelaufen sein oder die Aktualisierung stehen.",
    ),
    "poll_under_way": (
        "The trigger is being polled under this name just now, here or by another process.",
        "Der Auslöser wird unter diesem Namen gerade abgefragt, hier oder von einem anderen Prozess.",
    ),
    "busy_remedy": (
        "Wait a moment and try again; nothing was asked and nothing was charged.",
        "Einen Moment warten und erneut versuchen; es wurde nichts abgefragt und nichts berechnet.",
    ),
}
