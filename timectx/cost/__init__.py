"""Price requests: dated price lists, what a provider's cache saves, and the bill of a run."""

from timectx.cost.bill import Bill, UnpricedModel, bill_requests, bill_run, billed_table
from timectx.cost.cache import (
    CACHE_RULES,
    FIRST_MARK,
    MARKS_PER_REQUEST,
    CacheRule,
    new_marks,
    split_input,
)
from timectx.cost.entries import Band, Hours, PriceEntry, Rates
from timectx.cost.model_names import model_key, split_model
from timectx.cost.prices import PriceList, packaged_prices, packaged_prices_path, read_prices
from timectx.cost.rate_table import RATES_A_ROW, RateTable, rate_row, rate_table, request_cost
from timectx.cost.usage import (
    UsageParts,
    anthropic_usage,
    deepseek_usage,
    dsh_usage,
    openai_usage,
    reported_usage,
    usage_cost,
)

__all__ = [
    "Bill",
    "UnpricedModel",
    "bill_run",
    "bill_requests",
    "billed_table",
    "CacheRule",
    "CACHE_RULES",
    "FIRST_MARK",
    "MARKS_PER_REQUEST",
    "new_marks",
    "split_input",
    "PriceList",
    "PriceEntry",
    "Band",
    "Hours",
    "Rates",
    "packaged_prices",
    "packaged_prices_path",
    "read_prices",
    "model_key",
    "split_model",
    "RateTable",
    "RATES_A_ROW",
    "rate_row",
    "rate_table",
    "request_cost",
    "UsageParts",
    "openai_usage",
    "anthropic_usage",
    "deepseek_usage",
    "dsh_usage",
    "reported_usage",
    "usage_cost",
]
