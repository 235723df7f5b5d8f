"""Writes the files of a new action or trigger: valid from the first moment, and full of sentences to replace.

Until it is changed, the new one reads a free list of the service, so that it can be tried at once.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Literal

from connector.core.errors import InputError
from connector.core.manifest.files import FOLDER
from connector.core.messages import say

Kind = Literal["action", "trigger"]
AREAS = ("ledger", "banking", "mobility", "any")
ID = re.compile(r"[a-z][a-z0-9_]{2,47}")
ROOT = Path(FOLDER).parent

ACTION_MANIFEST = Template("""\
kind: action
id: $id
area: $area
title: {en: "Replace me: a title of two or three words", de: "Ersetze mich: ein Titel aus zwei, drei Wörtern"}
description:
  en: "Replace me: what it does, when to pick it, and what running it twice does."
  de: "Ersetze mich: was es tut, wann man es wählt und was eine Wiederholung bewirkt."
effect: read  # read | create | update
repeat: harmless  # harmless | same_result | duplicates
cost: {credits: 0}
duration: {typical: 1, timeout: 30}
request: {method: GET, path: /v2/banking/accounts}

inputs:
  - name: replace_me
    type: string
    format: text
    label: {en: "Replace me: a label", de: "Ersetze mich: eine Beschriftung"}
    help:
      en: "Replace me: what to enter, with an example."
      de: "Ersetze mich: was einzutragen ist, mit Beispiel."
    presence: optional
    example: sample
    in: none  # path | query | body | none

output: {resource: FreeForm, list: true, view: table, columns: [id, name]}

sample:
  items:
    - {id: "8101", name: Geschäftskonto}

messages:
  replace_me_wrong:
    en: "Replace me: '{given}' is refused, and why."
    de: "Ersetze mich: „{given}“ wird abgelehnt, und warum."

errors:
  - kind: key_refused
    when:
      en: The API key is wrong or was deleted in the dashboard.
      de: Der API-Schlüssel ist falsch oder wurde im Dashboard gelöscht.
""")

ACTION_HANDLER = Template('''\
"""Replace me: says in one sentence what this action needs beyond its manifest. Delete the file if that is nothing."""

from __future__ import annotations

from typing import Any

from connector.core.problem import Problem
from connector.core.answers import items_in


def check(inputs: dict[str, Any]) -> None:
    """Replace me: refuse what cannot be right, before a credit is spent."""
    if inputs.get("replace_me") == "wrong":
        raise Problem("replace_me_wrong", field="replace_me", given=inputs["replace_me"])


def shape(reply: Any) -> dict[str, Any]:
    """Replace me: turn the service's answer into the output."""
    return {"items": items_in(reply)}
''')

ACTION_TEST = Template('''\
"""Replace me: what $id promises."""

from __future__ import annotations

import pytest

from actions.$area import $id
from connector.core.problem import Problem


def test_replace_me_what_cannot_be_right_is_refused() -> None:
    with pytest.raises(Problem) as refused:
        $id.check({"replace_me": "wrong"})
    assert refused.value.field == "replace_me"


def test_replace_me_the_answer_becomes_the_output() -> None:
    assert $id.shape({"data": [{"id": "8101"}]}) == {"items": [{"id": "8101"}]}
''')

TRIGGER_MANIFEST = Template("""\
kind: trigger
id: $id
area: $area
title: {en: "Replace me: a title of two or three words", de: "Ersetze mich: ein Titel aus zwei, drei Wörtern"}
description:
  en: "Replace me: what starts the flow, how soon after it happened, and what looking costs. This look is free."
  de: "Ersetze mich: was den Ablauf startet, wie bald danach und was Nachsehen kostet. Dieses hier ist kostenlos."
source: poll
cost: {credits: 0}
interval: {usual: 300, least: 60}
request: {method: GET, path: /v2/banking/payments, query: {sort: id}}

inputs: []

output: {resource: FreeForm, list: true, view: table, columns: [id, status]}

sample:
  - {_id: "5012", id: "5012", status: settled}
""")

TRIGGER_HANDLER = Template('''\
"""Replace me: says in one sentence which items start the flow. The cursor is the highest id seen."""

from __future__ import annotations

from datetime import datetime
from typing import Any


def turn(
    items: list[dict[str, Any]], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
) -> tuple[list[dict[str, Any]], str]:
    """The items that are new since `cursor`, oldest first, and the next cursor."""
    numbered = [(int(item["id"]), item) for item in items if str(item.get("id", "")).isdecimal()]
    numbered.sort(key=lambda pair: pair[0])
    highest = max((number for number, _ in numbered), default=0)
    after = int(cursor if cursor is not None else start.removeprefix("since:") if start.startswith("since:") else 0)
    fired = [] if cursor is None and start == "now" else [pair for pair in numbered if pair[0] > after]
    return [{**item, "_id": str(number)} for number, item in fired], str(max(after, highest))
''')

TRIGGER_TEST = Template('''\
"""Replace me: what $id promises."""

from __future__ import annotations

from datetime import UTC, datetime

from triggers.$area import $id

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def test_replace_me_the_first_poll_fires_nothing_and_remembers_where_it_stands() -> None:
    assert $id.turn([{"id": "9"}, {"id": "10"}], None, {}, NOW, "now") == ([], "10")


def test_replace_me_only_what_is_new_fires_once_and_in_order() -> None:
    fired, cursor = $id.turn([{"id": "11"}, {"id": "10"}, {"id": "9"}], "9", {}, NOW, "now")
    assert [item["_id"] for item in fired] == ["10", "11"]
    assert $id.turn([{"id": "11"}], cursor, {}, NOW, "now") == ([], "11")
''')

TEMPLATES: dict[Kind, tuple[Template, Template, Template]] = {
    "action": (ACTION_MANIFEST, ACTION_HANDLER, ACTION_TEST),
    "trigger": (TRIGGER_MANIFEST, TRIGGER_HANDLER, TRIGGER_TEST),
}


def write(kind: Kind, id: str, area: str, root: Path = ROOT) -> list[Path]:
    """Writes manifest, handler and test of a new action or trigger below `root`. Never writes over anything."""
    if not ID.fullmatch(id) or keyword.iskeyword(id):
        raise InputError(say("new_id_invalid", id=id[:80]), remedy=say("new_id_remedy"), field="id")
    folder = f"{kind}s"
    taken = next((root / "manifests" / folder).rglob(f"{id}.yaml"), None)
    files = _files(kind, id, area, root)
    taken = taken or next((path for path in files if path.exists()), None)
    if taken is not None:
        message = say("new_id_taken", id=id, path=taken.relative_to(root))
        raise InputError(message, remedy=say("new_id_taken_remedy"), field="id")
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        package = root / folder / area / "__init__.py"
        if not package.exists():
            package.write_text(f'"""Handlers of the {kind}s of this area: {area}."""\n', encoding="utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(say("new_unwritable", root=root, why=why), remedy=say("new_unwritable_remedy")) from None
    return list(files)


def _files(kind: Kind, id: str, area: str, root: Path) -> Mapping[Path, str]:
    folder = f"{kind}s"
    paths = (
        root / "manifests" / folder / area / f"{id}.yaml",
        root / folder / area / f"{id}.py",
        root / "tests" / folder / f"test_{id}.py",
    )
    texts = [template.substitute(id=id, area=area) for template in TEMPLATES[kind]]
    return dict(zip(paths, texts, strict=True))
