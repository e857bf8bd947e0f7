"""Find what a request costs: the list that comes along, with a list of one's own laid over it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from timectx.cost.cache import CACHE_RULES, CacheRule
from timectx.cost.entries import Hours, PriceEntry, Rates
from timectx.cost.model_names import model_key, provider_rank
from timectx.cost.price_file import PriceFile, parse_prices
from timectx.errors import CostError

__all__ = ["PriceList", "packaged_prices", "packaged_prices_path", "read_prices"]

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "prices.toml", _PACKAGE.parent / "data" / "prices.toml")
"""Where the list lies in an installed package, and in a checkout."""


class PriceList:
    """
    Hold price entries, and the hours and cache rules they name.

    Parameters
    ----------
    entries : iterable of PriceEntry
        Those that take precedence first.
    hours : Mapping, optional
        Hours of the week by name.
    rules : Mapping, optional
        Cache rules by name; None = those that come with the package.

    Examples
    --------
    >>> entry = packaged_prices().find("deepseek-official", "deepseek-v4-pro", 1_760_000_000_000)
    >>> entry.rates.output  # pico-USD a token: 0.87 USD per million
    870000
    >>> packaged_prices().find("", "a-model-nobody-lists", 0) is None
    True
    """

    def __init__(
        self,
        entries: Iterable[PriceEntry],
        hours: Mapping[str, Hours] | None = None,
        rules: Mapping[str, CacheRule] | None = None,
    ) -> None:
        self.entries = tuple(entries)
        self.hours = dict(hours or {})
        self.rules = dict(CACHE_RULES if rules is None else rules)
        self._by_key: dict[str, list[PriceEntry]] = {}
        for entry in self.entries:
            for key in dict.fromkeys(model_key(model) for model in entry.models):
                self._by_key.setdefault(key, []).append(entry)

    def named(self, provider: str, model: str) -> tuple[PriceEntry, ...]:
        """
        Return every entry of a model, whatever its period.

        Parameters
        ----------
        provider, model : str
            As a log names them. The provider only decides between entries of several: who serves a model
            through a gateway is billed what its maker lists, unless an entry names the gateway.

        Returns
        -------
        tuple of PriceEntry
            Those that fit best first.
        """
        entries = self._by_key.get(model_key(model), [])
        return tuple(sorted(entries, key=lambda entry: provider_rank(provider, entry.provider)))

    def find(self, provider: str, model: str, time_ms: int) -> PriceEntry | None:
        """
        Return the entry that prices a request.

        Parameters
        ----------
        provider, model : str
            As a log names them.
        time_ms : int
            The request's instant in epoch milliseconds.

        Returns
        -------
        PriceEntry or None
            None where no list names the model, or none says what it cost then.
        """
        return next((entry for entry in self.named(provider, model) if entry.covers(time_ms)), None)

    def rates_at(self, provider: str, model: str, time_ms: int, input_tokens: int = 0) -> Rates | None:
        """
        Return the rates of one request.

        Parameters
        ----------
        provider, model : str
            As a log names them.
        time_ms : int
            The request's instant in epoch milliseconds; it also decides on peak hours.
        input_tokens : int
            Length of the whole prompt.

        Returns
        -------
        Rates or None
            None for a request that cannot be priced.
        """
        entry = self.find(provider, model, time_ms)
        if entry is None:
            return None
        in_hours = entry.hours is not None and self.hours[entry.hours].holds_at(time_ms)
        return entry.rates_for(in_hours, input_tokens)

    def rule(self, name: str) -> CacheRule:
        """
        Return a cache rule.

        Parameters
        ----------
        name : str
            As scenarios and price entries call it.

        Returns
        -------
        CacheRule
            The rule.

        Raises
        ------
        CostError
            Kind ``cache`` if no rule is called so.
        """
        if name not in self.rules:
            raise CostError(f"a cache is one of {', '.join(self.rules)}; got {name!r}", kind="cache")
        return self.rules[name]

    def rule_for(self, entry: PriceEntry | None, name: str | None = None) -> CacheRule:
        """
        Return the cache rule of a request.

        Parameters
        ----------
        entry : PriceEntry or None
            What prices it; None = nothing does.
        name : str, optional
            The rule to take in place of the entry's own; None = the entry's, and ``none`` without entry.

        Returns
        -------
        CacheRule
            With the minimum of the entry's model, where rule and entry are of one provider.

        Raises
        ------
        CostError
            As `rule`.
        """
        rule = self.rule(name or (entry.cache if entry else "none"))
        if entry is None or entry.minimum_tokens is None or _family(rule.name) != _family(entry.cache):
            return rule
        return msgspec.structs.replace(rule, minimum_tokens=entry.minimum_tokens)

    def over(self, file: PriceFile) -> PriceList:
        """
        Return a list with another one laid over it.

        Parameters
        ----------
        file : PriceFile
            Its entries, hours and rules take precedence.

        Returns
        -------
        PriceList
            A new list.
        """
        return PriceList((*file.entries, *self.entries), self.hours | file.hours, self.rules | file.rules)


def packaged_prices_path() -> Path:
    """
    Find the price list that comes with the project.

    Returns
    -------
    Path
        In an installed package or a checkout.

    Raises
    ------
    CostError
        Kind ``no-prices`` if it was left out of this installation.
    """
    for place in _PLACES:
        if place.is_file():
            return place
    raise CostError(f"{_PLACES[0]}: the price list is missing; expected it in the package", kind="no-prices")


@cache
def packaged_prices() -> PriceList:
    """
    Return the price list that comes with the project.

    Returns
    -------
    PriceList
        The same one each time.

    Raises
    ------
    CostError
        Kind ``no-prices`` if it was left out of this installation.
    """
    return read_prices()


def read_prices(overlay: str | os.PathLike[str] | None = None) -> PriceList:
    """
    Read the price list that comes with the project, and lay one of your own over it.

    Parameters
    ----------
    overlay : path, optional
        A file in the form of ``data/prices.toml``, which may name the hours and rules of that one; None = none.

    Returns
    -------
    PriceList
        Entries of the overlay answer first, each over its own period.

    Raises
    ------
    CostError
        Kind ``unreadable`` if the file cannot be read, ``no-prices`` if the project's own is missing, else as
        `parse_prices`.
    """
    base = _read(packaged_prices_path(), PriceFile(rules=dict(CACHE_RULES)))
    prices = PriceList(base.entries, base.hours, base.rules)
    return prices if overlay is None else prices.over(_read(Path(overlay), base))


def _read(path: Path, known: PriceFile) -> PriceFile:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise CostError(f"{path}: cannot read the price list: {reason}", kind="unreadable") from error
    return parse_prices(text, str(path) if path not in _PLACES else path.name, known)


def _family(name: str) -> str:
    return name.partition("-")[0]
