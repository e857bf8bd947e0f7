"""Hold every knob of a replay in one frozen value."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from dataclasses import replace as _replace
from typing import Any, Final, Literal, TypeAlias, get_args

from timectx.errors import ScenarioError, ZoneError
from timectx.reading import Edition, ZoneLabel, default_interval_ms, printed_label, utc_offset_s
from timectx.replay.counters import NamedCounter, counter_of
from timectx.replay.deliveries import SHORTEST_TIMER_MS, Delivery
from timectx.replay.meter import Counter
from timectx.replay.policies import format_policy, parse_policy
from timectx.replay.scenario_toml import knobs_from_toml, knobs_to_toml
from timectx.replay.schedule import check_interval
from timectx.replay.simulation import Compaction
from timectx.units import MAX_SAFE_INTEGER

__all__ = ["CompactionMode", "Meter", "Policy", "Scenario", "ZoneSpans", "parse_scenario"]

Policy: TypeAlias = str
CompactionMode: TypeAlias = Literal["recorded", "off"] | Compaction
Meter: TypeAlias = Literal["estimate", "reported", "scaled"]

ZoneSpans: TypeAlias = tuple[tuple[int, str], ...]
"""Fallback zones of a log whose process changed zone: (first seq it holds for, zone), rising."""

_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "edition": get_args(Edition),
    "delivery": get_args(Delivery),
    "meter": get_args(Meter),
}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """
    Hold every knob of a replay.

    Parameters
    ----------
    edition : {"note", "note-v2", "readme", "current"}
        Which published contract readings follow.
    interval_ms : int or None
        Refresh interval in milliseconds; 0 = a reading at every attempt. None takes the edition's
        default: 600,000 in ``current``, else 0.
    policy : str
        When a reading is due: an expression of rules as `parse_policy` reads it, such as
        ``"interval | after-compaction"``, kept in its one spelling; or ``recorded``, exactly where the log
        has one.
    gap_ms : int
        How long a silence the rule ``gap`` waits for, in milliseconds.
    delivery : {"appended", "system-prompt", "replaced", "session-prefix", "request-line", "tool", "timer"}
        How time reaches the model, as `DELIVERIES` describes; ``appended`` is one durable message
        added before the step. ``timer`` needs an interval of a second at least.
    tool_calls : int
        How often a turn calls the clock, under delivery ``tool``; 0 = never.
    time_zone : str, tuple or None
        Fallback zone, by any name it goes under, or a `ZoneLabel`; or spans ``((seq, zone), …)``
        where it changed; None is resolved from the log's own readings before the replay, else to UTC.
    compaction : {"recorded", "off"} or Compaction
        Whether the log's own compactions happen; without them shortened tool results are whole again, too.
        A `Compaction` takes their place with simulated ones.
    meter : {"estimate", "reported", "scaled"}
        Price requests by the fixed estimate, take the provider's counts where the log has them, or scale the
        estimate by one factor.
    scale : float or None
        That factor, under meter ``scaled`` alone; None is fitted to the log before the replay.
    counter : callable or str, optional
        Returns how many tokens a text has, in place of the fixed estimate; it prices messages, headers and
        readings by their bare texts. A name stands for a `NamedCounter`, such as ``o200k``. None uses the
        estimate.
    skip_empty : bool
        Whether a turn closes at once where a reading alone would keep it going. The original bills
        the request; True shows the world without that.
    model : str or None
        Whose prices the bill takes; None = the model each request went to.
    cache : str or None
        Which cache the bill assumes; None = the one that goes with the price.

    Raises
    ------
    ScenarioError
        If a value is none of the above; the message lists what is.
    ZoneError
        If a zone is unknown.

    Examples
    --------
    >>> Scenario(interval_ms=60_000).replace(time_zone="Asia/Kolkata").time_zone
    'Asia/Calcutta'
    >>> Scenario(edition="current").interval_ms
    600000
    """

    edition: Edition = "readme"
    interval_ms: int | None = None
    policy: Policy = "interval"
    gap_ms: int = 1_800_000
    delivery: Delivery = "appended"
    tool_calls: int = 1
    time_zone: str | ZoneSpans | None = None
    compaction: CompactionMode = "recorded"
    meter: Meter = "estimate"
    scale: float | None = None
    counter: Counter | str | None = None
    skip_empty: bool = False
    model: str | None = None
    cache: str | None = None

    def __post_init__(self) -> None:
        """Check every value once, so that nothing further in has to."""
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ScenarioError(f"{name} is one of {', '.join(choices)}; got {value!r}", kind=name)
        if self.interval_ms is None:
            object.__setattr__(self, "interval_ms", default_interval_ms(self.edition))
        check_interval(self.interval_ms)
        object.__setattr__(self, "policy", format_policy(parse_policy(self.policy)))
        _check_delivery(self)
        object.__setattr__(self, "time_zone", _checked_zone(self.time_zone))
        _check_compaction(self.compaction, self.edition)
        _check_meter(self)
        if type(self.skip_empty) is not bool:
            raise ScenarioError(f"skip_empty is true or false; got {self.skip_empty!r}", kind="skip_empty")
        object.__setattr__(self, "counter", counter_of(self.counter))
        for name in ("model", "cache"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value):
                raise ScenarioError(f"{name} is a name, or none; got {value!r}", kind=name)

    @property
    def interval(self) -> int:
        """The refresh interval in milliseconds, the edition's default where none was given."""
        return self.interval_ms or 0

    def replace(self, **changes: Any) -> Scenario:
        """
        Return a copy with some knobs turned.

        Parameters
        ----------
        **changes : object
            New values by parameter name.

        Returns
        -------
        Scenario
            Checked like a new one.

        Raises
        ------
        ScenarioError
            If a name or a value is none of a scenario's.
        """
        _check_names(changes)
        return _replace(self, **changes)

    def to_toml(self) -> str:
        """
        Write the scenario as TOML.

        Returns
        -------
        str
            One line a knob; those left unresolved (None) are omitted.

        Raises
        ------
        ScenarioError
            Kinds ``counter`` and ``summary`` when a function of one's own is set, which no file can hold.
        """
        if self.counter is not None and not isinstance(self.counter, NamedCounter):
            raise ScenarioError("a scenario with its own counter cannot be written to a file", kind="counter")
        return knobs_to_toml({knob.name: getattr(self, knob.name) for knob in fields(self)})


