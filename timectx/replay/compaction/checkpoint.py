"""Make the message that stands for what a compaction shadows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from timectx.reading import Edition
from timectx.replay.compaction.edition_prices import price_message
from timectx.replay.compaction.refusals import refusal
from timectx.replay.compaction.regions import Region
from timectx.replay.meter import Pricing
from timectx.session.events import Block, JsonObject, Message
from timectx.units import Tokens

__all__ = ["CHECKPOINT_PREAMBLE", "Lifecycle", "check_smaller", "checkpoint_message", "frame_summary"]

CHECKPOINT_PREAMBLE: Final = (
    "The earlier part of this conversation was taken out to make room, and this message stands in its place. "
    "What follows is a summary of it, written by a model that could still read all of it. "
    "Treat it as what has happened so far, and carry on with the work from there without asking for any of it again."
)
"""What opens every checkpoint: as long as the original's own, so that a checkpoint costs as many tokens."""

_OPEN: Final = "\n\n<compacted-summary>"
_CLOSE: Final = "</compacted-summary>"


class Lifecycle(Struct, frozen=True):
    """
    Name one compaction: what all its events share.

    `turn` is the open turn it belongs to, None for one run by hand between turns; `command_id` the
    command that asked for it, None = none did.
    """

    compaction_id: str
    turn: int | None = None
    command_id: str | None = None

    @property
    def marks(self) -> JsonObject:
        """What its events carry beside the fields that all compactions have."""
        return {} if self.command_id is None else {"sourceCommandId": self.command_id}


def frame_summary(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """
    Put a summary between the words that tell the next model what it is.

    Parameters
    ----------
    blocks : sequence of dict
        The summary's text blocks.

    Returns
    -------
    tuple of dict
        The preamble with the opening mark, the summary, and the closing mark.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/summarizer.ts, `frameSummary`.

    Examples
    --------
    >>> [len(block["text"]) for block in frame_summary([{"type": "text", "text": "done"}])]
    [321, 4, 20]
    """
    opening = {"type": "text", "text": CHECKPOINT_PREAMBLE + _OPEN}
    return (opening, *blocks, {"type": "text", "text": _CLOSE})


def checkpoint_message(blocks: Sequence[Block], life: Lifecycle, edition: Edition, message_id: str = "") -> Message:
    """
    Return the message that stands for what a compaction shadows.

    Parameters
    ----------
    blocks : sequence of dict
        The summary's text blocks.
    life : Lifecycle
        The compaction.
    edition : {"note", "note-v2", "readme", "current"}
        Sets the source that marks it as a checkpoint.
    message_id : str, optional
        Its id; empty for none.

    Returns
    -------
    Message
        By the fixed estimate it costs 98 tokens, and for each text of the summary a quarter of its
        length, rounded up, plus 4.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/region.ts.

    Examples
    --------
    >>> message = checkpoint_message([{"type": "text", "text": "small"}], Lifecycle("c1"), "readme")
    >>> price_message(message, "readme"), message.source
    (104, {'kind': 'plugin', 'plugin': 'compact', 'compactionId': 'c1'})
    """
    kind = {"kind": "compact-checkpoint"} if edition == "current" else {"kind": "plugin", "plugin": "compact"}
    source = {**kind, "compactionId": life.compaction_id, **life.marks}
    return Message(content=frame_summary(blocks), source=source, role="user", id=message_id)


def check_smaller(checkpoint: Message, region: Region, edition: Edition, counter: Pricing | None = None) -> Tokens:
    """
    Refuse a checkpoint that saves nothing.

    Parameters
    ----------
    checkpoint : Message
        As `checkpoint_message` makes it.
    region : Region
        What it would stand for.
    edition : {"note", "note-v2", "readme", "current"}
        Whose prices and words.
    counter : callable or Scaled, optional
        Counts texts in place of the edition's rule, or scales what that says; None uses the rule.

    Returns
    -------
    Tokens
        The checkpoint's price.

    Raises
    ------
    CompactionError
        Rule ``not-smaller`` when it would cost as much as what it stands for, or more.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/region.ts, `compactSurfaceRegion`.
    """
    framed = price_message(checkpoint, edition, counter)
    if framed >= region.tokens:
        message = f"a checkpoint costs less than what it stands for; {framed} tokens would stand for {region.tokens}"
        raise refusal("not-smaller", message, edition)
    return framed
