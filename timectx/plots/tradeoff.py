"""Show what each scenario takes against how stale it lets readings get: the front, and what to use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from timectx.errors import FrameError
from timectx.plots.labels import PointLabel, place_labels
from timectx.plots.names import setting_name
from timectx.plots.scales import duration_scale
from timectx.plots.style import LIGHT, Palette, plain_label, styled
from timectx.sweep import totals_frame
from timectx.sweep.labels import AS_RECORDED
from timectx.units import format_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from timectx.sweep.advice.recommendation import Recommendation

__all__ = ["plot_tradeoff"]

_KIND: Final = ("policy", "delivery")
_USUAL: Final = 0.95
_NAMED: Final = 30
"""How many scenarios get their name at most; of hundreds, names are noise."""


class _Point(Struct, frozen=True):
    """
    Hold where a scenario stands: staleness in milliseconds, spending in percent or USD.

    `kind` is its policy and its delivery, as far as they are known.
    """

    name: str
    interval_ms: int
    x: int
    y: float
    kind: tuple[str, ...] = ()


def plot_tradeoff(
    frame: DataFrame,
    *,
    ax: Axes | None = None,
    recommendation: Recommendation | None = None,
    palette: Palette = LIGHT,
) -> Axes:
    """
    Show the share of tokens that telling the time takes against the staleness it leaves.

    Parameters
    ----------
    frame : DataFrame
        A sweep as `timectx.sweep_sessions` returns it, or its totals as `totals_frame` does.
    ax : Axes, optional
        Where to draw; None makes a figure of its own.
    recommendation : Recommendation, optional
        What `timectx.tune` made of the same sweep. It marks the front, the choice, the range in which nine
        of ten choices lie when the sessions are drawn again, and what was recorded; and it says which
        quantile of staleness is shown, else the 95th percentile.
    palette : Palette, optional
        The colours.

    Returns
    -------
    Axes
        A point for each scenario that gives some step a reading. Further down and to the left is better. Where
        the recommendation weighs the bill, that takes the place of the share of tokens.

    Raises
    ------
    FrameError
        If the frame is neither of those.
    """
    quantile = recommendation.limits.quantile if recommendation else _USUAL
    by_bill = recommendation is not None and recommendation.limits.by == "cost"
    points = list(_points(frame, quantile, "cost_usd" if by_bill else "spent_ratio"))
    with styled(ax, palette, "What telling the time takes, and how stale it gets") as drawn:
        if recommendation is not None:
            _shade_range(drawn, recommendation, points, palette)
        _draw_points(drawn, points, recommendation, palette)
        duration_scale(drawn, "x", [point.x for point in points])
        drawn.set_ylim(0, 1.12 * max((point.y for point in points), default=0) or 1)
        drawn.set_xlabel(f"staleness that {100 * quantile:g} % of the steps that see a reading do not exceed")
        drawn.set_ylabel("bill, USD" if by_bill else "share of all tokens, %")
    marks = [(float(point.x), point.y) for point in points]
    line = [(float(point.x), point.y) for point in _on_front(points, recommendation)]
    place_labels(drawn, _names(points, recommendation, palette), marks, line)
    return drawn


def _points(frame: DataFrame, quantile: float, spending: str) -> Iterator[_Point]:
    totals = frame if "spent_ratio" in frame.columns else totals_frame(frame, quantile)
    needed = ("scenario", "interval_ms", spending, "staleness_ms")
    missing = [name for name in needed if name not in totals.columns]
    if missing:
        raise FrameError(f"this plot needs the columns {', '.join(missing)}, which the frame lacks", kind="columns")
    seen = totals[totals["staleness_ms"].notna() & totals[spending].notna()]
    scale = 1 if spending == "cost_usd" else 100
    kinds = list(zip(*(seen[each].tolist() for each in _KIND if each in seen.columns), strict=True)) or [()] * len(seen)
    rows = zip(*(seen[each].tolist() for each in needed), kinds, strict=True)
    for name, interval_ms, spent, staleness_ms, kind in rows:
        yield _Point(str(name), int(interval_ms), int(staleness_ms), scale * float(spent), tuple(map(str, kind)))


def _draw_points(ax: Axes, points: Sequence[_Point], found: Recommendation | None, palette: Palette) -> None:
    tried = [point for point in points if point.name != AS_RECORDED]
    front = _on_front(points, found)
    beaten = [point for point in tried if point not in front]
    dots: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 5.5}
    hollow = {**dots, "markerfacecolor": palette.paper, "color": palette.second}
    if beaten:
        _draw(ax, beaten, label="tried" if found is None else "beaten or set aside", zorder=3, **hollow)
    if front:
        line = {**dots, "linestyle": "-", "color": palette.first}
        _draw(ax, front, label="front", zorder=4, **line)
    today = [point for point in points if point.name == AS_RECORDED]
    if today:
        star = {**dots, "marker": "D", "markersize": 7, "color": palette.ink, "markerfacecolor": palette.paper}
        _draw(ax, today, label="as recorded", zorder=5, **star)
    chosen = [point for point in tried if found is not None and point.name == found.scenario]
    if chosen:
        ring = {**dots, "markersize": 12, "markeredgewidth": 2.4, "markerfacecolor": "none", "color": palette.third}
        _draw(ax, chosen, label="recommended", zorder=5, **ring)


def _draw(ax: Axes, points: Sequence[_Point], **marks: Any) -> None:
    ax.plot([point.x for point in points], [point.y for point in points], **marks)


def _on_front(points: Sequence[_Point], found: Recommendation | None) -> list[_Point]:
    if found is None:
        return []
    by_name = {point.name: point for point in points}
    return [by_name[each.scenario] for each in found.front if each.scenario in by_name]


def _shade_range(ax: Axes, found: Recommendation, points: Sequence[_Point], palette: Palette) -> None:
    """Shade the staleness of the choices that drawings of the sessions make."""
    alike = [point for point in points if point.kind in ((), (found.policy, found.delivery))]
    within = [point.x for point in alike if found.low_ms <= point.interval_ms <= found.high_ms]
    if found.resamples and len(within) > 1:
        label = f"9 of 10 choices: {format_interval(found.low_ms)} to {format_interval(found.high_ms)}"
        ax.axvspan(min(within), max(within), facecolor=palette.first, alpha=0.13, linewidth=0, label=label)


def _names(points: Sequence[_Point], found: Recommendation | None, palette: Palette) -> list[PointLabel]:
    """Name points: the choice, what was recorded, the ends of the front, what is of another kind, the rest."""
    front = _on_front(points, found)
    ends = [each for pair in zip(front, reversed(front), strict=True) for each in pair][: len(front)]
    first = [point for point in points if point.name == AS_RECORDED or (found and point.name == found.scenario)]
    usual = (found.policy, found.delivery) if found else ("interval", "appended")
    others = [point for point in points if point.kind not in ((), usual)]
    ordered = dict.fromkeys(
        [*sorted(first, key=lambda each: each.name == AS_RECORDED), *ends[:2], *others, *ends, *points]
    )
    return [
        _name(point, at < len(first), point in front, found, palette) for at, point in enumerate(list(ordered)[:_NAMED])
    ]


def _name(point: _Point, must: bool, on_front: bool, found: Recommendation | None, palette: Palette) -> PointLabel:
    chosen = found is not None and point.name == found.scenario
    color = palette.third if chosen else palette.ink if must or on_front else palette.faint
    text = "today" if point.name == AS_RECORDED else plain_label(setting_name(point.name))
    return PointLabel(x=point.x, y=point.y, text=text, color=color, bold=must, must=must)