def parse_scenario(text: str) -> Scenario:
    r"""
    Read a scenario from TOML.

    Parameters
    ----------
    text : str
        As `Scenario.to_toml` writes it; missing knobs take their defaults.

    Returns
    -------
    Scenario
        The scenario.

    Raises
    ------
    ScenarioError
        If the text is no TOML, or names a knob or a value that does not exist.

    Examples
    --------
    >>> parse_scenario('interval_ms = 60000\npolicy = "interval"').interval_ms
    60000
    """
    knobs = knobs_from_toml(text)
    _check_names(knobs)
    return Scenario(**knobs)


def _check_delivery(scenario: Scenario) -> None:
    for name, value, unit in (
        ("gap_ms", scenario.gap_ms, "milliseconds"),
        ("tool_calls", scenario.tool_calls, "calls"),
    ):
        if type(value) is not int or not 0 <= value <= MAX_SAFE_INTEGER:
            raise ScenarioError(f"{name} is a whole number of {unit} from 0; got {value!r}", kind=name)
    if scenario.delivery == "timer" and scenario.interval < SHORTEST_TIMER_MS:
        raise ScenarioError(
            f"a timer needs an interval of {SHORTEST_TIMER_MS} ms at least; got {scenario.interval}", kind="interval"
        )


def _check_meter(scenario: Scenario) -> None:
    scale: object = scenario.scale
    if scenario.meter == "reported" and scenario.compaction != "recorded":
        raise ScenarioError(
            "reported sizes hold only for the compactions the log has; use meter estimate with any other",
            kind="meter",
        )
    if scale is None:
        return
    if scenario.meter != "scaled":
        raise ScenarioError(f"scale goes with meter scaled alone; the meter is {scenario.meter}", kind="scale")
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale < math.inf:
        raise ScenarioError(f"scale is a number above 0; got {scale!r}", kind="scale")
    object.__setattr__(scenario, "scale", float(scale))


def _check_compaction(mode: object, edition: Edition) -> None:
    if isinstance(mode, Compaction):
        mode.check(edition)
    elif mode not in ("recorded", "off"):
        raise ScenarioError(f"compaction is one of recorded, off, a Compaction; got {mode!r}", kind="compaction")


def _check_names(knobs: Mapping[str, object]) -> None:
    known = [knob.name for knob in fields(Scenario)]
    for name in knobs:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; the knobs are {', '.join(known)}"
            raise ScenarioError(f"a scenario has no {name!r}{hint}", kind="unknown-knob")


def _checked_zone(zone: object) -> str | ZoneSpans | None:
    if zone is None:
        return None
    if isinstance(zone, str):
        return _known_zone(zone)
    if isinstance(zone, tuple) and zone and all(_is_span(span) for span in zone):
        seqs = [seq for seq, _ in zone]
        if seqs == sorted(set(seqs)):
            return tuple((seq, _known_zone(name)) for seq, name in zone)
    raise ZoneError(f"a time zone is an IANA name, or spans of (seq, name) with rising seqs; got {zone!r}", kind="zone")


def _is_span(span: object) -> bool:
    return isinstance(span, tuple) and len(span) == 2 and type(span[0]) is int and isinstance(span[1], str)


def _known_zone(zone: str) -> str:
    """Return a zone by the name readings print; a label that only names its clock apart stays as it is."""
    utc_offset_s(0, zone)
    return zone if isinstance(zone, ZoneLabel) else printed_label(zone)
