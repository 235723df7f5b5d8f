"""Credentials and wire names."""

from __future__ import annotations

SENTENCES: dict[str, tuple[str, str]] = {
    # Credential.
    "base_url_missing": ("The base URL of the service is missing.", "Die Basis-URL des Dienstes fehlt."),
    "base_url_missing_remedy": (
        "Set KONTOR_BASE_URL (for example https://service.example), or enter it in the credential.",
        "KONTOR_BASE_URL setzen (zum Beispiel https://service.example) oder in den Zugangsdaten eintragen.",
    ),
    "base_url_invalid": (
        "The base URL is not a plain http(s) address.",
        "Die Basis-URL ist keine einfache http(s)-Adresse.",
    ),
    "base_url_plain_http": (
        "The base URL uses http: the API key would travel unencrypted.",
        "Die Basis-URL benutzt http: der API-Schlüssel würde unverschlüsselt übertragen.",
    ),
    "base_url_plain_http_remedy": (
        "Use https. Plain http is accepted for this machine only (localhost).",
        "https verwenden. Einfaches http ist nur für diesen Rechner erlaubt (localhost).",
    ),
    "api_key_missing": ("The API key is missing.", "Der API-Schlüssel fehlt."),
    "api_key_missing_remedy": (
        "Set KONTOR_API_KEY, or enter the key from the dashboard ('API keys') in the credential.",
        "KONTOR_API_KEY setzen oder den Schlüssel aus dem Dashboard („API-Schlüssel“) in den Zugangsdaten eintragen.",
    ),
    "api_key_invalid": (
        "The API key holds a blank or a character that no key has.",
        "Der API-Schlüssel enthält ein Leerzeichen oder ein Zeichen, das kein Schlüssel hat.",
    ),
    # Wire names.
    "wire_unreadable": (
        "The wire file {path} cannot be read: {why}.",
        "Die Wire-Datei {path} ist nicht lesbar: {why}.",
    ),
    "wire_not_a_mapping": (
        "The wire file {path} must hold names and values, like manifests/wire.yaml.",
        "Die Wire-Datei {path} muss Namen und Werte enthalten, wie manifests/wire.yaml.",
    ),
    "wire_key_unknown": (
        "'{key}' in {source} is not a wire name.",
        "„{key}“ in {source} ist kein Wire-Name.",
    ),
    "wire_key_close": ("Did you mean '{close}'?", "War „{close}“ gemeint?"),
    "wire_key_list": ("The wire names are: {keys}.", "Die Wire-Namen sind: {keys}."),
    "wire_name_invalid": (
        "'{key}' in {source} must be a parameter name (letters, digits, _ . - [ ]) or null.",
        "„{key}“ in {source} muss ein Parametername sein (Buchstaben, Ziffern, _ . - [ ]) oder null.",
    ),
    "wire_body_invalid": (
        "'{key}' in {source} must map input names to body properties.",
        "„{key}“ in {source} muss Eingabenamen auf Body-Eigenschaften abbilden.",
    ),
    "wire_marker_invalid": (
        "'lookup.marker' in {source} must be {{in: query|header, name, value}} or {{in: none}}.",
        "„lookup.marker“ in {source} muss {{in: query|header, name, value}} oder {{in: none}} sein.",
    ),
    "wire_remedy": (
        "Correct the file that KONTOR_WIRE names; manifests/wire.yaml shows every key.",
        "Die in KONTOR_WIRE genannte Datei korrigieren; manifests/wire.yaml zeigt alle Schlüssel.",
    ),
    "wire_name_absent": (
        "This service has no parameter for '{field}': '{key}' is set to null in the wire names.",
        "Dieser Dienst hat keinen Parameter für „{field}“: „{key}“ steht in den Wire-Namen auf null.",
    ),
    "wire_hint": (
        "The service asks for a parameter '{name}'. Set '{key}' to '{name}' in the file that KONTOR_WIRE names "
        "(Kontor assumed '{assumed}').",
        "Der Dienst verlangt einen Parameter „{name}“. In der in KONTOR_WIRE genannten Datei „{key}“ auf „{name}“ setzen "
        "(Kontor nahm „{assumed}“ an).",
    ),
}
