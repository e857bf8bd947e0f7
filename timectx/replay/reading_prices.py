"""Price readings once per form, where a counter says the same whatever their digits are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from timectx.reading import Reading, format_reading
from timectx.replay.meter import Counter, Pricing, Scaled, count_tokens, estimate_reading_tokens

__all__ = ["FORM_COUNT", "ReadingPrices", "digit_blind", "elapsed_form", "masked"]

_ZEROS: Final = str.maketrans("123456789", "0" * 9)
_UNAVAILABLE: Final = "unavailable."
_DAY_DIGITS: Final = 7
FORM_COUNT: Final = 1 + 2 * 3 * 3 * (_DAY_DIGITS + 1)
"""How many forms an elapsed time has: `unavailable`, and how many digits each of its units takes."""

_SAMPLES: Final = (
    "Time sampled while preparing turn 0, step 0: 0000-00-00T00:00:00+00:00[Asia/Shanghai]\n"
    "Elapsed since the preceding model-visible message: 0s.",
    "Time sampled while preparing turn 00, step 00: 0000-00-00T00:00:00Z[UTC]\n"
    "Browser time zone for this request: unavailable. Ask the user to clarify otherwise-unqualified dates and times.\n"
    "Elapsed since the preceding step context: 0m 00s.",
    "Time sampled while preparing turn 000, step 000: 0000-00-00T00:00:00-00:00[Etc/GMT+0]\n"
    "Browser time zone for this request: Etc/GMT+0. Interpret otherwise-unqualified dates and times in this zone.\n"
    "Elapsed since the preceding step context: 0h 00m 0s.",
    "Time sampled while preparing turn 0000, step 0000: 0000-00-00T00:00:00+00:00[America/New_York]\n"
    "Elapsed since the preceding step context: 000d 00h 0m 00s.",
)
_BASE: Final = 10


def masked(text: str) -> str:
    """
    Return a text with a 0 for each of its digits.

    Parameters
    ----------
    text : str
        Such as a reading.

    Returns
    -------
    str
        As long as before.

    Examples
    --------
    >>> masked("turn 12, step 3: 1h 5m")
    'turn 00, step 0: 0h 0m'
    """
    return text.translate(_ZEROS)


def digit_blind(counter: Counter, texts: Sequence[str] = _SAMPLES) -> bool:
    """
    Tell whether a counter says the same of readings that differ in nothing but their digits.

    Parameters
    ----------
    counter : callable
        What counts.
    texts : sequence of str, optional
        What to try it on; the default holds readings of all kinds.

    Returns
    -------
    bool
        True when a hundred ways to fill in the digits, in which every two digits stand side by side
        somewhere, give one number for each text.

    Raises
    ------
    ScenarioError
        As `timectx.replay.meter.count_tokens`.

    Examples
    --------
    >>> digit_blind(len), digit_blind(lambda text: text.count("7"))
    (True, False)
    """
    return all(_is_blind(counter, text) for text in texts)


def elapsed_form(elapsed_ms: int) -> int:
    """
    Tell how an elapsed time is written, whatever its digits are.

    Parameters
    ----------
    elapsed_ms : int
        Milliseconds; below 0 it is unavailable.

    Returns
    -------
    int
        0 for ``unavailable``, else one number for each choice of how many digits days, hours, minutes
        and seconds take; below `FORM_COUNT`.

    Notes
    -----
    Plain arithmetic of whole numbers, so that compiled loops can hold it.

    Examples
    --------
    >>> elapsed_form(61_000) == elapsed_form(545_000), elapsed_form(61_000) == elapsed_form(71_000)
    (True, False)
    """
    if elapsed_ms < 0:
        return 0
    seconds = elapsed_ms // 1000
    minutes = seconds // 60 % 60
    hours = seconds // 3600 % 24
    days = seconds // 86_400
    day_digits = 0
    while days > 0:
        days //= 10
        day_digits += 1
    form = min(day_digits, 7)
    form = form * 3 + (hours > 0) + (hours > 9)
    form = form * 3 + (minutes > 0) + (minutes > 9)
    return 1 + form * 2 + (seconds % 60 > 9)


class ReadingPrices:
    """
    Price readings under one counter.

    Parameters
    ----------
    counter : callable or Scaled, optional
        What counts, or scales what that says; None uses the fixed estimate, which sees nothing but lengths.
    blind : bool or None, optional
        Whether the counter is known to be blind to digits; None finds out with `digit_blind`, once and
        when it is first needed.

    Notes
    -----
    Where the counter is blind to digits, a reading costs what the same reading with a 0 for each digit
    costs, and each such text is counted once. Where it is not, every text is counted.
    """

    def __init__(self, counter: Pricing | None = None, *, blind: bool | None = None) -> None:
        self.counter = counter
        self._counts = counter.counter if isinstance(counter, Scaled) else counter
        self._blind = blind
        self._prices: dict[str, int] = {}
        self._by_form: dict[str, tuple[int, ...]] = {}

    @property
    def blind(self) -> bool:
        """Whether one price holds for all readings that differ in their digits alone."""
        if self._blind is None:
            self._blind = self._counts is None or digit_blind(self._counts)
        return self._blind

    def price(self, text: str) -> int:
        """
        Return the price of a reading.

        Parameters
        ----------
        text : str
            The reading as the model sees it.

        Returns
        -------
        int
            Tokens.
        """
        if not self.blind:
            return self._count(text)
        form = masked(text)
        price = self._prices.get(form)
        if price is None:
            price = self._prices[form] = self._count(form)
        return price

    def by_form(self, reading: Reading) -> tuple[int, ...]:
        """
        Return the price of a reading for each form of its elapsed time.

        Parameters
        ----------
        reading : Reading
            What it says beside the elapsed time.

        Returns
        -------
        tuple of int
            Tokens, at the places that `elapsed_form` gives. Where `blind` is false they hold for
            zeros only.

        Raises
        ------
        ReadingError, ZoneError
            As `timectx.reading.format_reading`.

        Examples
        --------
        >>> prices = ReadingPrices(len).by_form(Reading(2, 3, 0, "UTC", None, None, "note"))
        >>> prices[0], prices[elapsed_form(61_000)]
        (130, 124)
        """
        text = masked(format_reading(replace(reading, elapsed_ms=None))).removesuffix(_UNAVAILABLE)
        known = self._by_form.get(text)
        if known is None:
            known = self._by_form[text] = tuple(self._count(f"{text}{form}.") for form in _FORMS)
        return known

    def _count(self, text: str) -> int:
        return estimate_reading_tokens(text, self.counter)


def _is_blind(counter: Counter, text: str) -> bool:
    expected = count_tokens(masked(text), counter)
    fillings = ((start, stride) for stride in range(_BASE) for start in range(_BASE))
    return all(count_tokens(_filled(text, start, stride), counter) == expected for start, stride in fillings)


def _filled(text: str, start: int, stride: int) -> str:
    """Put rising digits in the place of a text's own."""
    digits, at = [], start
    for character in text:
        is_digit = "0" <= character <= "9"
        digits.append(str(at % _BASE) if is_digit else character)
        at += stride if is_digit else 0
    return "".join(digits)


def _forms() -> tuple[str, ...]:
    """Write one elapsed time of each form, with zeros."""
    sizes = (
        (days, hours, minutes, seconds)
        for days in range(_DAY_DIGITS + 1)
        for hours in range(3)
        for minutes in range(3)
        for seconds in (1, 2)
    )
    durations = (
        "".join("0" * size + unit for size, unit in zip(each, ("d ", "h ", "m ", "s"), strict=True) if size)
        for each in sizes
    )
    return ("unavailable", *durations)


_FORMS: Final = _forms()
