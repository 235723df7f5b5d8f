"""The running sum below the lines of a form; the total is derived from it where it is left out."""

from __future__ import annotations

from connector.interfaces.console.form_access import FormAccess
from connector.interfaces.console.form_model import Sum, SumRule, compute_sum
from connector.interfaces.console.widgets import Text, button


class RunningSum:
    """Shows the sum of the lines, how far it is from the total, and what an empty total will be."""

    def __init__(self, form: FormAccess, rule: SumRule) -> None:
        self._form, self._rule = form, rule
        self._derives = any(field.name == rule.amount and field.derived for field in form.fields)
        self._status = Text("div", "", "sum").props('role="status" aria-live="polite"')
        self._use = button(form.page.localize("use_sum"), self._apply, "small")

    def show(self) -> None:
        """Show the sum as the lines are now."""
        found = compute_sum(self._rule, self._form.draft)
        self._use.set_visibility(bool(found.difference) and not found.unreadable)
        self._status.text, tone = self._words(found)
        self._status.classes(replace=f"sum {tone}")
        self._show_derived(found)

    def _apply(self) -> None:
        total = self._form.widget(self._rule.amount)
        if total is not None:
            total.value = f"{compute_sum(self._rule, self._form.draft).lines:f}"

    def _show_derived(self, found: Sum) -> None:
        """Show in the empty field of the total what it will be."""
        total = self._form.widget(self._rule.amount)
        if total is None or not self._derives:
            return
        is_known = found.expected is None and not found.unreadable and found.lines
        localize = self._form.page.localize
        shown = localize("sum_derived", total=localize.amount(found.lines)) if is_known else ""
        if total.props.get("placeholder", "") != shown:
            total.props["placeholder"] = shown
            total.update()

    def _words(self, found: Sum) -> tuple[str, str]:
        localize = self._form.page.localize
        currency = str(self._form.draft.get(self._rule.currency or "") or "")
        if found.unreadable:
            return localize("sum_unreadable", lines=", ".join(map(str, found.unreadable))), "bad"
        total = f"{localize.amount(found.lines)} {currency}".strip()
        if found.difference is None:
            return localize("sum_is_total" if self._derives and found.lines else "sum", total=total), ""
        if not found.difference:
            return localize("sum_fits", total=total), "good"
        difference = f"{localize.amount(found.difference)} {currency}".strip()
        return localize("sum_differs", total=total, difference=difference), "bad"
