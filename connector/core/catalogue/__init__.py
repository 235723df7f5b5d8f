"""The sentences themselves, by area: English and German side by side, by name. Blanks are in braces."""

from __future__ import annotations

from connector.core.catalogue import commands, credential, doctor, engine, errors, help, host, inputs, running

AREAS = (commands, credential, doctor, engine, errors, help, host, inputs, running)
CATALOGUE: dict[str, tuple[str, str]] = {name: sentence for area in AREAS for name, sentence in area.SENTENCES.items()}
