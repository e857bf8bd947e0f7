"""Count staleness in fixed bins, so that the counts of many sessions add up and their quantiles stay comparable."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Final

from timectx.errors import UnitError

__all__ = [
    "BEYOND_MS",
    "STALENESS_EDGES_MS",
    "bin_of",
    "edge_of",
    "pack_counts",
    "quantile_edge",
    "unpack_counts",
]

BEYOND_MS: Final = 2**63 - 1
"""The last edge: longer than 60 days, however long."""

_SECOND: Final = 1000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR

STALENESS_EDGES_MS: Final[tuple[int, ...]] = (
    0,
    *range(_SECOND, _MINUTE + 1, _SECOND),
    *range(_MINUTE + 5 * _SECOND, 10 * _MINUTE + 1, 5 * _SECOND),
    *range(11 * _MINUTE, _HOUR + 1, _MINUTE),
    *range(_HOUR + 10 * _MINUTE, 6 * _HOUR + 1, 10 * _MINUTE),
    *range(7 * _HOUR, 2 * _DAY + 1, _HOUR),
    *range(3 * _DAY, 60 * _DAY + 1, _DAY),
    BEYOND_MS,
)
"""Upper edges of the bins in milliseconds, rising: each second to 1 min, each 5 s to 10 min, each minute to 1 h,
each 10 min to 6 h, each hour to 2 d, each day to 60 d."""

_PAIR: Final = struct.Struct("<HI")


def bin_of(value_ms: int) -> int:
    """
    Return the bin that a staleness counts in.

    Parameters
    ----------
    value_ms : int
        A staleness in milliseconds, 0 or more.

    Returns
    -------
    int
        The place of its edge in `STALENESS_EDGES_MS`: that of the smallest one it does not exceed.

    Examples
    --------
    >>> bin_of(0), bin_of(1), bin_of(1000), bin_of(1001)
    (0, 1, 1, 2)
    """
    return bisect_left(STALENESS_EDGES_MS, value_ms)


def edge_of(value_ms: int) -> int:
    """
    Return the edge that a staleness is rounded up to.

    Parameters
    ----------
    value_ms : int
        A staleness in milliseconds, 0 or more.

    Returns
    -------
    int
        The smallest edge it does not exceed, in milliseconds; `BEYOND_MS` past 60 days.

    Examples
    --------
    >>> edge_of(59_001), edge_of(60_001), edge_of(300_000)
    (60000, 65000, 300000)
    """
    return STALENESS_EDGES_MS[bin_of(value_ms)]


def pack_counts(counts: Mapping[int, int]) -> bytes:
    """
    Write how many steps fell into each bin.

    Parameters
    ----------
    counts : Mapping of int to int
        Steps by bin; bins without any are left out.

    Returns
    -------
    bytes
        Six bytes for each bin, bins rising: the bin (uint16) and its count (uint32), little endian.

    Examples
    --------
    >>> pack_counts({2: 1, 0: 3, 1: 0}).hex(" ", 6)
    '000003000000 020001000000'
    """
    return b"".join(_PAIR.pack(each, counts[each]) for each in sorted(counts) if counts[each])


def unpack_counts(packed: bytes) -> dict[int, int]:
    """
    Read how many steps fell into each bin.

    Parameters
    ----------
    packed : bytes
        As `pack_counts` writes it; empty for none.

    Returns
    -------
    dict of int to int
        Steps by bin, bins rising.

    Raises
    ------
    UnitError
        Kind ``counts`` if the bytes are no such table.

    Examples
    --------
    >>> unpack_counts(pack_counts({2: 1, 0: 3}))
    {0: 3, 2: 1}
    """
    if len(packed) % _PAIR.size:
        raise UnitError(f"counts take {_PAIR.size} bytes a bin; got {len(packed)} bytes", kind="counts")
    counts = dict(_PAIR.iter_unpack(packed))
    if any(each >= len(STALENESS_EDGES_MS) for each in counts):
        raise UnitError(f"a bin is below {len(STALENESS_EDGES_MS)}; got {max(counts)}", kind="counts")
    return counts


def quantile_edge(counts: Mapping[int, int], quantile: float) -> int | None:
    """
    Return the quantile of counted values by the nearest-rank rule, rounded up to its edge.

    Parameters
    ----------
    counts : Mapping of int to int
        Values by bin, also summed over many sessions.
    quantile : float
        Above 0, up to 1; 1 gives the edge of the largest value.

    Returns
    -------
    int or None
        An edge in milliseconds; None when nothing was counted. It is at most some threshold that
        is itself an edge exactly where the quantile is.

    Raises
    ------
    UnitError
        Kind ``quantile`` if `quantile` is out of range.

    Examples
    --------
    >>> quantile_edge({0: 3, 60: 1}, 0.75), quantile_edge({0: 3, 60: 1}, 0.95), quantile_edge({}, 0.5)
    (0, 60000, None)
    """
    if not 0 < quantile <= 1:
        raise UnitError(f"a quantile is above 0 and at most 1, got {quantile!r}", kind="quantile")
    rank = ceil(Fraction(str(quantile)) * sum(counts.values()))  # as a float, 0.07 of 100 is a little over 7
    for each in sorted(counts):
        rank -= counts[each]
        if rank <= 0 < counts[each]:
            return STALENESS_EDGES_MS[each]
    return None
