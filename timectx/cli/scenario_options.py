"""Turn options, files and short names into scenarios."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, get_args

import click
from msgspec import Struct

from timectx.cli.options import EDITION, INTERVAL, TOKENS, ZONE, ValueType
from timectx.cli.tables import print_table
from timectx.cost import read_prices
from timectx.errors import ScenarioError, TimectxError
from timectx.reading import Edition
from timectx.replay import Compaction, Scenario, parse_scenario
from timectx.replay.counters import COUNTER_NAMES, NamedCounter
from timectx.replay.deliveries import Delivery
from timectx.replay.policies import RULES
from timectx.replay.presets import PRESETS, presets
from timectx.replay.presets import preset as find_preset
from timectx.replay.scenario import Meter

__all__ = ["Knobs", "knob_options", "named_scenario", "preset_option", "prices_option", "read_scenario"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Knobs(Struct, frozen=True, kw_only=True):
    """
    Hold what the command line sets of a scenario; None leaves what is there.

    `compaction` is ``recorded``, ``off`` or ``simulated``, `window` the context window of a simulated one in
    tokens, `model` whose prices the bill takes. The rest is as a scenario has it.
    """

    zone: str | None = None
    edition: Edition | None = None
    policy: str | None = None
    delivery: str | None = None
    compaction: Literal["recorded", "off", "simulated"] | None = None
    window: int | None = None
    meter: str | None = None
    counter: NamedCounter | None = None
    model: str | None = None
    cache: str | None = None

    def on(self, scenario: Scenario, interval_ms: int | None = None) -> Scenario:
        """
        Return a scenario with these knobs turned.

        Parameters
        ----------
        scenario : Scenario
            Any.
        interval_ms : int, optional
            The interval in milliseconds; None leaves it.

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
        named = {"time_zone": self.zone, "interval_ms": interval_ms, **{name: getattr(self, name) for name in _PLAIN}}
        changes: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        compaction = self._compaction(scenario)
        return scenario.replace(**changes, compaction=compaction)

    def world(self, scenario: Scenario) -> dict[str, Any]:
        """
        Return the knobs that change what a session sends, and what that costs, whenever a reading is due.

        Parameters
        ----------
        scenario : Scenario
            One that has these knobs already.

        Returns
        -------
        dict
            By name; those that are as in ``Scenario()`` are left out.
        """
        plain = Scenario()
        held = {name: getattr(scenario, name) for name in _WORLD}
        return {name: value for name, value in held.items() if value != getattr(plain, name)}

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


_WORLD: Final = ("compaction", "meter", "scale", "counter", "skip_empty", "model", "cache")

_PLAIN: Final = ("edition", "policy", "delivery", "meter", "counter", "model", "cache")

_OPTIONS: Final = (
    click.option("--zone", type=ZONE, help="Zone shown where the browser's is not known."),
    click.option("--edition", type=EDITION, help="Published contract the readings follow; readme where nothing says."),
    click.option(
        "--policy",
        metavar="RULES",
        help=f"When a reading is due: {', '.join(RULES)}, joined by ' | ' (any) and ' & ' (all).",
    ),
    click.option("--delivery", type=click.Choice(get_args(Delivery)), help="How the time reaches the model."),
    click.option(
        "--compaction",
        type=click.Choice(("recorded", "off", "simulated")),
        help="The log's own compactions, none, or simulated ones.",
    ),
    click.option("--window", type=TOKENS, metavar="TOKENS", help="Context window of a simulated compaction."),
    click.option("--meter", type=click.Choice(get_args(Meter)), help="What the size of a request is taken from."),
    click.option(
        "--counter",
        type=ValueType("counter", NamedCounter),
        metavar="NAME",
        help=f"Count tokens by {', '.join(COUNTER_NAMES)} in place of the fixed estimate.",
    ),
    click.option("--priced-as", "model", metavar="MODEL", help="Bill by this model's prices, not those of the log's."),
    click.option("--cache", metavar="RULE", help="Bill by this rule for the provider's cache, not the model's own."),
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


def _listed(ctx: click.Context, _: click.Parameter, names: tuple[str, ...]) -> tuple[Scenario, ...]:
    if "list" in names:
        rows = [(each.name, each.title, each.about) for each in PRESETS.values()]
        print_table(("name", "title", "what it is"), rows, left=("name", "title", "what it is"), prose="what it is")
        ctx.exit()
    try:
        return tuple(find_preset(name).scenario for name in names)
    except ScenarioError as error:
        raise click.BadParameter(str(error)) from None


preset_option: Final = click.option(
    "--preset",
    "preset",
    metavar="NAME",
    multiple=True,
    is_eager=True,
    callback=_listed,
    help="Take a scenario that has a name; list prints them all.",
)

prices_option: Final = click.option(
    "--prices",
    type=ValueType("prices", read_prices),
    metavar="TOML",
    help="Lay a price list of your own over the one that comes with timectx.",
)


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
        if isinstance(error, UnicodeDecodeError):
            why = f"not a text in UTF-8, which TOML is: {error}"
        raise ScenarioError(f"{path}: {why}", kind="scenario-file") from None


def named_scenario(text: str, base: Scenario, knobs: Knobs | None = None) -> Scenario:
    """
    Return what a person calls a scenario.

    Parameters
    ----------
    text : str
        An interval such as ``10m``, the name of a preset, or the path of a TOML file.
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
    if text in PRESETS or text in presets():
        return (knobs or Knobs()).on(find_preset(text).scenario)
    try:
        interval_ms = INTERVAL.convert(text, None, None)
    except click.BadParameter:
        raise ScenarioError(
            f"no scenario is called {text!r}; expected an interval such as 10m, a TOML file, a preset or as-recorded",
            kind="scenario-name",
        ) from None
    asks = "interval" in base.policy.split(" ")
    return base.replace(interval_ms=interval_ms, policy=base.policy if asks else "interval")
