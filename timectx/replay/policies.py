"""Say when a reading is due: small rules of whole numbers, and the expressions that join them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from timectx.errors import ScenarioError

__all__ = [
    "AFTER_COMPACTION",
    "CALENDAR_DAY",
    "GAP",
    "INTERVAL",
    "RULES",
    "TURN",
    "ZONE_CHANGE",
    "any_holds",
    "format_policy",
    "gap_holds",
    "held_rules",
    "interval_holds",
    "parse_policy",
    "turn_holds",
    "zone_change_holds",
]

RULES: Final = ("interval", "turn", "gap", "calendar-day", "zone-change", "after-compaction")
"""The rules by name; the bit of the first is 1, that of each other twice the one before."""

INTERVAL: Final = 1
TURN: Final = 2
GAP: Final = 4
CALENDAR_DAY: Final = 8
ZONE_CHANGE: Final = 16
AFTER_COMPACTION: Final = 32

_RECORDED: Final = "recorded"


def interval_holds(now_ms: int, last_ms: int, interval_ms: int) -> bool:
    """
    Tell whether the newest reading is old enough for another.

    Parameters
    ----------
    now_ms : int
        The attempt's instant, in epoch milliseconds.
    last_ms : int
        Event time of the newest reading, in epoch milliseconds.
    interval_ms : int
        Refresh interval in milliseconds; 0 = every attempt.

    Returns
    -------
    bool
        True from that age on, and when the clock stands before the reading.

    References
    ----------
    .. [1] deepseek-harness, packages/context/time-context/src/index.ts, `apply`.

    Examples
    --------
    >>> interval_holds(90, 60, 60), interval_holds(120, 60, 60), interval_holds(59, 60, 60)
    (False, True, True)
    """
    return now_ms < last_ms or now_ms - last_ms >= interval_ms


def turn_holds(last_reading_at: int, turn_started_at: int) -> bool:
    """
    Tell whether a turn has had no reading yet.

    Parameters
    ----------
    last_reading_at, turn_started_at : int
        Places of the newest reading and of the newest start of the attempt's turn in the order of the log;
        -1 for a turn that never started, which every reading follows.

    Returns
    -------
    bool
        True when the reading stands before the turn's start.

    Examples
    --------
    >>> turn_holds(4, 7), turn_holds(9, 7)
    (True, False)
    """
    return last_reading_at <= turn_started_at


def gap_holds(now_ms: int, has_message: bool, message_ms: int, gap_ms: int) -> bool:
    """
    Tell whether nothing was said for long before an attempt.

    Parameters
    ----------
    now_ms : int
        The attempt's instant, in epoch milliseconds.
    has_message : bool
        Whether any message stands before it, beside what enters with it.
    message_ms : int
        Event time of the newest of these, in epoch milliseconds; unread without one.
    gap_ms : int
        How long is long, in milliseconds; 0 = any time, but not with the clock gone back.

    Returns
    -------
    bool
        True after a silence of at least `gap_ms`, and where nothing was ever said.

    Examples
    --------
    >>> gap_holds(500, True, 100, 400), gap_holds(499, True, 100, 400), gap_holds(99, True, 100, 0)
    (True, False, False)
    """
    return not has_message or now_ms - message_ms >= gap_ms


def zone_change_holds(zone: int, last_zone: int) -> bool:
    """
    Tell whether a turn's zone differs from the one of the newest reading's turn.

    Parameters
    ----------
    zone, last_zone : int
        One number for each label; below 0 = not known.

    Returns
    -------
    bool
        True when both are known and differ.

    Examples
    --------
    >>> zone_change_holds(1, 2), zone_change_holds(1, 1), zone_change_holds(-1, 2)
    (True, False, False)
    """
    return zone >= 0 and last_zone >= 0 and zone != last_zone


def held_rules(
    now_ms: int,
    last_ms: int,
    interval_ms: int,
    last_reading_at: int,
    turn_started_at: int,
    has_message: bool,
    message_ms: int,
    gap_ms: int,
    is_other_day: bool,
    zone: int,
    last_zone: int,
    is_compacted: bool,
) -> int:
    """
    Return the rules that hold at an attempt, where there was a reading before.

    Parameters
    ----------
    now_ms, last_ms, interval_ms : int
        As for `interval_holds`.
    last_reading_at, turn_started_at : int
        As for `turn_holds`.
    has_message : bool
        As for `gap_holds`.
    message_ms, gap_ms : int
        As for `gap_holds`.
    is_other_day : bool
        Whether a reading taken now would print another date than the newest one; False where it could not
        print any.
    zone, last_zone : int
        As for `zone_change_holds`.
    is_compacted : bool
        Whether a checkpoint replaced messages since the newest reading was added.

    Returns
    -------
    int
        Their bits, added up.

    Notes
    -----
    Whole numbers and truth values alone, so that compiled loops can hold it.

    Examples
    --------
    >>> held_rules(120, 60, 60, 9, 7, True, 100, 400, False, 1, 1, True) == INTERVAL + AFTER_COMPACTION
    True
    """
    held = 0
    if interval_holds(now_ms, last_ms, interval_ms):
        held += INTERVAL
    if turn_holds(last_reading_at, turn_started_at):
        held += TURN
    if gap_holds(now_ms, has_message, message_ms, gap_ms):
        held += GAP
    if is_other_day:
        held += CALENDAR_DAY
    if zone_change_holds(zone, last_zone):
        held += ZONE_CHANGE
    if is_compacted:
        held += AFTER_COMPACTION
    return held


def any_holds(masks: Sequence[int], held: int) -> bool:
    """
    Tell whether all rules of any term hold.

    Parameters
    ----------
    masks : sequence of int
        The terms, as `parse_policy` returns them.
    held : int
        The rules that hold, as `held_rules` returns them.

    Returns
    -------
    bool
        False for no term at all.

    Examples
    --------
    >>> any_holds((INTERVAL + TURN, GAP), INTERVAL), any_holds((INTERVAL + TURN, GAP), GAP + TURN)
    (False, True)
    """
    for mask in masks:  # noqa: SIM110  a generator does not compile
        if held & mask == mask:
            return True
    return False


def parse_policy(text: str) -> tuple[int, ...]:
    """
    Read a policy.

    Parameters
    ----------
    text : str
        Names of `RULES` joined by ``|`` (any of) and ``&`` (all of; binds tighter), or ``recorded`` alone.

    Returns
    -------
    tuple of int
        One mask a term, in the order of `format_policy`; what another term covers is gone. Empty for
        ``recorded``, which asks no rule.

    Raises
    ------
    ScenarioError
        Kind ``policy`` for anything else.

    Examples
    --------
    >>> parse_policy("gap|interval & turn|gap&calendar-day")
    (3, 4)
    >>> parse_policy("recorded")
    ()
    """
    if not isinstance(text, str):
        raise _no_policy(text)
    if text.strip() == _RECORDED:
        return ()
    terms = {_mask(term, text) for term in text.split("|")}
    kept = (mask for mask in terms if not any(other != mask and other & mask == other for other in terms))
    return tuple(sorted(kept, key=_places))


def format_policy(masks: Iterable[int]) -> str:
    """
    Write a policy in its one spelling.

    Parameters
    ----------
    masks : iterable of int
        As `parse_policy` returns them.

    Returns
    -------
    str
        Rules within a term and terms among each other in the order of `RULES`.

    Examples
    --------
    >>> format_policy(parse_policy("after-compaction|turn&interval"))
    'interval & turn | after-compaction'
    """
    terms = [" & ".join(RULES[place] for place in _places(mask)) for mask in masks]
    return " | ".join(terms) or _RECORDED


def _mask(term: str, text: str) -> int:
    mask = 0
    for name in term.split("&"):
        if name.strip() not in RULES:
            raise _no_policy(text)
        mask |= 1 << RULES.index(name.strip())
    return mask


def _places(mask: int) -> tuple[int, ...]:
    return tuple(place for place in range(len(RULES)) if mask >> place & 1)


def _no_policy(text: object) -> ScenarioError:
    rules = ", ".join(RULES)
    return ScenarioError(
        f"policy is one of {_RECORDED}, {rules}, or rules joined by | (any of) and & (all of); got {text!r}",
        kind="policy",
    )
