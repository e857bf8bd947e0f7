"""Fit one factor that turns estimated prices into what the provider counted."""

from __future__ import annotations

from typing import Final

from timectx.replay.prices import PriceBook
from timectx.session import Problem, Session
from timectx.session.events import SURFACE_CLASSES, JsonObject, Usage
from timectx.session.header import fold_header
from timectx.session.surface import apply_to_nodes

__all__ = ["fit_problems", "fit_scale"]

_LIKELY: Final = (0.5, 4.0)
"""Between which factors whole prompts lie, whatever the language and the tokenizer."""


def fit_scale(session: Session, prices: PriceBook) -> float | None:
    """
    Fit the factor of a session.

    Parameters
    ----------
    session : Session
        A log, with the readings it holds.
    prices : PriceBook
        Of that session; not scaled.

    Returns
    -------
    float or None
        What providers reported as the prompts of requests, summed, over the prices of the same prompts
        as the log has them. None where nothing was reported, or nothing has a price.
    """
    reported = estimated = 0
    for usage, price in _requests(session, prices):
        reported += usage.prompt_tokens
        estimated += price
    return reported / estimated if reported > 0 and estimated > 0 else None


def fit_problems(scale: float | None) -> tuple[Problem, ...]:
    """
    Say what is odd about a fitted factor.

    Parameters
    ----------
    scale : float or None
        As `fit_scale` returns it.

    Returns
    -------
    tuple of Problem
        Kind ``unscaled`` when nothing could be fitted, ``odd-scale`` for a factor that no tokenizer explains.

    Examples
    --------
    >>> fit_problems(1.4), [problem.kind for problem in (*fit_problems(None), *fit_problems(50.0))]
    ((), ['unscaled', 'odd-scale'])
    """
    if scale is None:
        text = "the provider reported nothing to fit a factor to; prices stay as estimated, times 1"
        return (Problem(0, "unscaled", text),)
    low, high = _LIKELY
    if low <= scale <= high:
        return ()
    text = f"the factor is {scale:.3g}, far from 1: the log holds another prompt than the one the provider counted"
    return (Problem(0, "odd-scale", text),)


def _requests(session: Session, prices: PriceBook) -> list[tuple[Usage, int]]:
    """Return each request that was counted, with the price of its prompt as it stood in the log."""
    waiting = [(step.request_seqs[-1], step.usage) for step in session.steps if step.usage and step.request_seqs]
    waiting.reverse()
    header: JsonObject | None = None
    nodes: list[int] = []
    price_of: dict[int, int] = {}
    found, tokens = [], 0
    for event in session.events:
        while waiting and waiting[-1][0] <= event.seq:
            found.append((waiting.pop()[1], prices.header(header) + tokens))
        header = fold_header(header, event)
        if not isinstance(event, SURFACE_CLASSES) or event.surface_op is None:
            continue
        price_of[event.seq] = prices.node(event)
        is_replaced = apply_to_nodes(nodes, event)
        tokens = sum(map(price_of.__getitem__, nodes)) if is_replaced else tokens + price_of[event.seq]
    found.extend((usage, prices.header(header) + tokens) for _, usage in reversed(waiting))
    return found
