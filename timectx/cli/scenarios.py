"""Turn options, files and short names into scenarios, and say in words and in JSON what a scenario sets."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import click
from msgspec import Struct

from timectx.cli.options import EDITION, INTERVAL, TOKENS, ZONE
from timectx.errors import ScenarioError, TimectxError
from timectx.reading import Edition
from timectx.replay import Compaction, Scenario, parse_scenario
from timectx.units import format_interval

__all__ = [
    "Knobs",
    "due_words",
    "knob_options",
    "named_scenario",
    "read_scenario",
    "scenario_document",
    "scenario_words",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_METERS: Final = {"estimate": "the fixed estimate", "reported": "the provider's counts where the log has them"}


class Knobs(Struct, frozen=True, kw_only=True):
    """
    Hold what the command line sets of a scenario; None leaves what is there.

    `compaction` is ``recorded``, ``off`` or ``simulated``, `window` the context window of a simulated one in
    tokens.
    """

    zone: str | None = None
    edition: Edition | None = None
    policy: str | None = None
    delivery: str | None = None
    compaction: Literal["recorded", "off", "simulated"] | None = None
    window: int | None = None
    meter: str | None = None

    def on(self, scenario: Scenario) -> Scenario:
        """
        Return a scenario with these knobs turned.

        Parameters
        ----------
        scenario : Scenario
            Any.

        Returns
        -------
        Scenario
            Not yet resolved.

        Raises
        ------
        ScenarioError
            If a value is none of a scenario's.
        click.UsageError
            If a window is given where nothing is simulated.
        """
        named = {"time_zone": self.zone, **{name: getattr(self, name) for name in _PLAIN}}
        changes: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        compaction = self._compaction(scenario)
        return scenario.replace(**changes, compaction=compaction)

    def _compaction(self, scenario: Scenario) -> str | Compaction:
        held = scenario.compaction
        if self.compaction == "simulated":
            held = held if isinstance(held, Compaction) else Compaction()
        elif self.compaction is not None:
            held = self.compaction
        if self.window is None:
            return held
        if not isinstance(held, Compaction):
            raise click.UsageError(
                "--window is the context window of a simulated compaction; add --compaction simulated"
            )
        return replace(held, context_window=self.window)


_PLAIN: Final = ("edition", "policy", "delivery", "meter")

_OPTIONS: Final = (
    click.option("--zone", type=ZONE, help="Zone shown where the browser's is not known."),
    click.option("--edition", type=EDITION, help="Published contract the readings follow; readme where nothing says."),
    click.option("--policy", metavar="RULES", help="When a reading is due."),
    click.option("--delivery", metavar="WAY", help="How the time reaches the model."),
    click.option(
        "--compaction",
        type=click.Choice(("recorded", "off", "simulated")),
        help="The log's own compactions, none, or simulated ones.",
    ),
    click.option("--window", type=TOKENS, metavar="TOKENS", help="Context window of a simulated compaction."),
    click.option("--meter", metavar="METER", help="How tokens are priced."),
)


def knob_options(command: _Command) -> _Command:
    """
    Give a command the options that turn a scenario's knobs.

    Parameters
    ----------
    command : callable
        It takes `knobs`, a `Knobs`.

    Returns
    -------
    callable
        The same, with options.
    """

    @wraps(command)
    def collected(**values: Any) -> Any:
        knobs = Knobs(**{name: values.pop(name) for name in Knobs.__struct_fields__})
        return command(knobs=knobs, **values)

    made: Any = collected
    for option in reversed(_OPTIONS):
        made = option(made)
    return made  # type: ignore[no-any-return]


def read_scenario(path: str) -> Scenario:
    """
    Return the scenario of a file.

    Parameters
    ----------
    path : str
        A TOML file.

    Returns
    -------
    Scenario
        Not yet resolved.

    Raises
    ------
    ScenarioError
        If the file cannot be read or holds no scenario; the message starts with its path.
    """
    try:
        return parse_scenario(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, TimectxError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ScenarioError(f"{path}: {why}", kind="scenario-file") from None


def named_scenario(text: str, base: Scenario, knobs: Knobs | None = None) -> Scenario:
    """
    Return what a person calls a scenario.

    Parameters
    ----------
    text : str
        An interval such as ``10m``, or the path of a TOML file.
    base : Scenario
        What an interval changes; where no interval mattered, it does then.
    knobs : Knobs, optional
        What is set beside; `base` has it already.

    Returns
    -------
    Scenario
        Not yet resolved, except where `base` is.

    Raises
    ------
    ScenarioError
        If it is neither.

    Examples
    --------
    >>> named_scenario("10m", Scenario(edition="note")).interval_ms
    600000
    """
    if text.endswith(".toml") or Path(text).is_file():
        return (knobs or Knobs()).on(read_scenario(text))
    try:
        interval_ms = INTERVAL.convert(text, None, None)
    except click.BadParameter:
        raise ScenarioError(
            f"no scenario is called {text!r}; expected an interval such as 10m, a TOML file or as-recorded",
            kind="scenario-name",
        ) from None
    return base.replace(interval_ms=interval_ms, policy=base.policy if "interval" in base.policy else "interval")


def scenario_words(scenario: Scenario) -> str:
    """
    Say in words what a scenario sets.

    Parameters
    ----------
    scenario : Scenario
        Any.

    Returns
    -------
    str
        Edition, zone and meter, and whatever else is not as usual; not when a reading is due.

    Examples
    --------
    >>> scenario_words(Scenario(compaction="off"))
    'edition readme, zone from the log, tokens by the fixed estimate, no compaction'
    """
    zone = scenario.time_zone
    shown = zone if isinstance(zone, str) or zone is None else ", ".join(dict.fromkeys(name for _, name in zone))
    parts = [f"edition {scenario.edition}", f"zone {shown or 'from the log'}", f"tokens by {_METERS[scenario.meter]}"]
    delivery: str = scenario.delivery
    if delivery != "appended":
        parts.append(f"delivery {delivery}")
    if isinstance(scenario.compaction, Compaction):
        window = scenario.compaction.context_window
        parts.append("simulated compaction" + (f" in {window:,} tokens" if window else ""))
    elif scenario.compaction == "off":
        parts.append("no compaction")
    return ", ".join(parts)


def due_words(scenario: Scenario) -> str:
    """
    Say in words when a reading is due.

    Parameters
    ----------
    scenario : Scenario
        Any.

    Returns
    -------
    str
        A phrase.

    Examples
    --------
    >>> due_words(Scenario(interval_ms=60_000)), due_words(Scenario(policy="recorded"))
    ('interval 1m', 'readings as recorded')
    """
    if scenario.policy == "recorded":
        return "readings as recorded"
    return f"interval {format_interval(scenario.interval)}"


def scenario_document(scenario: Scenario) -> dict[str, object]:
    """
    Return a scenario as plain values.

    Parameters
    ----------
    scenario : Scenario
        One that a file could hold.

    Returns
    -------
    dict
        Every knob by its name in TOML, and as TOML holds it; None for those that no file would name.

    Examples
    --------
    >>> document = scenario_document(Scenario(interval_ms=60_000))
    >>> document["interval_ms"], document["time_zone"]
    (60000, None)
    """
    told = tomllib.loads(scenario.to_toml())
    return {knob.name: told.get(knob.name) for knob in fields(scenario)}
