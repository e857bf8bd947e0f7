"""Hold what a price list says: rates, the hours and prompt sizes they hold for, and where they were read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

__all__ = ["HOURS_A_WEEK", "Band", "Hours", "PriceEntry", "Rates", "hour_of_week"]

HOURS_A_WEEK: Final = 168

_HOUR_MS: Final = 3_600_000
_PICO_A_DOLLAR_A_MILLION: Final = 1_000_000


class Rates(Struct, frozen=True, kw_only=True):
    """
    Hold what a token costs, in pico-USD (1e-12 USD) each.

    `input` is what the cache does not hold, `cached` what is read from it, `write` and `write_1h` what is
    written to it for its usual time or for an hour, `output` the reply.
    """

    input: int
    cached: int
    write: int
    write_1h: int
    output: int


class Band(Struct, frozen=True, kw_only=True):
    """
    Hold rates that replace an entry's own at some hours or for longer prompts.

    `hours` names them, None = at any hour; `above_tokens` is the prompt size they start above, 0 = any.
    """

    rates: Rates
    hours: str | None = None
    above_tokens: int = 0


class Hours(Struct, frozen=True, kw_only=True):
    """
    Hold hours of the week, in UTC.

    `days` counts from 0 for Monday, `spans_utc` are (first hour, hour after the last), `off_days` are days
    without any, in days since the Unix epoch. `read_on` is the day `source` showed them.
    """

    name: str
    days: tuple[int, ...]
    spans_utc: tuple[tuple[int, int], ...]
    off_days: tuple[int, ...] = ()
    source: str = ""
    read_on: str = ""
    note: str = ""

    def holds(self, hour: int) -> bool:
        """
        Tell whether an hour of an ordinary week is one of these.

        Parameters
        ----------
        hour : int
            From 0, Monday 00:00 UTC.

        Returns
        -------
        bool
            True for these hours; days off are not looked at.
        """
        day, hour_of_day = divmod(hour, 24)
        return day in self.days and any(first <= hour_of_day < end for first, end in self.spans_utc)

    def holds_at(self, time_ms: int) -> bool:
        """
        Tell whether an instant falls into these hours.

        Parameters
        ----------
        time_ms : int
            In epoch milliseconds.

        Returns
        -------
        bool
            False on a day off.
        """
        return time_ms // (24 * _HOUR_MS) not in self.off_days and self.holds(hour_of_week(time_ms))


class PriceEntry(Struct, frozen=True, kw_only=True):
    """
    Hold what one model costs over one period.

    Parameters
    ----------
    provider : str
        Who serves it.
    models : tuple of str
        Its name and its other names.
    rates : Rates
        Where no band applies.
    source : str
        Where the rates are from.
    read_on : str
        The day the source showed them.
    cache : str
        Name of the rule of the provider's cache.
    bands : tuple of Band
        Rates at some hours, or for longer prompts; the band with most conditions wins.
    valid_from_ms, valid_until_ms : int or None
        The period in epoch milliseconds, its end excluded; None = open.
    minimum_tokens : int or None
        Shortest prefix that cache keeps of this model; None = the rule's own.
    derived : tuple of (str, str)
        Which rates the source does not list, and how they were derived.
    note : str
        What is uncertain.
    file : str
        The price list it stands in.
    """

    provider: str
    models: tuple[str, ...]
    rates: Rates
    source: str
    read_on: str
    cache: str
    bands: tuple[Band, ...] = ()
    valid_from_ms: int | None = None
    valid_until_ms: int | None = None
    minimum_tokens: int | None = None
    derived: tuple[tuple[str, str], ...] = ()
    note: str = ""
    file: str = ""

    @property
    def limit_tokens(self) -> int:
        """The prompt size above which other rates hold; 0 = none."""
        return max((band.above_tokens for band in self.bands), default=0)

    @property
    def hours(self) -> str | None:
        """Name of the hours at which other rates hold; None = at all hours the same."""
        return next((band.hours for band in self.bands if band.hours), None)

    def covers(self, time_ms: int) -> bool:
        """
        Tell whether an instant falls into the entry's period.

        Parameters
        ----------
        time_ms : int
            In epoch milliseconds.

        Returns
        -------
        bool
            The start belongs to the period, the end does not.
        """
        started = self.valid_from_ms is None or self.valid_from_ms <= time_ms
        return started and (self.valid_until_ms is None or time_ms < self.valid_until_ms)

    def rates_for(self, in_hours: bool, input_tokens: int) -> Rates:
        """
        Return the rates of one request.

        Parameters
        ----------
        in_hours : bool
            Whether it falls into the hours the entry names.
        input_tokens : int
            Length of the whole prompt, whatever the cache holds of it.

        Returns
        -------
        Rates
            Of the band that applies, else the entry's own.
        """
        applying = [
            band
            for band in self.bands
            if (in_hours or not band.hours) and (not band.above_tokens or input_tokens > band.above_tokens)
        ]
        most = max(applying, key=lambda band: (band.hours is not None) + (band.above_tokens > 0), default=None)
        return most.rates if most else self.rates

    def describe(self) -> str:
        """
        Say in one line what is charged, since when, and who says so.

        Returns
        -------
        str
            For reports: model, period, rates in USD per million tokens, source and day of reading.
        """
        head = f"{self.provider} {self.models[0]}{self._period()}, USD per 1M tokens"
        parts = [f"{head}: {_rates_text(self.rates)}"]
        parts += [f"{_band_text(band)}: {_rates_text(band.rates)}" for band in self.bands]
        parts.append(f"cache {self.cache}" + (f" from {self.minimum_tokens} tokens" if self.minimum_tokens else ""))
        parts += [f"{name} derived as {how}" for name, how in self.derived]
        return "; ".join([*parts, f"{self.source}, read on {self.read_on}"])

    def _period(self) -> str:
        since = f" from {_instant(self.valid_from_ms)}" if self.valid_from_ms is not None else ""
        return since + (f" until {_instant(self.valid_until_ms)}" if self.valid_until_ms is not None else "")


def hour_of_week(time_ms: int) -> int:
    """
    Return the hour of the week an instant falls into.

    Parameters
    ----------
    time_ms : int
        In epoch milliseconds.

    Returns
    -------
    int
        From 0, Monday 00:00 UTC, to 167.

    Examples
    --------
    >>> hour_of_week(0)  # the epoch began on a Thursday
    72
    """
    return (time_ms // _HOUR_MS + 72) % HOURS_A_WEEK


def _instant(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%MZ")


def _rates_text(rates: Rates) -> str:
    """Write rates in USD per million tokens; what costs no more than plain input goes without saying."""
    named = {name: getattr(rates, name) for name in rates.__struct_fields__}
    kept = {name: value for name, value in named.items() if name in ("input", "output") or value != rates.input}
    return ", ".join(f"{name} {value / _PICO_A_DOLLAR_A_MILLION:.10g}" for name, value in kept.items())


def _band_text(band: Band) -> str:
    above = f"above {band.above_tokens} tokens" if band.above_tokens else ""
    return " ".join(part for part in (f"at {band.hours}" if band.hours else "", above) if part)
