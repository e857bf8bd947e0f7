"""Read what a recommendation has to keep: shares, quantiles and counts as people type them."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any, Final, TypeVar, get_args

import click

from timectx.cli.options import INTERVAL, ValueType
from timectx.errors import UnitError
from timectx.sweep.advice.constraints import By

__all__ = ["limit_options", "parse_blind", "parse_quantile", "parse_share"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_NUMBER: Final = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*(%?)", re.ASCII)


def parse_share(text: str) -> float:
    """
    Read a share.

    Parameters
    ----------
    text : str
        A percentage such as ``2%``, or a number from 0 to below 1 such as ``0.02``.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    UnitError
        Kind ``share`` if it is neither, a bare 1 or more included: it could mean either.

    Examples
    --------
    >>> parse_share("2%"), parse_share("0.02"), parse_share("100 %")
    (0.02, 0.02, 1.0)
    """
    found = _NUMBER.fullmatch(text.strip())
    share = Fraction(found[1]) / (100 if found[2] else 1) if found else Fraction(-1)
    if not found or not 0 <= share <= 1 or (share == 1 and not found[2]):
        raise UnitError(f"not a share: {text!r}; expected a percentage such as 2%, or 0.02", kind="share")
    return float(share)


def parse_blind(text: str) -> tuple[str, float]:
    """
    Read how many steps may see no reading.

    Parameters
    ----------
    text : str
        A whole number of steps, or a share such as ``2%``.

    Returns
    -------
    tuple of str and float
        ``max_blind_steps`` and a number, or ``max_blind_ratio`` and a share.

    Raises
    ------
    UnitError
        Kind ``share`` if it is neither.

    Examples
    --------
    >>> parse_blind("0"), parse_blind("2%")
    (('max_blind_steps', 0), ('max_blind_ratio', 0.02))
    """
    trimmed = text.strip()
    if re.fullmatch(r"[0-9]{1,15}", trimmed, re.ASCII):
        return "max_blind_steps", int(trimmed)
    try:
        return "max_blind_ratio", parse_share(trimmed)
    except UnitError:
        raise UnitError(f"not a number or share of steps: {text!r}; expected 0, 12 or 2%", kind="share") from None


def parse_quantile(text: str) -> float:
    """
    Read a quantile.

    Parameters
    ----------
    text : str
        A number above 0 and up to 1, or a percentage: ``0.95``, ``95%``.

    Returns
    -------
    float
        Above 0, up to 1.

    Raises
    ------
    UnitError
        Kind ``quantile`` if it is not.

    Examples
    --------
    >>> parse_quantile("0.95"), parse_quantile("95%"), parse_quantile("1")
    (0.95, 0.95, 1.0)
    """
    found = _NUMBER.fullmatch(text.strip())
    quantile = Fraction(found[1]) / (100 if found[2] else 1) if found else Fraction(0)
    if not 0 < quantile <= 1:
        raise UnitError(
            f"not a quantile: {text!r}; expected a number above 0 and up to 1, such as 0.95", kind="quantile"
        )
    return float(quantile)


SHARE: Final = ValueType("share", parse_share)
BLIND: Final = ValueType("steps", parse_blind)
QUANTILE: Final = ValueType("quantile", parse_quantile)

_OPTIONS: Final = (
    click.option(
        "--max-staleness",
        "max_staleness_ms",
        type=INTERVAL,
        help="How old the newest reading may be that a step sees, at the quantile; such as 5m.",
    ),
    click.option(
        "--quantile", type=QUANTILE, default="0.95", show_default=True, help="Share of the steps that has to keep it."
    ),
    click.option(
        "--max-blind", "blind", type=BLIND, help="How many steps may see no reading: 0, or a share such as 2%."
    ),
    click.option(
        "--by",
        type=click.Choice(get_args(By)),
        default="tokens",
        show_default=True,
        help="What is weighed against staleness: the share of tokens, or the bill.",
    ),
    click.option(
        "--budget", "budget_ratio", type=SHARE, help="Share of all tokens that readings may take, such as 2%."
    ),
)


def limit_options(command: _Command) -> _Command:
    """
    Give a command the options that limit a recommendation.

    Parameters
    ----------
    command : callable
        It takes `limits`, a dict of what `timectx.sweep.tune` takes by the same names.

    Returns
    -------
    callable
        The same, with options.
    """

    @wraps(command)
    def collected(blind: tuple[str, float] | None, **values: Any) -> Any:
        limits = {name: values.pop(name) for name in ("max_staleness_ms", "quantile", "budget_ratio", "by")}
        if blind is not None:
            limits[blind[0]] = blind[1]
        return command(limits=limits, **values)

    made: Any = collected
    for option in reversed(_OPTIONS):
        made = option(made)
    return made  # type: ignore[no-any-return]
