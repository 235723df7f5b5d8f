"""Offers the options of a lookup beside a field to type in: choosing one fills several fields together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from connector.core.data.fields import Field, SuggestUse
from connector.core.errors import KontorError
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.forms.form_model import Draft, lookup_inputs
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, box
from connector.interfaces.result_text import grouped_iban
from connector.runtime.result import Option, Options

MAX_SHOWN = 20
"""Of what fits; whoever looks for another one types more of it."""


def suggested_at(fields: Iterable[Field]) -> dict[str, Field]:
    """Return at which fields options are offered: by its name, the field that declares them."""
    found: dict[str, Field] = {}
    for field in fields:
        if field.suggest is not None:
            found |= dict.fromkeys((field.name, *field.suggest.fills), field)
    return found


def filled_by(field: Field, option: Option) -> dict[str, str]:
    """Return what choosing an option writes into each field."""
    assert field.suggest is not None  # only such fields are offered
    label = option.label.removesuffix(option.value).rstrip(" ,·")
    texts = {"label": label, "hint": option.hint or ""}
    filled = {name: texts[part] for name, part in field.suggest.fills.items()}
    return {field.name: option.value, **{name: text for name, text in filled.items() if text}}


def fitting(options: Iterable[Option], typed: Iterable[str]) -> list[Option]:
    """Return the options in which what was typed occurs; all of them where it occurs in none."""
    every = list(options)
    parts = ["".join(text.split()).casefold() for text in typed if text.strip()]
    found = [one for one in every if any(part in "".join(one.label.split()).casefold() for part in parts)]
    return (found or every)[:MAX_SHOWN]


class Suggestions:
    """The button in a field that opens the list."""

    def __init__(
        self, page: Page, field: Field, widget: ui.input, draft: Draft, fill: Callable[[Mapping[str, str]], None]
    ) -> None:
        self._page, self._field, self._draft, self._fill = page, field, draft, fill
        title = page.localize.of(page.console.connector.lookup(self._use.id).title)
        with widget.add_slot("append"), ui.button(icon="contacts").props("flat round dense size=sm") as opener:
            opener.props["aria-label"] = opener.props["title"] = title
            with ui.menu() as self._menu:
                self._list = box("suggestions").props("role=menu")
        self._menu.on_value_change(self._on_open)

    @property
    def _use(self) -> SuggestUse:
        assert self._field.suggest is not None  # only such fields are offered
        return self._field.suggest

    async def _on_open(self, event: ValueChangeEventArguments[Any]) -> None:
        if not event.value:
            return
        localize = self._page.localize
        self._say(localize("options_asking"))
        given, _ = lookup_inputs(
            Field("", "string", self._field.label, self._field.help, lookup=self._use), self._draft
        )
        try:
            session = await self._page.console.session()
            options = await session.options(self._use.id, given, lang=localize.lang)
        except KontorError as error:
            self._say(f"{localize('options_failed')} {localize.of(error.message)} {localize('options_by_hand')}")
        except NoCredential:
            self._say(localize("no_credential"))
        else:
            self._show(options)

    def _say(self, text: str) -> None:
        self._list.clear()
        with self._list:
            TextWidget("div", text, "quiet suggestion-said").props('role="status"')

    def _show(self, options: Options) -> None:
        if not len(options):
            self._say(self._page.localize("options_none"))
            return
        typed = (str(self._draft.get(name) or "") for name in (self._field.name, *self._use.fills))
        self._list.clear()
        with self._list:
            for option in fitting(options, typed):
                filled = filled_by(self._field, option)
                value = filled.pop(self._field.name)
                shown = grouped_iban(value) if self._field.format == "iban" else value
                with (
                    ui.menu_item(on_click=partial(self._choose, option)).props("dense role=menuitem"),
                    box("suggestion"),
                ):
                    TextWidget("span", " ".join(filled.values()) or shown)
                    TextWidget("span", f"{shown} · {option.hint}" if option.hint else shown, "quiet")

    def _choose(self, option: Option) -> None:
        self._fill(filled_by(self._field, option))
