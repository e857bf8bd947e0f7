"""Shorten long tool results by their middle, without a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn

import msgspec
from msgspec import Struct

from timectx.errors import ScenarioError
from timectx.session.events import Block, CompactionPrune, Event, Message, PruneData, Replace, SeqRange, ToolResult
from timectx.session.records import json_numbers

__all__ = [
    "PRUNE_MARKER",
    "Prune",
    "PruneSettings",
    "Pruned",
    "plan_prune",
    "prune_content",
    "prune_events",
    "prune_settings",
]

PRUNE_MARKER: Final = "\n\n[... tool result middle pruned ...]\n\n"
"""What stands where the middle was."""

_FIELDS: Final = {"thresholdChars": "threshold_chars", "headChars": "head_chars", "tailChars": "tail_chars"}


class PruneSettings(Struct, frozen=True, kw_only=True):
    """
    Hold when a tool result is shortened and what stays, in code points.

    One of more than `threshold_chars` keeps its first `head_chars` and its last `tail_chars`. Made and
    checked by `prune_settings`.
    """

    threshold_chars: int = 8192
    head_chars: int = 4096
    tail_chars: int = 1024


class Prune(Struct, frozen=True):
    """
    Plan to shorten one tool result.

    `event` is the result as it stands, `content` its blocks afterwards; `chars_before` and
    `chars_after` count the code points of its text.
    """

    event: ToolResult
    content: tuple[Block, ...]
    chars_before: int
    chars_after: int

    @property
    def call_id(self) -> str:
        """The call whose result it is."""
        return str(self.event.data.message.source.get("callId", ""))


class Pruned(Struct, frozen=True):
    """Describe a tool result that was shortened: how, and the seq of the shorter one."""

    prune: Prune
    replacement_seq: int


def prune_settings(config: Mapping[str, Any] | None = None) -> PruneSettings:
    """
    Check the settings of pruning and fill in what they leave out.

    Parameters
    ----------
    config : Mapping, optional
        ``thresholdChars``, ``headChars`` and ``tailChars``; None takes every default.

    Returns
    -------
    PruneSettings
        Checked: head, marker and tail fit into the threshold.

    Raises
    ------
    ScenarioError
        Kind ``toolresultpruneconfig-…``, where the rest names the setting and its rule.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-tool-result-pruner/src/config.ts.

    Examples
    --------
    >>> prune_settings({"thresholdChars": 60, "headChars": 10, "tailChars": 5}).tail_chars
    5
    >>> prune_settings({"thresholdChars": 5000})
    Traceback (most recent call last):
    timectx.errors.ScenarioError: head, marker and tail fit into the threshold; 4096 + 39 + 1024 is over 5000
    """
    given = {} if config is None else {key: json_numbers(value) for key, value in config.items()}
    for key in given:
        if key not in _FIELDS:
            _refuse(
                "unknown-key-allowed-thresholdchars-headchars", f"pruning has no {key!r}; it has {', '.join(_FIELDS)}"
            )
    for key, value in given.items():
        least, rule = (1, "positive") if key == "thresholdChars" else (0, "non")
        if type(value) is not int or value < least:
            _refuse(f"{key.lower()}-must-be-a-{rule}", f"{key} is a whole number from {least}; got {value!r}")
    settings = PruneSettings(**{_FIELDS[key]: value for key, value in given.items()})
    if settings.head_chars + len(PRUNE_MARKER) + settings.tail_chars > settings.threshold_chars:
        parts = f"{settings.head_chars} + {len(PRUNE_MARKER)} + {settings.tail_chars}"
        _refuse(
            "headchars-marker-tailchars-must-be",
            f"head, marker and tail fit into the threshold; {parts} is over {settings.threshold_chars}",
        )
    return settings


def prune_content(blocks: Sequence[Block], settings: PruneSettings) -> tuple[Block, ...] | None:
    r"""
    Shorten the text of a tool result.

    Parameters
    ----------
    blocks : sequence of dict
        Its content; they are not changed.
    settings : PruneSettings
        When and by how much.

    Returns
    -------
    tuple of dict or None
        The text is taken as one over all blocks: each text block keeps what of it lies in the head or
        the tail, the first that loses something holds the marker, and one left empty goes. Blocks
        of other kinds stay in place. None where the text is not longer than the threshold.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-tool-result-pruner/src/index.ts.

    Examples
    --------
    >>> settings = prune_settings({"thresholdChars": 45, "headChars": 3, "tailChars": 2})
    >>> [block["text"] for block in prune_content([{"type": "text", "text": "abc" * 20}], settings)]
    ['abc\n\n[... tool result middle pruned ...]\n\nbc']
    """
    total = _chars(blocks)
    if total <= settings.threshold_chars:
        return None
    low, high = settings.head_chars, total - settings.tail_chars
    kept, at, marker = [], 0, PRUNE_MARKER
    for block in blocks:
        if not _is_text(block):
            kept.append(block)
            continue
        text, start = block["text"], at
        at += len(text)
        if start < high and at > low:
            text = text[: max(0, low - start)] + marker + text[max(0, high - start) :]
            marker = ""
        if text:
            kept.append({**block, "text": text})
    return tuple(kept)


def plan_prune(results: Iterable[Event], settings: PruneSettings) -> tuple[Prune, ...]:
    """
    Choose the tool results to shorten.

    Parameters
    ----------
    results : iterable of Event
        The events of the surface, in order; other messages are passed over.
    settings : PruneSettings
        When and by how much.

    Returns
    -------
    tuple of Prune
        In the same order; empty when nothing is too long. After it was carried out, the next plan is empty.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-tool-result-pruner/src/index.ts.
    """
    found = []
    for event in results:
        if isinstance(event, ToolResult):
            before = _content_of(event.data.message)
            after = prune_content(before, settings)
            if after is not None:
                found.append(Prune(event, after, _chars(before), _chars(after)))
    return tuple(found)


def prune_events(prune: Prune, *, seq: int, time_ms: int, tokens: int) -> tuple[CompactionPrune, ToolResult]:
    """
    Return the two events that shorten one tool result.

    Parameters
    ----------
    prune : Prune
        What to do.
    seq : int
        Seq of the first of them.
    time_ms : int
        Their time, in epoch milliseconds.
    tokens : int
        Price of the result so far.

    Returns
    -------
    tuple of Event
        The announcement and the shorter result, which differs from the old one in its content alone.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-tool-result-pruner/src/index.ts.
    """
    old = prune.event
    span = SeqRange(old.seq, old.seq)
    data = PruneData(shadowed_range=span, shadowed_seqs=(old.seq,), shadowed_token_count=tokens)
    message = _with_content(old.data.message, prune.content)
    shorter = ToolResult(
        seq=seq + 1,
        time_ms=time_ms,
        data=msgspec.structs.replace(old.data, message=message),
        surface_op=Replace(old.seq, old.seq),
        source_event_seqs=(old.seq,),
    )
    return CompactionPrune(seq=seq, time_ms=time_ms, data=data), shorter


def _content_of(message: Message) -> Sequence[Block]:
    """Return what a tool gave back: the message's blocks, or those in the one block that older logs wrap them in."""
    if message.role == "tool" or not message.content:
        return message.content
    inner = message.content[0].get("content")
    return inner if isinstance(inner, list) else ()


def _with_content(message: Message, content: tuple[Block, ...]) -> Message:
    if message.role == "tool":
        return msgspec.structs.replace(message, content=content)
    wrapper = {**message.content[0], "content": list(content)}
    return msgspec.structs.replace(message, content=(wrapper, *message.content[1:]))


def _chars(blocks: Iterable[Block]) -> int:
    return sum(len(block["text"]) for block in blocks if _is_text(block))


def _is_text(block: Block) -> bool:
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def _refuse(rule: str, message: str) -> NoReturn:
    raise ScenarioError(message, kind=f"toolresultpruneconfig-{rule}")
