"""Write a scenario's knobs as TOML, and read them back."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from timectx.errors import ScenarioError
from timectx.reading import ZoneLabel
from timectx.replay.compaction.summaries import FixedText, FixedTokens, ShareOfShadowed, SummaryModel
from timectx.replay.simulation import Compaction

__all__ = ["knobs_from_toml", "knobs_to_toml"]


def knobs_to_toml(knobs: Mapping[str, object]) -> str:
    """
    Write knobs as TOML.

    Parameters
    ----------
    knobs : Mapping
        Values by name; None is left out.

    Returns
    -------
    str
        One line a knob.

    Raises
    ------
    ScenarioError
        Kind ``summary`` for a summary model that is a function of one's own.

    Examples
    --------
    >>> print(knobs_to_toml({"interval_ms": 60000, "time_zone": ((0, "UTC"), (40, "Asia/Tokyo"))}), end="")
    interval_ms = 60000
    time_zone = [[0, "UTC"], [40, "Asia/Tokyo"]]
    """
    return "".join(f"{name} = {_toml(value)}\n" for name, value in knobs.items() if value is not None)


def knobs_from_toml(text: str) -> dict[str, Any]:
    """
    Read knobs from TOML.

    Parameters
    ----------
    text : str
        As `knobs_to_toml` writes it.

    Returns
    -------
    dict
        Values by name, zones and compaction in the form a scenario takes them; whatever does not fit is
        left as it is, to be refused with the rest.

    Raises
    ------
    ScenarioError
        Kind ``toml`` if the text is no TOML; ``compaction`` if its table names what a `Compaction` has
        not.
    """
    try:
        knobs = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        cure = "expected TOML such as interval_ms = 600000"
        raise ScenarioError(f"not a scenario: {error}; {cure}", kind="toml") from None
    if "time_zone" in knobs:
        knobs["time_zone"] = _zone(knobs["time_zone"])
    if isinstance(knobs.get("compaction"), dict):
        knobs["compaction"] = _compaction(knobs["compaction"])
    return knobs


def _toml(value: object) -> str:
    if isinstance(value, Compaction):
        return _table({knob.name: getattr(value, knob.name) for knob in fields(value)})
    if isinstance(value, FixedText | FixedTokens | ShareOfShadowed):
        return _table({name: getattr(value, name) for name in value.__struct_fields__})
    if isinstance(value, Mapping):
        return _table(value)
    if isinstance(value, ZoneLabel):
        return _table({"label": str(value), "clock": value.clock})
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    if callable(value):
        raise ScenarioError("a summary model that is a function cannot be written to a file", kind="summary")
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ScenarioError(f"a text with a lone surrogate fits into no file: {value!r}", kind="toml") from None
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _table(values: Mapping[str, object]) -> str:
    members = (f"{name} = {_toml(value)}" for name, value in values.items() if value is not None)
    return "{ " + ", ".join(members) + " }"


def _zone(value: object) -> object:
    match value:
        case {"label": str(label), "clock": str(clock), **rest} if not rest:
            return ZoneLabel(label, clock)
        case [int(seq), zone]:
            return (seq, _zone(zone))
        case list():
            return tuple(map(_zone, value))
        case _:
            return value


def _compaction(table: dict[str, Any]) -> Compaction:
    known = {knob.name for knob in fields(Compaction)}
    strange = [name for name in table if name not in known]
    if strange:
        names = ", ".join(sorted(known))
        raise ScenarioError(f"a compaction has no {strange[0]!r}; its knobs are {names}", kind="compaction")
    if "summary" in table:
        table = {**table, "summary": _summary(table["summary"])}
    return Compaction(**table)


def _summary(value: object) -> SummaryModel:
    match value:
        case {"text": str(text), **rest} if not rest:
            return FixedText(text)
        case {"tokens": int(tokens), **rest} if not rest:
            return FixedTokens(tokens)
        case {"ratio": int(ratio) | float(ratio), **rest} if not rest:
            return ShareOfShadowed(ratio)
        case _:
            raise ScenarioError(
                f"a summary is {{ text = … }}, {{ tokens = … }} or {{ ratio = … }}; got {value!r}", kind="summary"
            )
