"""Read one price list from its TOML text, and say of each fault which entry it stands in."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from timectx.cost.cache import CacheRule
from timectx.cost.entries import Band, Hours, PriceEntry, Rates
from timectx.cost.model_names import model_key
from timectx.errors import CostError

__all__ = ["PriceFile", "parse_prices"]

_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_PICO: Final = 1_000_000  # 1 USD per million tokens is this many pico-USD a token
_MOST_USD: Final = 1_000_000_000

_Count = Annotated[int, Meta(ge=0)]
_Text = Annotated[str, Meta(min_length=1)]
_Instant = Annotated[datetime, Meta(tz=True)]
_Hour = Annotated[int, Meta(ge=0, le=24)]


class PriceFile(Struct, frozen=True):
    """Hold what one file says: price entries in its order, and hours and cache rules by name."""

    entries: tuple[PriceEntry, ...] = ()
    hours: dict[str, Hours] = {}
    rules: dict[str, CacheRule] = {}


class _Rates(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    write: Decimal | None = None
    write_1h: Decimal | None = None


class _Band(_Rates, frozen=True, kw_only=True, forbid_unknown_fields=True):
    hours: _Text | None = None
    above_tokens: _Count = 0


class _Price(_Rates, frozen=True, kw_only=True, forbid_unknown_fields=True):
    provider: _Text
    models: Annotated[tuple[_Text, ...], Meta(min_length=1)]
    source: _Text
    read_on: date
    valid_from: _Instant | None = None
    valid_until: _Instant | None = None
    bands: tuple[_Band, ...] = ()
    cache: _Text = "none"
    minimum_tokens: _Count | None = None
    derived: dict[str, _Text] = {}
    note: str = ""


class _HoursTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: _Text
    days: tuple[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"], ...]
    spans_utc: tuple[tuple[_Hour, _Hour], ...]
    off_days: tuple[date, ...] = ()
    source: str = ""
    read_on: date | None = None
    note: str = ""


def parse_prices(text: str, name: str, known: PriceFile | None = None) -> PriceFile:
    """
    Read a price list.

    Parameters
    ----------
    text : str
        TOML in the form of ``data/prices.toml``.
    name : str
        The file's name, for messages and for its entries.
    known : PriceFile, optional
        A list whose hours and cache rules may be named as well; None = none.

    Returns
    -------
    PriceFile
        What the text says, checked.

    Raises
    ------
    CostError
        Kinds ``toml``, ``entry`` (a key or value that does not fit), ``rate`` (finer than a millionth of a USD per
        million tokens), ``period``, ``bands``, ``hours``, ``cache`` and ``overlap``; the message starts with the
        file and the entry.
    """
    try:
        tables = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise CostError(f"{name}: not a price list: {error}; expected TOML", kind="toml") from None
    strange = sorted(tables.keys() - {"price", "hours", "cache"})
    if strange:
        raise CostError(f"{name}: unknown table {strange[0]!r}; expected price, hours and cache", kind="entry")
    known = known or PriceFile()
    hours = {each.name: each for each in (_hours(table, where) for table, where in _each(tables, "hours", name))}
    rules = known.rules | {}
    for table, where in _each(tables, "cache", name):
        rule = _rule(table, where, rules)
        rules[rule.name] = rule
    entries = tuple(_entry(table, where, name) for table, where in _each(tables, "price", name))
    for entry, (_, where) in zip(entries, _each(tables, "price", name), strict=True):
        _check_names(entry, where, known.hours | hours, rules)
    _check_overlaps(entries, name)
    return PriceFile(entries, hours, rules)


def _each(tables: Mapping[str, Any], kind: str, name: str) -> list[tuple[dict[str, Any], str]]:
    """Return the tables of one kind, each with the words that name it in a message."""
    rows = tables.get(kind, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise CostError(f"{name}: {kind} is a list of tables, written [[{kind}]]; got {rows!r}", kind="entry")
    return [(row, f"{name}: {kind} {number}{_label(row)}") for number, row in enumerate(rows, 1)]


def _label(row: Mapping[str, Any]) -> str:
    models = row.get("models")
    first = models[0] if isinstance(models, list) and models else row.get("name")
    return f" ({first})" if isinstance(first, str) else ""


def _convert(table: Mapping[str, Any], kind: type[Any], where: str) -> Any:
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        reason = str(error)
        raise CostError(f"{where}: {reason[:1].lower()}{reason[1:]}", kind="entry") from None


def _entry(table: Mapping[str, Any], where: str, file: str) -> PriceEntry:
    raw: _Price = _convert(table, _Price, where)
    entry = PriceEntry(
        provider=raw.provider,
        models=raw.models,
        rates=_rates(raw, where),
        bands=tuple(
            Band(rates=_rates(band, where), hours=band.hours, above_tokens=band.above_tokens) for band in raw.bands
        ),
        valid_from_ms=_epoch_ms(raw.valid_from),
        valid_until_ms=_epoch_ms(raw.valid_until),
        cache=raw.cache,
        minimum_tokens=raw.minimum_tokens,
        source=raw.source,
        read_on=raw.read_on.isoformat(),
        derived=tuple(raw.derived.items()),
        note=raw.note,
        file=file,
    )
    _check_period(entry, where)
    _check_bands(entry, where)
    return entry


def _rates(raw: _Rates, where: str) -> Rates:
    base = _pico(raw.input, "input", where)
    cached, write = (
        base if value is None else _pico(value, key, where)
        for key, value in (("cached", raw.cached), ("write", raw.write))
    )
    write_1h = write if raw.write_1h is None else _pico(raw.write_1h, "write_1h", where)
    return Rates(input=base, cached=cached, write=write, write_1h=write_1h, output=_pico(raw.output, "output", where))


def _pico(amount: Decimal, key: str, where: str) -> int:
    if not amount.is_finite() or not 0 <= amount <= _MOST_USD or amount * _PICO % 1:
        raise CostError(
            f"{where}: {key} is USD per million tokens with up to six decimals, from 0 to {_MOST_USD}, got {amount}",
            kind="rate",
        )
    return int(amount * _PICO)


def _epoch_ms(instant: datetime | None) -> int | None:
    if instant is None:
        return None
    elapsed = instant - datetime(1970, 1, 1, tzinfo=UTC)
    return elapsed.days * 86_400_000 + elapsed.seconds * 1000 + elapsed.microseconds // 1000


def _hours(table: Mapping[str, Any], where: str) -> Hours:
    raw: _HoursTable = _convert(table, _HoursTable, where)
    empty = [span for span in raw.spans_utc if span[0] >= span[1]]
    if empty:
        raise CostError(f"{where}: a span ends after it starts, on the same day; got {list(empty[0])}", kind="hours")
    return Hours(
        name=raw.name,
        days=tuple(_DAYS.index(day) for day in raw.days),
        spans_utc=raw.spans_utc,
        off_days=tuple(day.toordinal() - date(1970, 1, 1).toordinal() for day in raw.off_days),
        source=raw.source,
        read_on=raw.read_on.isoformat() if raw.read_on else "",
        note=raw.note,
    )


def _rule(table: Mapping[str, Any], where: str, rules: Mapping[str, CacheRule]) -> CacheRule:
    based = dict(table)
    base = based.pop("base", "none")
    if base not in rules:
        raise CostError(f"{where}: base is one of {', '.join(rules)}; got {base!r}", kind="cache")
    known = msgspec.structs.asdict(rules[base])
    strange = sorted(based.keys() - known.keys())
    if strange or "name" not in based:
        reason = f"has no {strange[0]!r}" if strange else "needs a name"
        raise CostError(f"{where}: a cache rule {reason}; its keys are base, {', '.join(known)}", kind="cache")
    rule: CacheRule = _convert(known | based, CacheRule, where)
    if min(rule.ints) < 0:
        raise CostError(f"{where}: the numbers of a cache rule are 0 or more", kind="cache")
    return rule


def _check_period(entry: PriceEntry, where: str) -> None:
    if None not in (entry.valid_from_ms, entry.valid_until_ms) and not entry.covers(entry.valid_from_ms or 0):
        raise CostError(f"{where}: valid_until comes after valid_from", kind="period")


def _check_bands(entry: PriceEntry, where: str) -> None:
    """Refuse bands that leave open which rates a request pays."""
    conditions = [(band.hours, band.above_tokens) for band in entry.bands]
    hours, limits = {one for one, _ in conditions if one}, {one for _, one in conditions if one}
    if len(hours) > 1 or len(limits) > 1:
        raise CostError(f"{where}: bands name one set of hours and one prompt size at most", kind="bands")
    if len(set(conditions)) < len(conditions) or (None, 0) in conditions:
        raise CostError(f"{where}: each band names hours or a prompt size, and no two the same", kind="bands")
    if hours and limits and (*hours, *limits) not in conditions:
        raise CostError(f"{where}: with hours and prompt sizes, one band names both", kind="bands")


def _check_names(entry: PriceEntry, where: str, hours: Mapping[str, Hours], rules: Mapping[str, CacheRule]) -> None:
    if entry.hours is not None and entry.hours not in hours:
        raise CostError(f"{where}: no [[hours]] is called {entry.hours!r}", kind="hours")
    if entry.cache not in rules:
        raise CostError(f"{where}: cache is one of {', '.join(rules)}; got {entry.cache!r}", kind="cache")


def _check_overlaps(entries: Iterable[PriceEntry], name: str) -> None:
    periods: dict[tuple[str, str], list[PriceEntry]] = {}
    for entry in entries:
        for key in sorted({model_key(model) for model in entry.models}):
            before = periods.setdefault((entry.provider, key), [])
            if any(_overlap(entry, other) for other in before):
                raise CostError(f"{name}: two entries of {entry.provider} {key} hold at the same time", kind="overlap")
            before.append(entry)


def _overlap(one: PriceEntry, other: PriceEntry) -> bool:
    late = max((entry.valid_from_ms for entry in (one, other) if entry.valid_from_ms is not None), default=None)
    ends = [entry.valid_until_ms for entry in (one, other) if entry.valid_until_ms is not None]
    return late is None or not ends or late < min(ends)
