"""Passphrases are kept as scrypt hashes that are dear to guess, and weak ones are refused."""

from __future__ import annotations

import time

import pytest

from connector.core.errors import InputError
from connector.store.people import passphrases


def test_a_passphrase_is_kept_with_a_salt_of_its_own_and_however_it_is_typed() -> None:
    first, other = (passphrases.hashed("drei blaue Fahrr\u00e4der") for _ in range(2))
    assert first != other
    assert "Fahrr" not in first
    assert passphrases.matches("drei blaue Fahrra\u0308der", first)
    assert not passphrases.matches("drei blaue Fahrrader", first)
    assert not passphrases.matches("", passphrases.NOBODY)


def test_a_guess_costs_64_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    cheap_began = time.process_time()
    passphrases.hashed("drei blaue Fahrr\u00e4der")
    cheap = time.process_time() - cheap_began
    monkeypatch.setattr(passphrases, "LOG_COST", 16)
    dear_began = time.process_time()
    stored = passphrases.hashed("drei blaue Fahrr\u00e4der")
    assert time.process_time() - dear_began > 10 * cheap
    assert stored.startswith("scrypt$16$8$2$"), "128 * 8 * 2 ** 16 bytes"


@pytest.mark.parametrize("weak", ["short", "aaaaaaaaaaaaaaaa", "Jan Petersen 123", "x" * 201])
def test_a_weak_passphrase_is_refused_by_name(weak: str) -> None:
    with pytest.raises(InputError) as refused:
        passphrases.check(weak, "Jan Petersen")
    assert refused.value.field == "passphrase"
