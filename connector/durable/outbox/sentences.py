"""What deliveries say to people, English and German side by side."""

from __future__ import annotations

from connector.core.messages import Text

TARGET_UNREADABLE = Text("The target is not an address.", "Das Ziel ist keine Adresse.")
TARGET_NOT_HTTPS = Text(
    "The target must begin with https://: what is delivered must not travel in the clear.",
    "Das Ziel muss mit https:// beginnen: Zugestelltes darf nicht unverschlüsselt reisen.",
)
TARGET_WITH_LOGIN = Text(
    "The target must not hold a user name or password.",
    "Das Ziel darf keinen Benutzernamen und kein Passwort enthalten.",
)
TARGET_PRIVATE = Text(
    "The target is a private or local address; only public ones are reached.",
    "Das Ziel ist eine private oder lokale Adresse; nur öffentliche werden erreicht.",
)
TARGET_REMEDY = Text(
    "Enter the public https address that your platform shows for incoming webhooks. "
    "Whoever runs this host may allow private addresses.",
    "Die öffentliche https-Adresse eintragen, die die Plattform für eingehende Webhooks zeigt. "
    "Wer diesen Host betreibt, kann private Adressen erlauben.",
)
