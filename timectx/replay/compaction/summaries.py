"""Ask a model, or something that stands for one, for the summary of what a compaction takes away."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from timectx.errors import ScenarioError
from timectx.reading import Edition
from timectx.replay.compaction.refusals import refusal
from timectx.session.events import Block, JsonObject, Message, Usage

__all__ = [
    "SUMMARY_INSTRUCTION",
    "FixedText",
    "FixedTokens",
    "ShareOfShadowed",
    "SummaryModel",
    "SummaryReply",
    "SummaryRequest",
    "instruction_message",
    "summary_blocks",
]

SUMMARY_INSTRUCTION: Final = (
    "Stop working on the task for a moment. The messages above will be taken out of this conversation, and the only "
    "thing that stands for them afterwards is what you write now. Write a summary from which someone who has never "
    "seen them can carry on the work without a break.\n\n"
    "Put down, under short headings, whatever of this there is:\n"
    "1. The request: what the user wants, in their own terms, with every condition, preference and correction they "
    "gave, the latest last. Quote words that must not change.\n"
    "2. The state of the work: what is finished, what is half done, and what was tried and given up, with the reason.\n"
    "3. Facts found out: names of files, functions, commands, addresses, versions, identifiers and numbers, exactly as "
    "they were written. Say where each comes from if that matters.\n"
    "4. Changes made: which files or records were created, edited or removed, and what each change does.\n"
    "5. Results of tools that still count: errors with their text, outputs that decide what to do next, and tests with "
    "their outcome.\n"
    "6. Decisions: what was chosen, what was turned down, and why.\n"
    "7. Open points: questions waiting for an answer, the known risks, and promises made to the user.\n"
    "8. The next step: the one thing to do first, and how it was going to be done.\n\n"
    "If the messages begin with a summary like this one, take over everything in it that still holds, and drop only "
    "what was settled since. Keep times and dates that someone may ask about later, together with their time zone.\n\n"
    "Leave out greetings, repetitions and long listings. Do not invent anything, and mark what is a guess as a guess. "
    "Do not call any tool, and do not continue with the task itself. Answer with the summary alone, as plain text, in "
    "the language the user writes in. Be as short as you can without losing anything that is listed above."
)
"""What the model is asked: as long as the original's own, so that the request costs as many tokens."""

_CHARS_PER_TOKEN: Final = 4.0
_FILLER: Final = " the"
"""A token of the fixed estimate, and of every tokenizer known by name."""

_BLANK: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000\ufeff"
)
"""What JavaScript takes for white space."""


class SummaryRequest(Struct, frozen=True, kw_only=True):
    """
    Hold what a summary is asked for.

    `messages` are those that will be shadowed, in surface order (in ``current`` after the system prompt),
    and the instruction last; `header` is what goes beside them. `provider` and `model` answer, in
    at most `max_tokens` tokens. `shadowed_tokens` is the sum of the prices of what goes.
    `chars_per_token` is how much text stands for a token where the size of a text is all that counts.
    """

    messages: tuple[Message, ...]
    header: JsonObject | None
    provider: str
    model: str
    max_tokens: int
    shadowed_tokens: int
    chars_per_token: float = _CHARS_PER_TOKEN


class SummaryReply(Struct, frozen=True, kw_only=True):
    """
    Hold what came back.

    `blocks` is the whole output, `usage` what the provider counted, None = not reported. `finish` is
    why the output ended; of ``error`` and ``aborted``, `failure` gives the text and `code` the
    provider's word.
    """

    blocks: tuple[Block, ...] = ()
    usage: Usage | None = None
    finish: Literal["stop", "tool-calls", "max-tokens", "error", "aborted"] = "stop"
    failure: str = ""
    code: str = ""


SummaryModel: TypeAlias = Callable[[SummaryRequest], SummaryReply]
"""Anything that answers a request for a summary; it may raise, which fails the compaction."""


class FixedText(Struct, frozen=True):
    """
    Answer every request with the same text.

    Parameters
    ----------
    text : str
        The summary; a blank one fails every compaction.

    Examples
    --------
    >>> request = SummaryRequest(messages=(), header=None, provider="p", model="m", max_tokens=9, shadowed_tokens=500)
    >>> FixedText("so far, so good")(request).blocks
    ({'type': 'text', 'text': 'so far, so good'},)
    """

    text: str

    def __call__(self, request: SummaryRequest) -> SummaryReply:
        """Return the text, whatever was asked."""
        return _text_reply(self.text)


