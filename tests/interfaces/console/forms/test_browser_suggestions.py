"""A known payee is offered at name and IBAN, and fills both; another IBAN is typed as ever."""

from __future__ import annotations

import pytest

from tests.interfaces.console.visitor import Visitor


@pytest.mark.parametrize("label", ["Recipient *", "Recipient's IBAN *"])
def test_a_known_payee_fills_name_and_iban_together(visitor: Visitor, label: str) -> None:
    page = visitor.page
    visitor.open("actions/initiate_payment")
    visitor.wait_until_built()
    page.locator(".field", has=page.get_by_label(label, exact=True)).get_by_label("Known payees").click()
    option = page.get_by_role("menuitem").first
    option.wait_for()
    name, iban = option.locator("span").all_inner_texts()
    option.click()
    visitor.sees_value("Recipient *", name)
    page.wait_for_function("() => !document.querySelector('.suggestions')?.checkVisibility()")
    shown = page.get_by_label("Recipient's IBAN *", exact=True).input_value()
    assert iban.startswith(" ".join(shown[at : at + 4] for at in range(0, len(shown), 4)))
    other = page.get_by_label("Recipient's IBAN *", exact=True)
    other.fill("DE02 1005 0000 0054 5404 02")
    page.get_by_label("Amount *", exact=True).focus()
    visitor.sees_value("Recipient's IBAN *", "DE02 1005 0000 0054 5404 02")
