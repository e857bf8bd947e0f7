"""Hold what a report lays out, and call sessions by names that give nothing away unless asked to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from timectx.plots.names import setting_name
from timectx.report.markup import plain_text

if TYPE_CHECKING:
    from pandas import DataFrame

    from timectx.cost.entries import PriceEntry
    from timectx.replay import Run, Scenario
    from timectx.sweep.advice.recommendation import Recommendation

__all__ = ["Contents", "Record", "records", "setting_words"]

_LONGEST_NAME: Final = 100

Record = dict[str, Any]
"""One row of a frame: plain values by column, None where there is none."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """
    Hold what a report lays out.

    `rows` are those of the sweep and `totals` those of its totals. `found` is None where there is no
    recommendation, and `refusal` then says why. `called` gives each session the name it is shown by.
    """

    frame: DataFrame
    rows: list[Record]
    totals: list[Record]
    found: Recommendation | None
    refusal: str
    called: dict[str, str]
    names: bool
    scenarios: Sequence[Scenario | str]
    inputs: Mapping[str, str]
    prices: Sequence[PriceEntry]
    runs: Sequence[Run]

    @property
    def quantile(self) -> float:
        """The quantile of staleness that settings are compared by."""
        return self.found.limits.quantile if self.found else 0.95

    @property
    def chosen(self) -> str | None:
        """The name of the recommended setting, if there is one."""
        return self.found.scenario if self.found else None

    def said(self, name: str) -> Any:
        """
        Return what the sweep says beside its rows.

        Parameters
        ----------
        name : str
            A key of the frame's ``attrs``.

        Returns
        -------
        object
            None where it says nothing.
        """
        return self.frame.attrs.get(name)


def records(frame: DataFrame) -> list[Record]:
    """
    Return the rows of a frame as plain values.

    Parameters
    ----------
    frame : DataFrame
        Any.

    Returns
    -------
    list of dict
        Numbers, texts and bytes by column; None for every missing value.
    """
    columns = {str(name): [_plain(value) for value in frame[name].tolist()] for name in frame.columns}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def setting_words(scenario: str) -> str:
    """
    Return what a report calls a scenario.

    Parameters
    ----------
    scenario : str
        As a sweep calls it.

    Returns
    -------
    str
        As plots do, shortened where no one would read it to its end.
    """
    return plain_text(setting_name(scenario), _LONGEST_NAME)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bytes | bool | int):
        return value
    return None if not isinstance(value, float) or math.isnan(value) else value
