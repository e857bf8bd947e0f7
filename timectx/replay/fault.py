"""Hold one broken rule of a log, with the place that breaks it."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Fault"]


class Fault(Struct, frozen=True, order=True):
    """Name one broken rule: the `seq` of the event that breaks it, a stable word for the `rule`, and what is wrong."""

    seq: int
    rule: str
    message: str
