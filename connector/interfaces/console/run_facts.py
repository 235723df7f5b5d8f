"""Shows what was or will be sent."""

from __future__ import annotations

from connector.interfaces.console.input_facts import InputFacts
from connector.interfaces.console.widgets import definition_list, empty_note, show_lines


def show_facts(facts: InputFacts, nothing: str = "") -> None:
    """Show inputs: plain ones as a list, lists of objects as tables."""
    if facts.facts:
        definition_list(facts.as_rows())
    for lines in facts.lines:
        show_lines(lines)
    if not facts.facts and not facts.lines and nothing:
        empty_note(nothing)
