"""Decode one JSON line the way JavaScript would, and say why where it cannot be done."""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

import msgspec

from timectx.errors import FormatError
from timectx.session.records import json_numbers

__all__ = ["json_number", "parse_json"]

_LONGEST_INT: Final = 400
"""Digits from which on an integer is beyond every double, so that JavaScript reads infinity."""


def parse_json(line: bytes) -> tuple[Any, bool]:
    r"""
    Decode a line that the fast decoder may have refused.

    Parameters
    ----------
    line : bytes
        One JSON text; white space around it is ignored.

    Returns
    -------
    value : object
        Whole numbers are integers however they were written; half a surrogate pair is kept;
        of a name given twice the last counts.
    repaired : bool
        True when bytes that are no UTF-8 were replaced by U+FFFD.

    Raises
    ------
    FormatError
        Kinds ``not-json`` and ``nested-too-deep``, without a place.

    Examples
    --------
    >>> parse_json(b'{"a":1e3,"a":"\\ud83d"}')
    ({'a': '\ud83d'}, False)
    """
    try:
        return _ANY.decode(line), False
    except (ValueError, RecursionError):
        pass
    text = line.decode("utf-8", "replace")
    try:
        value = json_numbers(json.loads(text, parse_int=_integer, parse_constant=_refuse))
    except RecursionError:
        raise FormatError("nested too deep to decode", kind="nested-too-deep") from None
    except ValueError as error:
        raise FormatError(_why(line, error), kind="not-json") from None
    return value, "\ufffd" in text and not _is_utf8(line)


def json_number(text: str) -> int | float:
    """
    Return the number that JavaScript reads, for numbers with a fraction or an exponent.

    Parameters
    ----------
    text : str
        The number as the line holds it.

    Returns
    -------
    int or float
        An int where it is whole.

    Examples
    --------
    >>> json_number("1e3"), json_number("0.5")
    (1000, 0.5)
    """
    number: int | float = json_numbers(float(text))
    return number


_ANY: Final = msgspec.json.Decoder(float_hook=json_number)


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= _LONGEST_INT else float(text)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _why(line: bytes, error: ValueError) -> str:
    zeros = len(line) - len(line.strip(b"\x00"))
    if zeros:
        return f"not JSON: {zeros} NUL bytes"
    return f"not JSON: {error}" if len(line) < 200 or "column" not in str(error) else f"not JSON ({error})"
