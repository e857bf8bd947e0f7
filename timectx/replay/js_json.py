"""Write JSON exactly as JavaScript does, because prices depend on its length."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any, Final

from timectx.units import MAX_SAFE_INTEGER

__all__ = ["js_json", "js_number", "utf16_length"]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_INDEX: Final = re.compile("0|[1-9][0-9]{0,9}", re.ASCII)
_LAST_INDEX: Final = 2**32 - 2
_PLAIN_DIGITS: Final = 21
_PLAIN_ZEROS: Final = -6


def utf16_length(text: str) -> int:
    """
    Count the UTF-16 code units of a text, which is how JavaScript measures strings.

    Parameters
    ----------
    text : str
        Any text, lone surrogates included.

    Returns
    -------
    int
        Its length; an emoji counts as 2.

    Examples
    --------
    >>> utf16_length("a👍")
    3
    """
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def js_json(value: Any) -> str:
    """
    Write a JSON value the way JavaScript does.

    Parameters
    ----------
    value : object
        A decoded JSON value, nested to any depth.

    Returns
    -------
    str
        Compact; keys in stored order, array indices first; lone surrogates escaped; numbers as
        JavaScript prints them.

    Examples
    --------
    >>> js_json({"b": 1.0, "2": 1e-7, "a": "é"})
    '{"2":1e-7,"b":1,"a":"é"}'
    """
    out: list[str] = []
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        lead, item = pending.pop()
        out.append(lead)
        if item is _END:
            continue
        if isinstance(item, dict):
            out.append("{")
            pending.append(("}", _END))
            keys = _js_order(item)
            members = [("," if at else "") + _string(key) + ":" for at, key in enumerate(keys)]
            pending.extend(reversed(list(zip(members, (item[key] for key in keys), strict=True))))
        elif isinstance(item, list | tuple):
            out.append("[")
            pending.append(("]", _END))
            pending.extend(reversed([("," if at else "", member) for at, member in enumerate(item)]))
        else:
            out.append(_scalar(item))
    return "".join(out)


def js_number(value: float) -> str:
    """
    Write a number the way JavaScript prints it.

    Parameters
    ----------
    value : float
        An int or a float; integers beyond 2**53 are rounded to a double first.

    Returns
    -------
    str
        Such as ``1``, ``0.000001``, ``1e-7`` or ``1e+21``; ``null`` where JSON has no number.

    Examples
    --------
    >>> js_number(1e21), js_number(1e-6), js_number(-2.5), js_number(2**64)
    ('1e+21', '0.000001', '-2.5', '18446744073709552000')
    """
    if isinstance(value, int) and abs(value) <= MAX_SAFE_INTEGER:
        return str(int(value))
    try:
        number = float(value)
    except OverflowError:
        return "null"
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"
    _, digits, exponent = Decimal(repr(abs(number))).as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    return ("-" if number < 0 else "") + _layout(text.rstrip("0"), point)


_END: Final = object()


def _layout(digits: str, point: int) -> str:
    if len(digits) <= point <= _PLAIN_DIGITS:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _PLAIN_DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if _PLAIN_ZEROS < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{tail}e{'+' if power > 0 else '-'}{abs(power)}"


def _js_order(item: dict[str, Any]) -> list[str]:
    indices = [key for key in item if _INDEX.fullmatch(key) and int(key) <= _LAST_INDEX]
    if not indices:
        return list(item)
    first = set(indices)
    return sorted(indices, key=int) + [key for key in item if key not in first]


def _scalar(item: Any) -> str:
    if isinstance(item, str):
        return _string(item)
    if item is None or isinstance(item, bool):
        return {None: "null", True: "true", False: "false"}[item]
    return js_number(item)


def _string(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    return written if written.isascii() else _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)
