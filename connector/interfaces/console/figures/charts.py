"""Renders charts as inline SVG and HTML, without scripts. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from html import escape

from connector.interfaces.console.figures.chart_data import BarChart, Chart, LineChart
from connector.interfaces.console.localizer import Localizer

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 84, 12, 12, 26
GRID_LINES = 4
"""About how many lines the grid has; they stand at round numbers."""


def draw(chart: Chart, localize: Localizer) -> str:
    """Render the chart of a result."""
    return _line_chart(chart, localize) if isinstance(chart, LineChart) else bars(chart, localize)


def bars(chart: BarChart, localize: Localizer, *, money: bool = True) -> str:
    """Render horizontal bars with values; negative ones in another color."""
    maximum = max((abs(value) for values in chart.series.values() for value in values), default=Decimal(0))
    several = len(chart.series) > 1
    rows = []
    for index, label in enumerate(chart.labels):
        for number, (name, values) in enumerate(chart.series.items()):
            value = values[index]
            share = float(abs(value) / maximum * 100) if maximum else 0.0
            label_text = localize(label) if label.startswith("age_") else label
            series = f'<span class="bar-series">{escape(localize(f"series_{name}"))}</span>' if several else ""
            color_class = " bar-negative" if value < 0 else (f" bar-{number}" if several else "")
            bar = f'<span class="bar{color_class}" style="width:{share:.1f}%"></span>' if value else ""
            rows.append(
                f'<tr><th scope="row">{escape(label_text) if number == 0 else ""}{series}</th>'
                f'<td class="bar-cell">{bar}</td>'
                f'<td class="number">{escape(localize.amount(value) if money else localize.number(value))}</td></tr>'
            )
    return f'<table class="bars"><tbody>{"".join(rows)}</tbody></table>'


def columns(labels: Sequence[str], values: Sequence[Decimal], name: str, localize: Localizer) -> str:
    """Render vertical columns, one per label."""
    maximum = max([*values, Decimal(1)])
    step = WIDTH / max(1, len(values))
    height, base = 120, 120
    parts = []
    for index, (label, value) in enumerate(zip(labels, values, strict=True)):
        bar = float(value / maximum) * (height - 22)
        x = index * step + step * 0.16
        parts.append(
            f'<rect class="column" x="{x:.1f}" y="{base - bar:.1f}" width="{step * 0.68:.1f}" height="{bar:.1f}" '
            f'rx="2"><title>{escape(localize.format_value(label))}: {escape(localize.number(value))}</title></rect>'
        )
        if value:
            parts.append(
                f'<text class="mark" x="{index * step + step / 2:.1f}" y="{base - bar - 5:.1f}" '
                f'text-anchor="middle">{escape(localize.number(value))}</text>'
            )
        parts.append(
            f'<text class="axis" x="{index * step + step / 2:.1f}" y="{base + 17}" text-anchor="middle">'
            f"{escape(label[8:10] + '.')}</text>"
        )
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {base + 24}" role="img" aria-label="{escape(name)}">'
        f'<line class="grid" x1="0" y1="{base}" x2="{WIDTH}" y2="{base}"/>{"".join(parts)}</svg>'
    )


def _line_chart(chart: LineChart, localize: Localizer) -> str:
    ticks = round_ticks(min(*chart.values, Decimal(0)), max(*chart.values, Decimal(0)))
    low, high = ticks[0], ticks[-1]
    span = high - low
    first, last = chart.days[0].toordinal(), chart.days[-1].toordinal()

    def x(ordinal: int) -> float:
        return LEFT + (ordinal - first) / max(1, last - first) * (WIDTH - LEFT - RIGHT)

    def y(value: Decimal) -> float:
        return TOP + float((high - value) / span) * (HEIGHT - TOP - BOTTOM)

    grid = "".join(
        f'<line class="grid" x1="{LEFT}" y1="{y(value):.1f}" x2="{WIDTH - RIGHT}" y2="{y(value):.1f}"/>'
        f'<text class="axis" x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">'
        f"{escape(_tick(value, localize))}</text>"
        for value in ticks
    )
    path, previous = "", Decimal(0)
    for index, (day, value) in enumerate(zip(chart.days, chart.values, strict=True)):
        here = x(day.toordinal())
        # A balance is constant until it changes: draw steps.
        path += (
            f"M{here:.1f} {y(value):.1f}" if not index else f"L{here:.1f} {y(previous):.1f}L{here:.1f} {y(value):.1f}"
        )
        previous = value
    ends = "".join(
        f'<text class="axis" x="{x(day.toordinal()):.1f}" y="{HEIGHT - 6}" text-anchor="{anchor}">'
        f"{escape(localize.day(day))}</text>"
        for day, anchor in ((chart.days[0], "start"), (chart.days[-1], "end"))
    )
    name = localize("chart_balance" if chart.is_balance else "chart_movement")
    return (
        f'<figure class="figure"><figcaption>{escape(name)}</figcaption>'
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(name)}">'
        f'{grid}<path class="course" d="{path}"/>{ends}</svg></figure>'
    )


def round_ticks(low: Decimal, high: Decimal) -> list[Decimal]:
    """Return round numbers in equal steps of 1, 2 or 5 times a power of ten, around all values between."""
    rough = (high - low or Decimal(1)) / GRID_LINES
    unit = Decimal(1).scaleb(rough.adjusted())
    step = next((unit * factor for factor in (1, 2, 5) if unit * factor >= rough), unit * 10)
    first, last = (low / step).to_integral_value(ROUND_FLOOR), (high / step).to_integral_value(ROUND_CEILING)
    return [step * at for at in range(int(first), int(max(last, first + 1)) + 1)]


def _tick(value: Decimal, localize: Localizer) -> str:
    """A number at an axis: in groups of three, without decimals where it has none."""
    whole = value == value.to_integral_value()
    return localize.count(int(value)) if whole else localize.amount(value)
