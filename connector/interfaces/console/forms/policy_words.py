"""What the settings of the policy are called, what follows from their values, and what a change changes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from connector.core.errors import InputError
from connector.core.messages import Text, quote, say
from connector.core.writes.policy import GROUPS, SETTINGS, Setting
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.result_text import grouped_iban

UNITS = frozenset({"hours", "minutes", "days"})
LISTS = frozenset({"payees", "actions", "list"})


def groups_of(names: Iterable[str]) -> list[tuple[Text, list[str]]]:
    """Return the settings in their groups; one that stands in none follows at the end."""
    left = list(names)
    groups: list[tuple[Text, list[str]]] = []
    for group, members in GROUPS.items():
        groups.append((say(f"policy_group_{group}"), [name for name in members if name in left]))
        left = [name for name in left if name not in members]
    groups.append((say("policy_group_more"), left))
    return [(label, members) for label, members in groups if members]


def setting_of(name: str, value: Any) -> Setting:
    """Return a setting as it is declared; of one that is not, what can be seen of its value."""
    known = SETTINGS.get(name)
    if known is not None:
        return known
    kind: Any = "flag" if isinstance(value, bool) else "list" if isinstance(value, list) else "text"
    return Setting(name, kind, None, lambda name, value: value)


def unit_of(setting: Setting) -> str:
    """Return what a number counts, which is the last word of its name."""
    unit = setting.name.rpartition("_")[2]
    return unit if setting.kind == "number" and unit in UNITS else ""


@dataclass(frozen=True, slots=True)
class PolicyWords:
    """Names, values and effects of settings in one language."""

    localize: Localizer
    actions: Mapping[str, str]
    """What each action is called."""

    def label(self, setting: Setting) -> str:
        """What a setting is called; one without a name of its own by its meaning."""
        try:
            text = self.localize.of(say(f"policy_label_{setting.name}"))
        except KeyError:
            text = self._meaning(setting)
        return text[:1].upper() + text[1:]

    def _meaning(self, setting: Setting) -> str:
        try:
            return self.localize.of(say(f"policy_{setting.name}_meaning"))
        except KeyError:
            return setting.name.replace("_", " ")

    def choice(self, setting: Setting, choice: str) -> str:
        """What one of several values is called."""
        key = f"{setting.name}_{choice}"
        try:
            return self.localize.of(say(f"policy_choice_{key}"))
        except KeyError:
            return choice

    def value(self, setting: Setting, value: Any) -> str:
        """Return a value as a sentence names it."""
        localize = self.localize
        match setting.kind:
            case "amount":
                return localize("policy_unlimited") if value is None else self._euros(value)
            case "number":
                return self._counted(unit_of(setting), value)
            case "flag":
                return localize("yes") if value else localize("no")
            case "choice":
                return self.choice(setting, value)
            case "payees" | "actions" | "list":
                return ", ".join(self.entry(setting, one) for one in value or ()) or localize("policy_nobody")
        return "–" if value in (None, "") else localize.format_value(value)

    def entry(self, setting: Setting, entry: str) -> str:
        """Return one entry of a list as people read it."""
        if setting.kind == "payees":
            return grouped_iban(entry)
        return self.actions.get(entry, entry) if setting.kind == "actions" else entry

    def effect(self, setting: Setting, value: Any) -> str:
        """Return the sentence that says what follows from a value."""
        is_off = value is None or value is False or (value == 0 and setting.kind == "number") or value in ([], (), "")
        if setting.kind == "choice":
            key = f"{setting.name}_{value}"
            try:
                return self.localize.of(say(f"policy_chosen_{key}"))
            except KeyError:
                return self.localize("policy_on_any", value=self.choice(setting, value))
        shown = self._counted("payees", len(value)) if setting.kind == "payees" else self.value(setting, value)
        try:
            if is_off:
                return self.localize.of(say(f"policy_off_{setting.name}"))
            return self.localize.of(say(f"policy_on_{setting.name}", value=shown))
        except KeyError:
            is_nothing = is_off and setting.kind != "flag"
            return self.localize("policy_off_any") if is_nothing else self.localize("policy_on_any", value=shown)

    def problem(self, setting: Setting, written: Any) -> str:
        """Return why a value cannot be saved, in words of the form; empty when it can."""
        try:
            setting.value_of(written)
        except InputError as error:
            match setting.kind:
                case "amount":
                    return self.localize("policy_expects_amount")
                case "number":
                    return self.localize("policy_expects_number", least=setting.least, most=setting.most)
            return self.localize.of(error.message)
        return ""

    def changes(self, setting: Setting, before: Any, after: Any) -> list[str]:
        """Return what changes about a setting, a line each; nothing where it stays."""
        localize, label = self.localize, self.label(setting)
        if before == after:
            return []
        if setting.kind not in LISTS:
            shown = {"before": self.value(setting, before), "after": self.value(setting, after)}
            return [localize("policy_change", label=label, **shown)]
        added = [self.entry(setting, one) for one in after if one not in before]
        removed = [self.entry(setting, one) for one in before if one not in after]
        lines = [localize("policy_added", label=label, what=", ".join(added))] if added else []
        return lines + ([localize("policy_removed", label=label, what=", ".join(removed))] if removed else [])

    def _euros(self, value: Any) -> str:
        both = {lang: Localizer(lang).amount(Decimal(str(value))) for lang in ("en", "de")}
        return self.localize("euros", amount=Text(both["en"], both["de"]))

    def _counted(self, unit: str, count: int) -> str:
        if not unit:
            return self.localize.number(count)
        if count == 1:
            return self.localize(f"policy_one_{unit}")
        return self.localize(f"policy_unit_{unit}", count=quote(self.localize.count(count)))
