"""Write small price lists."""

from __future__ import annotations

from timectx.cost.cache import CACHE_RULES
from timectx.cost.price_file import PriceFile, parse_prices
from timectx.cost.prices import PriceList

RULES = PriceFile(rules=dict(CACHE_RULES))
PEAK = '[[hours]]\nname = "peak"\ndays = ["mon", "fri"]\nspans_utc = [[1, 4]]\noff_days = [1970-01-09]\n'


def price(extra: str = "", models: str = '["m"]', rates: str = "input = 1\noutput = 2", provider: str = "p") -> str:
    """Return one entry; keys in `extra` come on top."""
    head = f'[[price]]\nprovider = "{provider}"\nmodels = {models}\nsource = "a page"\nread_on = 2026-01-02\n'
    return f"{head}{rates}\n{extra}\n"


def file_of(*texts: str, known: PriceFile = RULES) -> PriceFile:
    """Return some tables, read."""
    return parse_prices("\n".join(texts), "my.toml", known)


def prices_of(*texts: str) -> PriceList:
    """Return a list that holds some tables and nothing else."""
    file = file_of(*texts)
    return PriceList(file.entries, file.hours, file.rules)
