"""Give axes their scales and ticks: durations from seconds to days, and counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal

from timectx.units import format_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["count_scale", "duration_scale", "duration_ticks", "elapsed_scale", "round_spacing"]

_S: Final = 1000
_M: Final = 60 * _S
_H: Final = 60 * _M
_D: Final = 24 * _H

_ROUND: Final = (_S, 10 * _S, _M, 10 * _M, _H, 6 * _H, _D, 7 * _D, 30 * _D, 365 * _D)
_FINER: Final = (_S, 2 * _S, 5 * _S, 10 * _S, 30 * _S, _M, 2 * _M, 5 * _M, 10 * _M, 30 * _M, _H, 2 * _H, 4 * _H, 8 * _H)
_FINE_UP_TO: Final = 3
_ROOM: Final = 1.6
"""How far the axis goes beyond the longest duration, as its multiple."""

_SPACINGS: Final = (
    *(1, 10, 100, _S, 2 * _S, 5 * _S, 10 * _S, 30 * _S, _M, 2 * _M, 5 * _M, 10 * _M, 30 * _M, _H, 2 * _H, 3 * _H),
    *(6 * _H, 12 * _H, _D, 2 * _D, 7 * _D, 14 * _D, 28 * _D, 91 * _D, 364 * _D),
)
_MOST_TICKS: Final = 8


def duration_scale(ax: Axes, which: Literal["x", "y"], values_ms: Iterable[int], *, linear: bool = False) -> None:
    """
    Put durations of very different length on an axis.

    Parameters
    ----------
    ax : Axes
        What to draw on.
    which : {"x", "y"}
        Its axis.
    values_ms : iterable of int
        The durations that must fit, in milliseconds, 0 or more.
    linear : bool, optional
        Give every second the same room.

    Notes
    -----
    Unless `linear`, the axis is so up to one second only, to have a place for 0; beyond, it is logarithmic.
    """
    longest = max([_S, *values_ms])
    if linear:
        _linear_scale(ax, which, longest)
        return
    axis = ax.xaxis if which == "x" else ax.yaxis
    set_scale = ax.set_xscale if which == "x" else ax.set_yscale
    set_scale("symlog", linthresh=_S, linscale=0.5)
    room = longest * _ROOM
    ticks = [0, *(each for each in _ROUND if each <= room)]
    if len(ticks) <= _FINE_UP_TO:
        ticks = [0, *(each for each in _FINER if each <= room)]
    axis.set_ticks(ticks, [format_interval(each) for each in ticks])
    axis.set_ticks([], minor=True)
    (ax.set_xlim if which == "x" else ax.set_ylim)(-0.15 * _S, room)


def elapsed_scale(ax: Axes, longest_ms: int) -> None:
    """
    Put elapsed time on the x axis.

    Parameters
    ----------
    ax : Axes
        What to draw on.
    longest_ms : int
        Where the axis ends, in milliseconds.
    """
    room = max(longest_ms, 1)
    _linear_scale(ax, "x", room)
    ax.set_xlim(-0.01 * room, 1.01 * room)


def count_scale(ax: Axes, first: float, last: float) -> None:
    """
    Put things that are counted on the x axis.

    Parameters
    ----------
    ax : Axes
        What to draw on.
    first, last : float
        The limits of the axis.
    """
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    ax.set_xlim(first, last)
    ax.xaxis.set_major_locator(MaxNLocator(10, steps=[1, 2, 5, 10], integer=True))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def duration_ticks(longest_ms: int) -> list[int]:
    """
    Return ticks at round durations from 0 on.

    Parameters
    ----------
    longest_ms : int
        The end of the axis in milliseconds.

    Returns
    -------
    list of int
        At most nine, evenly spaced.

    Examples
    --------
    >>> [format_interval(each) for each in duration_ticks(3 * 60 * 60 * 1000)]
    ['0', '30m', '1h', '1h 30m', '2h', '2h 30m', '3h']
    """
    return list(range(0, longest_ms + 1, round_spacing(longest_ms, _MOST_TICKS)))


def round_spacing(longest_ms: int, most: int) -> int:
    """
    Return the smallest round duration that divides a longer one into few enough parts.

    Parameters
    ----------
    longest_ms : int
        What is divided, in milliseconds.
    most : int
        How many whole parts there may be.

    Returns
    -------
    int
        In milliseconds, 1 or more.

    Examples
    --------
    >>> round_spacing(3_600_000, 8)
    600000
    """
    fitting = (each for each in _SPACINGS if longest_ms // each <= most)
    return next(fitting, -(-longest_ms // most))


def _linear_scale(ax: Axes, which: Literal["x", "y"], longest_ms: int) -> None:
    ticks = duration_ticks(longest_ms)
    (ax.xaxis if which == "x" else ax.yaxis).set_ticks(ticks, [format_interval(each) for each in ticks])
    (ax.set_xlim if which == "x" else ax.set_ylim)(-0.03 * longest_ms, 1.05 * longest_ms)
