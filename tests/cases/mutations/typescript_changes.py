"""Changes one thing at a time in a copy of the TypeScript core, and looks whether a case notices.

The copy asks a switch at every condition (of `if`, of `? :`, every comparison) and at every name of a sentence, so that
one process of Node can try all changes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path
from typing import Any

from connector.testing.cases.expectation import differences
from connector.testing.cases.files import Case
from tests.cases.in_node import CORE, ROOT, packs
from tests.cases.in_python import Interpreter
from tests.cases.mutations.excuses import Excuses
from tests.cases.mutations.typescript_places import Place, asking, places
from tests.platforms.node import find_node
from tests.support.parts import in_chosen_file, part

MUTATE = ROOT / "tests" / "cases" / "node" / "mutate.mjs"
BESIDE = ("actions/any/call_api.ts", "actions/ledger/get_due_dates.ts", "triggers/ledger/open_item_changed.ts")
NOT_RUN = (
    "receive_event.ts",
    "confirmed_data.ts",
    "client.ts",
    "code.ts",
    "platform.ts",
    "pack.ts",
    "form.ts",
    "host.ts",
    "poll_throttle.ts",
    "late_rows.ts",
)
"""What cases do not run: events of a package's own webhook, how often and when a call is repeated, and what only a
package for a host or a platform's own memory needs."""
SECONDS = 1700
FEW, MANY = 3, 1000
"""Cases that differ: few are soon found and mostly notice; only what they do not notice is tried on many."""
OTHER_SENTENCE = "name_not_text"
Change = tuple[int, Any]
"""The number of a place, and what is forced there."""


def changed_core(folder: Path, names: Collection[str]) -> list[Place]:
    """Writes the changeable copy; its places, each numbered by its position in the list."""
    known: list[Place] = []
    for path in [*sorted(CORE.rglob("*.ts")), *(ROOT / one for one in BESIDE)]:
        relative = path.relative_to(ROOT)
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        source = path.read_text(encoding="utf-8")
        if path.name in NOT_RUN:
            shutil.copy(path, target)
            continue
        found = list(places(str(relative), source, names))
        target.write_text(asking(source, found, len(known)), encoding="utf-8")
        known += found
    return known


def survivors(
    cases: list[Case], interpreter: Interpreter, folder: Path, excuses: Excuses
) -> tuple[int, list[dict[str, Any]], list[dict[str, Any]]]:
    """How many changes were tried, those that no case noticed, and those that are excused and were not tried."""
    made = packs(interpreter, cases)
    known = changed_core(folder / "core", made["{}"]["en"]["messages"])
    possible = [
        (number, forced)
        for number, place in enumerate(known)
        if in_chosen_file(place.file)
        for forced in ((True, False) if place.kind == "condition" else (OTHER_SENTENCE,))
    ]
    excused = [_told(known[number], forced) for number, forced in possible]
    excused = [change for change in excused if excuses.cover(change)]
    changes = part([(number, forced) for number, forced in possible if _told(known[number], forced) not in excused])
    core = folder / "core" / CORE.relative_to(ROOT)
    shortest_first = sorted(cases, key=lambda case: len(json.dumps(case.as_json())))
    unnoticed = _unnoticed(core, made, shortest_first, changes, FEW)
    unnoticed = _unnoticed(core, made, shortest_first[::-1], unnoticed, MANY)  # the longest expect the most
    return len(changes), [_told(known[number], forced) for number, forced in unnoticed], excused


def _unnoticed(core: Path, packs: Any, cases: list[Case], changes: list[Change], enough: int) -> list[Change]:
    """Those changes that none of their first cases notices, of which as many differ as are enough."""
    source, told = core / "bite.json", core / "told.json"
    document = {"packs": packs, "cases": [case.as_json() for case in cases], "changes": changes, "enough": enough}
    source.write_text(json.dumps(document), encoding="utf-8")
    command = [find_node().program, str(MUTATE), str(core), str(source), str(told)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])
    by_key = {case.key: case for case in cases}
    tried = zip(changes, json.loads(told.read_text(encoding="utf-8")), strict=True)
    return [
        change
        for change, differing in tried
        if not any(_is_noticed(by_key[key], one) for key, one in differing.items())
    ]


def _told(place: Place, forced: Any) -> dict[str, Any]:
    about = {"file": place.file, "function": place.function, "line": place.line, "kind": place.kind}
    return {**about, "text": place.text, "forced": forced}


def _is_noticed(case: Case, told: Any) -> bool:
    try:
        return bool(differences(case, told))
    except (LookupError, TypeError, AttributeError):
        return True  # it did not even come to an end
