"""The form of the policy: a control for each setting by what it is, what follows from it, and what saving would change.

It knows no setting by name: `SETTINGS` of the policy says what each is, and the messages say what it is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.value_element import ValueElement

from connector.core.errors import KontorError
from connector.core.manifest.formats import check_iban
from connector.core.problems import Problem
from connector.core.writes.policy import CURRENCY, Setting, plain_payee
from connector.interfaces.console.forms.drafts import DraftKeeper
from connector.interfaces.console.forms.form_parts import FieldText
from connector.interfaces.console.forms.policy_words import (
    LISTS,
    PolicyWords,
    groups_of,
    setting_of,
    unit_of,
)
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    definition_list,
    flex_row,
    live_region,
    paragraph,
    show_error,
)
from connector.interfaces.result_text import grouped_iban
from connector.operations import money as approving

SEPARATED = re.compile(r"[,;\n\t]+")


class PolicyForm:
    """What the workspace allows, to be read by all and changed by admins."""

    def __init__(self, page: Page, container: Element) -> None:
        self._page, self._container = page, container
        titles = {id: page.localize.of(action.title) for id, action in page.console.connector.actions.items()}
        self._words = PolicyWords(page.localize, titles)
        self._before: dict[str, Any] = {}
        self._controls: dict[str, _Control] = {}
        self._keeper = DraftKeeper("settings/policy")
        self._keeper.mark(container)

    async def build(self) -> None:
        """Show the settings, to an admin with what changes them."""
        console = self._page.console
        document = await approving.show_policy(console.state.context, console.actor, await console.workspace())
        kept = await self._keeper.load() if console.actor.may("admin") else None
        self._build(document["policy"], kept or {})

    def _build(self, policy: Mapping[str, Any], kept: Mapping[str, Any]) -> None:
        """Show these settings, with what was written before and not saved."""
        localize, console = self._page.localize, self._page.console
        settings = {name: setting_of(name, value) for name, value in policy.items()}
        self._before = dict(policy)
        self._controls.clear()
        self._container.clear()
        with self._container:
            for label, names in groups_of(settings):
                with box("group policy-group", "fieldset"):
                    TextWidget("legend", localize.of(label))
                    if not console.actor.may("admin"):
                        words = self._words
                        definition_list(
                            {words.label(settings[name]): words.effect(settings[name], policy[name]) for name in names}
                        )
                        continue
                    for name in names:
                        control = _Control(
                            self._page, self._words, settings[name], kept.get(name, policy[name]), self._on_change
                        )
                        self._controls[name] = control
            if not console.actor.may("admin"):
                return
            with box("policy-changes") as changes:
                changes.props["role"], changes.props["aria-live"] = "status", "polite"
                TextWidget("h3", localize("policy_changes"))
                self._changes = box("", "div")
            with flex_row("form-actions"):
                button(localize("policy_save"), self._save, "primary")
                self._discard_button = button(localize("policy_discard"), self._discard_changes)
            self._told = live_region()
        self._show_changes()

    def _given(self) -> dict[str, Any]:
        """Return what differs from what is in force; what cannot be read is not among it."""
        values = {name: control.value for name, control in self._controls.items() if not control.problem}
        return {name: value for name, value in values.items() if value != self._before[name]}

    def _show_changes(self) -> None:
        """Say what saving would change."""
        given, words = self._given(), self._words
        lines = [
            line
            for name, value in given.items()
            for line in words.changes(self._controls[name].setting, self._before[name], value)
        ]
        self._changes.clear()
        with self._changes:
            if lines:
                with box("change-lines", "ul"):
                    for line in lines:
                        TextWidget("li", line)
            else:
                paragraph(self._page.localize("policy_nothing_changed"), "quiet")
        is_touched = bool(lines) or any(control.problem for control in self._controls.values())
        self._discard_button.set_visibility(is_touched)

    def _on_change(self) -> None:
        self._show_changes()
        written = {name: control.written for name, control in self._controls.items()}
        self._keeper.save({name: value for name, value in written.items() if value != self._before[name]})

    def _discard_changes(self) -> None:
        self._keeper.forget()
        self._build(self._before, {})

    async def _save(self) -> None:
        console, localize = self._page.console, self._page.localize
        self._told.clear()
        wrong = [control for control in self._controls.values() if control.show_problem()]
        if wrong:
            wrong[0].focus()
            with self._told:
                labels = ", ".join(self._words.label(control.setting) for control in wrong)
                TextWidget("p", localize("policy_problems", labels=labels), "notice bad")
            return
        given = self._given()
        try:
            console.check("admin")
            workspace = await console.workspace()
            document = await approving.set_policy(console.state.context, console.actor, given, workspace)
        except KontorError as error:
            control = self._controls.get(error.field or "")
            if control is not None:
                control.text.set_error(localize.of(error.message))
                control.focus()
            with self._told:
                show_error(error, localize)
            return
        self._keeper.forget()
        self._build(document["policy"], {})
        waits = [name for name, value in given.items() if document["policy"][name] != value]
        with self._told:
            if waits:
                labels = ", ".join(self._words.label(setting_of(name, self._before[name])) for name in waits)
                TextWidget("p", localize("policy_still_waits", labels=labels), "notice warn")
            if not waits or len(waits) < len(given):
                TextWidget("p", localize("policy_saved"), "notice good")


class _Control:
    """The control of one setting, with what follows from its value."""

    def __init__(
        self, page: Page, words: PolicyWords, setting: Setting, value: Any, on_change: Callable[[], None]
    ) -> None:
        self.setting = setting
        self._page, self._words, self._on_change = page, words, on_change
        self.written: Any = list(value) if setting.kind in LISTS else value
        """What a person has written; for a list its entries."""
        label = words.label(setting)
        self._entries: _Entries | None = None
        with box(f"field policy-setting policy-{setting.kind}") as place:
            place.props["data-path"] = setting.name
            self._focused = self._build(label)
            place.props["data-widget"] = self._focused.id
            self.text = FieldText(self._focused, page.localize, label, required=False)
            self._effect = TextWidget("div", "", "hint policy-effect")
        self._show_effect()

    @property
    def value(self) -> Any:
        """The value, as the policy shows it; only while there is no problem."""
        if self.setting.kind in LISTS:
            return list(self.written)
        return self.setting.value_of(self.written)

    @property
    def problem(self) -> str:
        """Why it cannot be saved; empty when it can."""
        left_over = self._entries.problem if self._entries is not None else ""
        return left_over or self._words.problem(self.setting, self.written)

    def show_problem(self) -> bool:
        """Say at the control what is wrong with it; return whether anything is."""
        if self._entries is None or not self._entries.problem:  # which it says itself
            self.text.set_error(self.problem or None)
        return bool(self.problem)

    def focus(self) -> None:
        """Put the focus into it."""
        self._focused.run_method("focus")

    def _write(self, value: Any) -> None:
        self.written = value
        self.text.set_error(None)
        self._show_effect()
        self._on_change()

    def _show_effect(self) -> None:
        self._effect.text = "" if self.problem else self._words.effect(self.setting, self.value)

    def _build(self, label: str) -> Element:
        setting = self.setting
        match setting.kind:
            case "flag":
                return self._listening(ui.switch(label, value=self.written).props("dense"))
            case "choice":
                choices = {choice: self._words.choice(setting, choice) for choice in setting.choices}
                select = ui.select(choices, label=label, value=self.written).props("options-dense")
                return self._listening(select.props("outlined dense stack-label").classes("input"))
            case "payees" | "list":
                self._entries = _Entries(self._page, self._words, setting, label, self.written, self._write)
                return self._entries.field
            case "actions":
                return self._build_actions(label)
        return self._build_input(label)

    def _build_input(self, label: str) -> Element:
        setting, localize = self.setting, self._page.localize
        field = ui.input(label, value=self._as_typed(self.written))
        field.props("outlined dense stack-label").classes("input")
        if setting.kind == "amount":
            field.props("inputmode=decimal").props["suffix"] = CURRENCY
            field.props["placeholder"] = localize("policy_unlimited")
            field.classes("number-input")
        elif setting.kind == "number":
            field.props("inputmode=numeric").classes("number-input")
            if unit_of(setting):
                field.props["suffix"] = localize(f"policy_suffix_{unit_of(setting)}")
                field.props["placeholder"] = localize.number(setting.default) if setting.default is not None else ""
        field.on("blur", self.show_problem)
        return self._listening(field)

    def _as_typed(self, value: Any) -> str:
        if value is None or isinstance(value, str):
            return value or ""
        localize = self._page.localize
        return localize.amount(Decimal(str(value))) if self.setting.kind == "amount" else localize.format_value(value)

    def _listening(self, widget: ValueElement[Any]) -> Element:
        widget.on_value_change(
            lambda event: self._write(event.value.strip() if isinstance(event.value, str) else event.value)
        )
        return widget

    def _build_actions(self, label: str) -> Element:
        """A box for each action that writes: reading never waits for a person."""
        actions, titles = self._page.console.connector.actions, self._words.actions
        offered = [id for id, action in actions.items() if action.writes or id in self.written]
        with box("choices").props('role="group" tabindex="-1"') as group:
            group.props["aria-label"] = label
            TextWidget("div", label, "choices-label")
            for id in sorted(offered, key=lambda id: titles[id]):
                tick = ui.checkbox(titles[id], value=id in self.written).props("dense")
                tick.on_value_change(partial(self._tick, id))
        return group

    def _tick(self, id: str, event: Any) -> None:
        rest = [one for one in self.written if one != id]
        self._write([*rest, id] if event.value else rest)


class _Entries:
    """A list of payees, or of other texts: each can be removed, and further ones typed or pasted."""

    def __init__(
        self,
        page: Page,
        words: PolicyWords,
        setting: Setting,
        label: str,
        entries: list[str],
        on_change: Callable[[list[str]], None],
    ) -> None:
        self._page, self._words, self._setting, self._on_change = page, words, setting, on_change
        self._entries = entries
        self.problem = ""
        """Why what stands in the field for further ones is not taken."""
        localize = page.localize
        is_payees = setting.kind == "payees"
        TextWidget("div", label, "choices-label")
        self._list = box("entries", "ul")
        with box("entry-new"):
            self.field = ui.input(localize("policy_payee_new") if is_payees else label)
            self.field.props("outlined dense stack-label").classes("input")
            self.field.on("keydown.enter", self._add)
            self.field.on("blur", self._add)
            self.field.on_value_change(lambda event: None if event.value else self._complain(""))
            button(localize("policy_payee_add"), self._add, "small")
        self._error = TextWidget("div", "", "field-error").props('role="alert"')
        self._show()

    def _show(self) -> None:
        self._list.clear()
        with self._list:
            for entry in self._entries:
                shown = self._words.entry(self._setting, entry)
                with ui.element("li"):
                    TextWidget("span", shown)
                    remove = button("", partial(self._remove, entry), "small plain").props("icon=close")
                    remove.props["aria-label"] = self._page.localize("policy_payee_remove", iban=shown)

    def _add(self) -> None:
        """Take what was typed; several are parted by commas or lines."""
        parts = [part.strip() for part in SEPARATED.split(self.field.value or "") if part.strip()]
        if self._setting.kind == "payees":
            parts = [plain_payee(part) for part in parts]
            wrong = next(_not_ibans(parts), None)
            if wrong is not None:
                self._complain(self._page.localize("policy_expects_iban", value=grouped_iban(wrong)[:64]))
                return
        if parts:
            self._change(list(dict.fromkeys([*self._entries, *parts])))
            self.field.value = ""

    def _remove(self, entry: str) -> None:
        self._change([one for one in self._entries if one != entry])

    def _change(self, entries: list[str]) -> None:
        self._entries = entries
        self._complain("")
        self._show()
        self._on_change(entries)

    def _complain(self, text: str) -> None:
        self.problem = self._error.text = text


def _not_ibans(parts: list[str]) -> Iterator[str]:
    for part in parts:
        try:
            check_iban(part)
        except Problem:
            yield part
