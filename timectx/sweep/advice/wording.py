"""Put amounts and limits into words, one way for all sentences of a recommendation."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from timectx.reading import format_duration
from timectx.sweep.advice.constraints import BLIND_GUARD, Limit
from timectx.sweep.advice.totals import Totals
from timectx.units import format_interval

__all__ = ["change", "counted", "duration", "effect", "joined", "limit_words", "percent", "usd", "value_words"]


def percent(ratio: float | Fraction) -> str:
    """
    Write a share in percent.

    Parameters
    ----------
    ratio : float or Fraction
        0 to 1.

    Returns
    -------
    str
        With one digit after the point; what is too small for that is not shown as nothing.

    Examples
    --------
    >>> percent(0.0213), percent(0.00001), percent(0.0)
    ('2.1 %', 'less than 0.1 %', '0.0 %')
    """
    return "less than 0.1 %" if 0 < ratio < 0.0005 else f"{100 * float(ratio):.1f} %"


def duration(value_ms: int | None) -> str:
    """
    Write a length of time in whole seconds.

    Parameters
    ----------
    value_ms : int or None
        In milliseconds, 0 or more.

    Returns
    -------
    str
        As a reading writes it; ``-`` for None.

    Examples
    --------
    >>> duration(65_000), duration(None)
    ('1m 5s', '-')
    """
    return "-" if value_ms is None else format_duration(value_ms)


def counted(count: int, noun: str) -> str:
    """
    Write how many there are of something.

    Parameters
    ----------
    count : int
        How many.
    noun : str
        Of what; an s makes it plural.

    Returns
    -------
    str
        With commas between thousands.

    Examples
    --------
    >>> counted(1, "blind step"), counted(1200, "session")
    ('1 blind step', '1,200 sessions')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def usd(amount: float) -> str:
    """
    Write an amount of money.

    Parameters
    ----------
    amount : float
        In US dollars, 0 or more.

    Returns
    -------
    str
        Four digits after the point below one dollar, else two.

    Examples
    --------
    >>> usd(0.01234), usd(1234.5), usd(0.00001)
    ('0.0123 USD', '1,234.50 USD', 'less than 0.0001 USD')
    """
    if 0 < amount < 0.00005:
        return "less than 0.0001 USD"
    return f"{amount:,.2f} USD" if amount >= 1 else f"{amount:.4f} USD"


def change(amount: str, difference: float, ratio: float | None) -> str:
    """
    Write a difference, absolute and relative.

    Parameters
    ----------
    amount : str
        Its size in words, without a sign.
    difference : float
        Its sign counts.
    ratio : float or None
        The difference as a share of what it is compared with.

    Returns
    -------
    str
        Such as ``1,200 tokens more (+8 %)``.

    Examples
    --------
    >>> change("1,200 tokens", 1200, 0.0812), change("5s", -5000, None), change("0 tokens", 0, 0.0)
    ('1,200 tokens more (+8 %)', '5s less', 'as much')
    """
    if not difference:
        return "as much"
    share = "" if ratio is None else f" ({100 * ratio:+.0f} %)" if abs(ratio) >= 0.005 else " (less than 1 %)"
    return f"{amount} {'more' if difference > 0 else 'less'}{share}"


def effect(totals: Totals, quantile: float) -> str:
    """
    Write what a setting costs and what it buys.

    Parameters
    ----------
    totals : Totals
        What it comes to.
    quantile : float
        The quantile of staleness it was asked for.

    Returns
    -------
    str
        A part of a sentence that goes on from the setting's name.
    """
    seeing = "the steps" if not totals.blind_steps else "the steps that see a reading"
    verb = "sees" if totals.blind_steps == 1 else "see"
    blind = f"; {counted(totals.blind_steps, 'step')} ({percent(totals.blind_ratio)}) {verb} none"
    fresh = f"{100 * quantile:g} % of {seeing} see one at most {duration(totals.staleness_ms)} old"
    if totals.staleness_ms is None:
        fresh, blind = "no step sees one", ""
    taken = f"{percent(totals.spent_ratio)} of all tokens ({totals.spent_tokens:,} of {totals.input_tokens:,})"
    return f"{taken}, and {fresh}" + (blind if totals.blind_steps else "")


def limit_words(limit: Limit, quantile: float) -> str:
    """
    Write a limit.

    Parameters
    ----------
    limit : Limit
        One of a recommendation's.
    quantile : float
        The quantile that a limit on staleness holds for.

    Returns
    -------
    str
        What it allows at most.

    Examples
    --------
    >>> limit_words(Limit("max_staleness_ms", Fraction(300_000)), 0.95)
    'a staleness of at most 5m at 95 %'
    """
    if limit.name == BLIND_GUARD:
        return "at most 1 % more blind steps than the best leaves"
    if limit.name == "max_staleness_ms":
        return f"a staleness of at most {format_interval(int(limit.most))} at {100 * quantile:g} %"
    if limit.name == "max_blind_steps":
        return f"at most {counted(int(limit.most), 'blind step')}"
    of_what = "all tokens for readings" if limit.name == "budget_ratio" else "all steps blind"
    return f"at most {100 * float(limit.most):g} % of {of_what}"


def value_words(limit: Limit, value: Fraction, quantile: float) -> str:
    """
    Write what a setting has of what is limited.

    Parameters
    ----------
    limit : Limit
        One of a recommendation's.
    value : Fraction
        The setting's.
    quantile : float
        As in `limit_words`.

    Returns
    -------
    str
        A part of a sentence; as a limit, what it says allows the value: shares are rounded up.

    Examples
    --------
    >>> value_words(Limit("budget_ratio", Fraction(1, 100)), Fraction(3101, 100_000), 0.95)
    '3.2 % of all tokens for readings'
    """
    if limit.name == "max_staleness_ms":
        return f"a staleness of {format_interval(int(value))} at {100 * quantile:g} %"
    if limit.name == "max_blind_steps":
        return counted(int(value), "blind step")
    return f"{ceil(1000 * value) / 10:.1f} % of " + (
        "all tokens for readings" if limit.name == "budget_ratio" else "all steps blind"
    )


def joined(parts: list[str], word: str = "and") -> str:
    """
    Join parts of a sentence.

    Parameters
    ----------
    parts : list of str
        At least one.
    word : str, optional
        What stands before the last.

    Returns
    -------
    str
        With commas between the others.

    Examples
    --------
    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
