"""Rules: what must hold between the inputs of a manifest, declared there and interpreted here. Pure.

`docs/vocabulary.md` defines each; `connector/export/node/core/rules/rules.ts` is the other interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from connector.core.data import localize
from connector.core.data.fields import Field
from connector.core.messages import Text, filled, say
from connector.core.rules import amounts, files, presence, texts
from connector.core.rules.finding import Finding, Findings, Form

Inputs = Mapping[str, Any]
RULES: Mapping[str, Callable[[Any, Inputs, Form], Findings]] = {
    "any_of": presence.any_of,
    "requires": presence.requires,
    "order": presence.order,
    "first_of_month": presence.first_of_month,
    "not_past": presence.not_past,
    "at_most_one": presence.at_most_one,
    "sum": amounts.sum_,
    "not_zero": amounts.not_zero,
    "range": amounts.range_,
    "equals": amounts.equals,
    "charset": texts.charset,
    "pattern": texts.pattern,
    "digits": texts.digits,
}
FILE = "file"
NAMES_LINE = frozenset({FILE, "at_most_one"})
"""Rules whose own sentences name the line."""
ABOUT = ("words", "warn")
"""Keys of a rule's entry beside the rule itself."""


@dataclass(frozen=True, slots=True)
class WordedFinding:
    """A finding in words."""

    name: str
    """`rule.reason`."""
    field: str
    text: Text
    warns: bool


class Rules:
    """The rules of one manifest, compiled once."""

    def __init__(self, declared: Sequence[Mapping[str, Any]], fields: Sequence[Field], kinds: files.Kinds) -> None:
        self._form = Form(fields)
        self._rules = [_Rule.of(entry, kinds) for entry in declared]
        self._sums = [entry["sum"] for entry in declared if entry.get("sum", {}).get("derive")]

    @property
    def derived(self) -> frozenset[str]:
        """The inputs that can be derived from others."""
        return frozenset(str(declared["equals"]) for declared in self._sums)

    def derive(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The inputs with those that follow from others."""
        for declared in self._sums:
            inputs = {**inputs, **amounts.derived_sum(declared, inputs)}
        return inputs

    def check(self, inputs: Inputs, today: date | None = None) -> Iterator[WordedFinding]:
        """Everything that the rules find, in order. `today` is Berlin's, the machine's if not given."""
        form = self._form.on(today)
        for rule in self._rules:
            for finding in rule.check(inputs, form):
                yield rule.worded(finding)


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    check: Callable[[Inputs, Form], Findings]
    words: Mapping[str, Text]
    warns: bool

    @classmethod
    def of(cls, entry: Mapping[str, Any], kinds: files.Kinds) -> _Rule:
        name, declared = next((name, declared) for name, declared in entry.items() if name not in ABOUT)
        words = {reason: Text(text["en"], text["de"]) for reason, text in entry.get("words", {}).items()}
        if name == FILE:
            check: Callable[[Inputs, Form], Findings] = partial(files.file, declared, known=kinds)
        else:
            check = partial(RULES[name], declared)
        return cls(name, check, words, bool(entry.get("warn")))

    def worded(self, finding: Finding) -> WordedFinding:
        name = f"{self.name}.{finding.reason}"
        own = self.words.get(finding.reason)
        values = localize.blanks({"line": finding.line, **finding.values})
        text = filled(own, values) if own else say(name, **values)
        if finding.line is not None and not (own and "{line}" in own.en) and self.name not in NAMES_LINE:
            text = say("in_line", line=finding.line, text=text)
        return WordedFinding(name, finding.field, text, self.warns)
