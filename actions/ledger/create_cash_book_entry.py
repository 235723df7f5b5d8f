"""Checks a cash book entry before it costs a credit: the sum of its lines to the last digit, and its receipt images."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from actions.ledger.receipt_kinds import KINDS, kind_of
from connector.core.problem import Problem
from connector.core.values.money import total

MAX_IMAGE_BYTES = 10 * 1024 * 1024
"""The service shows no limit; a receipt beyond this is a mistake far more often than not."""


def check(inputs: dict[str, Any]) -> None:
    """Refuse an entry whose amounts or images cannot be right."""
    _check_amounts(inputs["betrag"], inputs["belegzeilen"], inputs["waehrung"])
    for place, image in enumerate(inputs.get("belegbilder", ())):
        _check_image(place, image["content"], image["dateiname"])


def _check_amounts(betrag: Decimal, lines: list[dict[str, Any]], currency: str) -> None:
    if not lines:
        raise Problem("no_lines", field="belegzeilen")
    if betrag == 0:
        raise Problem("amount_zero", field="betrag")
    amounts = [line["betrag"] for line in lines]
    for place, amount in enumerate(amounts):
        if amount == 0:
            raise Problem("line_zero", field=f"belegzeilen[{place}].betrag", line=place + 1)
    # Lines of both signs are legal (a refund among sales), so only their sum decides.
    sum_of_lines = total(amounts)
    difference = total([sum_of_lines, betrag.copy_negate()])
    if difference == 0:
        return
    found: dict[str, Any] = {
        "count": len(amounts),
        "sum": sum_of_lines,
        "betrag": total([betrag]),  # written out, whatever notation it came in
        "currency": currency,
        "difference": difference.copy_abs(),
    }
    turned = [place for place, amount in enumerate(amounts) if total([amount, amount]) == difference]
    if turned:
        raise Problem("sum_differs_by_sign", field="betrag", line=turned[0] + 1, **found)
    raise Problem("sum_differs", field="betrag", **found)


def _check_image(place: int, content: bytes, file: str) -> None:
    named: dict[str, Any] = {"line": place + 1, "file": file}
    at_content, at_name = f"belegbilder[{place}].content", f"belegbilder[{place}].dateiname"
    excess = len(content) - MAX_IMAGE_BYTES
    if excess > 0:
        raise Problem(
            "image_too_large", field=at_content, size=len(content), limit=MAX_IMAGE_BYTES, excess=excess, **named
        )
    kind = kind_of(content)
    if kind is None:
        kinds = ", ".join(known.name for known in KINDS)
        raise Problem("image_kind_unknown", field=at_content, kinds=kinds, **named)
    if not file.lower().endswith(kind.endings):
        endings = ", ".join(kind.endings)
        raise Problem("image_name_misfits", field=at_name, kind=kind.name, endings=endings, **named)
