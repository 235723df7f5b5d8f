"""Names of people: when two spellings mean the same person, and which names nobody may have. Pure.

The normal form of a name is what is compared; its skeleton is what two names share that a reader takes for the same.
"""

from __future__ import annotations

import unicodedata

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.writes.payees import plain_name

MAX_CHARACTERS = 200
SESSION = "person:"
"""Begins the name under which whoever has signed in acts; no token may be named so."""
_EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})
"""Scripts that one name may hold together."""
_UNSEEN = frozenset({0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, *range(0x180B, 0x1810)})
_UNSEEN_MARKS = frozenset({*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)})
"""Characters that show nothing, though they count as letters or marks."""
_LOOKALIKES = str.maketrans(
    {
        **dict(zip("авгеікмнопрстухѕһԁԛԝѵьӏѡјԍ", "abreikmhonpctyxshdqwvblwjg", strict=True)),
        **dict(zip("αβγεζηικμνορτυχω", "abyezhikmnoptyxw", strict=True)),
        **dict(zip("օսհոցզյ", "ouhngqj", strict=True)),
        **dict(zip("ɩɑɡʏɪʀɴʟʙɢʜħŧŋƒðþ", "iagyirnlbghhtnfdp", strict=True)),
        **{"ӕ": "ae", "æ": "ae", "œ": "oe", "0": "o", "1": "l", "i": "l"},
    }
)
_PAIRS = (("rn", "m"), ("vv", "w"))
MAX_SKELETON = 400


def tidy(text: str) -> str:
    """Return a name as it is shown: composed, with single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def normal_form(text: str) -> str:
    """Return a name as it is compared: without case and superfluous blanks, however it was typed."""
    return tidy(unicodedata.normalize("NFKC", text).casefold())


def skeleton(text: str) -> str:
    """Return what names share that look alike: accents, signs and letters of other scripts make no other name."""
    folded = plain_name(text).translate(_LOOKALIKES).replace("i", "l")
    for pair, single in _PAIRS:
        folded = folded.replace(pair, single)
    return folded[:MAX_SKELETON]


def checked(text: str, field: str = "person") -> str:
    """Return a name as it is kept; raise for one that shows nothing, or mixes scripts."""
    name = tidy(text)
    if not 1 <= len(name) <= MAX_CHARACTERS or not name.isprintable() or not skeleton(name):
        raise InputError(say("person_name_invalid", most=MAX_CHARACTERS), field=field)
    if any(ord(sign) in _UNSEEN or ord(sign) in _UNSEEN_MARKS for sign in text):
        raise InputError(say("person_name_invalid", most=MAX_CHARACTERS), field=field)
    if len(scripts(name)) > 1:
        raise InputError(say("person_name_mixed"), remedy=say("person_name_mixed_remedy"), field=field)
    return name


def scripts(name: str) -> set[str]:
    """Return the scripts of the letters in a name."""
    letters = (sign for sign in name if unicodedata.category(sign) in {"Lu", "Ll", "Lt", "Lo"})
    named = {unicodedata.name(sign, "UNKNOWN").split()[0].partition("-")[0] for sign in letters}
    return {"EAST ASIAN"} | (named - _EAST_ASIAN) if named & _EAST_ASIAN else named