class FixedTokens(Struct, frozen=True):
    """
    Answer every request with a text of the same size.

    Parameters
    ----------
    tokens : int
        The text's size by the fixed estimate, or by what stands in its place, from 1; by the estimate the
        checkpoint around it costs 102 more.

    Raises
    ------
    ScenarioError
        Kind ``summary-tokens`` if `tokens` is not a whole number from 1.

    Examples
    --------
    >>> request = SummaryRequest(messages=(), header=None, provider="p", model="m", max_tokens=9, shadowed_tokens=500)
    >>> len(FixedTokens(50)(request).blocks[0]["text"])
    200
    """

    tokens: int

    def __post_init__(self) -> None:
        """Check the size."""
        if type(self.tokens) is not int or self.tokens < 1:
            raise ScenarioError(
                f"a summary's size is a whole number of tokens from 1; got {self.tokens!r}", kind="summary-tokens"
            )

    def __call__(self, request: SummaryRequest) -> SummaryReply:
        """Return that many tokens of filler, whatever was asked."""
        return _filler_reply(self.tokens, request)


class ShareOfShadowed(Struct, frozen=True):
    """
    Answer with a text whose size is a share of what it stands for.

    Parameters
    ----------
    ratio : float
        The text's tokens per token that the compaction shadows, above 0; rounded down to whole tokens,
        and at least 1. The checkpoint around it costs 102 more.

    Raises
    ------
    ScenarioError
        Kind ``summary-ratio`` if `ratio` is not a number above 0.

    Examples
    --------
    >>> request = SummaryRequest(messages=(), header=None, provider="p", model="m", max_tokens=9, shadowed_tokens=500)
    >>> len(ShareOfShadowed(0.1)(request).blocks[0]["text"])
    200
    """

    ratio: float

    def __post_init__(self) -> None:
        """Check the share."""
        ratio: object = self.ratio
        is_number = isinstance(ratio, int | float) and not isinstance(ratio, bool)
        if not (is_number and math.isfinite(self.ratio) and self.ratio > 0):
            raise ScenarioError(f"a summary's share is a number above 0; got {self.ratio!r}", kind="summary-ratio")

    def __call__(self, request: SummaryRequest) -> SummaryReply:
        """Return filler in proportion to what the request shadows."""
        tokens = max(1, math.floor(request.shadowed_tokens * self.ratio))
        return _filler_reply(tokens, request)


def instruction_message(message_id: str = "") -> Message:
    """
    Return the message that asks for the summary.

    Parameters
    ----------
    message_id : str, optional
        Its id; empty for none.

    Returns
    -------
    Message
        Priced 459 tokens by the fixed estimate; it is part of the request alone, never of the log.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/summarizer.ts.
    """
    content = ({"type": "text", "text": SUMMARY_INSTRUCTION},)
    return Message(content=content, source={"kind": "plugin", "plugin": "compact"}, role="user", id=message_id)


def summary_blocks(reply: SummaryReply, edition: Edition) -> tuple[Block, ...]:
    """
    Return what of a model's output is its summary.

    Parameters
    ----------
    reply : SummaryReply
        The output.
    edition : {"note", "note-v2", "readme", "current"}
        Whose words an error's kind takes.

    Returns
    -------
    tuple of dict
        The text blocks; one of them at least is not blank.

    Raises
    ------
    CompactionError
        Rules ``summary-failed`` (with the provider's text and code), ``summary-truncated``,
        ``summary-image`` and ``summary-empty``.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/summarizer.ts.
    """
    if reply.finish in ("error", "aborted"):
        raise refusal("summary-failed", reply.failure or f"the summary ended: {reply.finish}", edition, code=reply.code)
    if reply.finish == "max-tokens":
        raise refusal(
            "summary-truncated", "the summary hit its cap of tokens and is incomplete", edition, code="MAX_TOKENS"
        )
    if any(block.get("type") == "image" for block in reply.blocks):
        raise refusal("summary-image", "a summary holds text, not images", edition, code="UNSUPPORTED_CONTENT")
    texts = tuple(block for block in reply.blocks if block.get("type") == "text")
    if not any(str(block.get("text", "")).strip(_BLANK) for block in texts):
        raise refusal("summary-empty", "the summary holds no text", edition)
    return texts


def _filler_reply(tokens: int, request: SummaryRequest) -> SummaryReply:
    length = max(1, math.floor(tokens * request.chars_per_token))
    return _text_reply((_FILLER * (length // len(_FILLER) + 1))[:length])


def _text_reply(text: str) -> SummaryReply:
    return SummaryReply(blocks=({"type": "text", "text": text},))
