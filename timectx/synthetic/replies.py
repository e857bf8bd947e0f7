"""Let the model of a made-up session answer, and run the tools it calls."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from timectx.replay import estimate_message_tokens
from timectx.session.events import (
    AssistantChunk,
    AssistantData,
    AssistantMessage,
    Block,
    ChunkData,
    JsonObject,
    Message,
    RetryData,
    RetryStarted,
    ToolCall,
    ToolCallData,
    ToolResult,
    ToolResultData,
    Usage,
)
from timectx.synthetic.dice import Dice
from timectx.synthetic.habits import Habits
from timectx.synthetic.ledger import Ledger
from timectx.synthetic.plan import Place
from timectx.synthetic.streaming import stream_blocks
from timectx.synthetic.words import Words

__all__ = ["FAILURE", "Ending", "Model"]

Ending: TypeAlias = Literal["stop", "tool-calls", "max-tokens", "interrupted", "failure"]
"""How a reply ends."""

FAILURE: Final[JsonObject] = {"message": "the provider is overloaded", "code": "SERVER", "status": 503}
"""What a failed request says."""

_ALPHABET: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
_CACHE_BLOCK: Final = 64
_APPROVAL_MS: Final = 60_000
"""A tool that takes longer waits for a person's approval."""


class Model:
    """
    Answer requests, with usage a provider could have reported.

    Parameters
    ----------
    ledger : Ledger
        The log.
    dice : Dice
        Draws everything.
    habits : Habits
        The distributions.
    words : Words
        Writes the texts.
    stream : bool
        Whether to log the reply piece by piece as well.
    """

    def __init__(self, ledger: Ledger, dice: Dice, habits: Habits, words: Words, *, stream: bool) -> None:
        self.ledger, self.dice, self.habits, self.words = ledger, dice, habits, words
        self.stream = stream
        self.provider, self.name = "deepseek-official", "deepseek-v4-flash"
        self.factor = dice.between(1300, 1500) + habits.cjk_permille * 4 // 10
        """Tokens the provider counts for a thousand estimated ones."""

    def fail(self, place: Place) -> None:
        """
        Log a request that comes to nothing.

        Parameters
        ----------
        place : Place
            The step.
        """
        self.ledger.wait(self.dice.draw(self.habits.latency_ms))
        self.ledger.sent()
        self._chunk(place, {"type": "finish", "reason": {"kind": "error", "failure": dict(FAILURE)}})

    def retry(self, place: Place, delay_ms: int) -> None:
        """
        Log a request that fails, and the announcement of the next one.

        Parameters
        ----------
        place : Place
            The step.
        delay_ms : int
            Milliseconds between the two.
        """
        self.fail(place)
        retry_id = self.ledger.ids.uuid()
        plan = {"retry": 1, "maxRetries": 3, "delayMs": delay_ms, "failure": dict(FAILURE)}
        policy = {"provider": self.provider, "mode": "normal", "policyKey": "default"}
        self.ledger.note("llm/retry", {"retryId": retry_id, "turn": place.turn, "step": place.step, **policy, **plan})
        self.ledger.wait(delay_ms)
        self.ledger.add(
            RetryStarted, RetryData(turn=place.turn, step=place.step, extra={"retryId": retry_id, "retry": 1})
        )

    def reply(self, place: Place, ending: Ending) -> list[Block]:
        """
        Log a whole reply.

        Parameters
        ----------
        place : Place
            The step.
        ending : str
            How it ends, an `Ending`.

        Returns
        -------
        list of Block
            The tool calls in it.
        """
        ledger, dice = self.ledger, self.dice
        blocks = self._blocks(ending)
        calls = [block for block in blocks if block["type"] == "tool-call"]
        wait_ms = dice.draw(self.habits.latency_ms)
        prompt, known = ledger.sent()
        began = ledger.now_ms
        chunks = stream_blocks(ledger, place, blocks, wait_ms, cut=ending == "interrupted") if self.stream else []
        ledger.wait(max(0, began + wait_ms - ledger.now_ms))
        usage = None if ending == "interrupted" else self._usage(prompt, known, blocks)
        if usage is not None:
            chunks.append(self._chunk(place, {"type": "usage", "usage": _camel(usage)}))
            chunks.append(self._chunk(place, {"type": "finish", "reason": {"kind": ending}}))
        ledger.wait(dice.below(4))
        ledger.show(
            AssistantMessage,
            AssistantData(
                turn=place.turn,
                step=place.step,
                message=Message(
                    content=tuple(blocks),
                    source={"kind": "model", "provider": self.provider, "model": self.name},
                    role="assistant",
                    id=ledger.ids.uuid(),
                ),
                usage=usage,
                interrupted=True if ending == "interrupted" else None,
            ),
            sources=chunks,
        )
        return calls

    def run_tools(self, place: Place, calls: list[Block], *, dies: bool = False) -> None:
        """
        Log the tool runs of a reply, one after the other or side by side.

        Parameters
        ----------
        place : Place
            The step.
        calls : list of Block
            The reply's calls.
        dies : bool, optional
            True leaves the last one without a result.
        """
        side_by_side = len(calls) > 1 and self.dice.chance(300)
        started = {call["id"]: self._start(place, call).seq for call in calls} if side_by_side else {}
        for call in calls:
            seq = started[call["id"]] if side_by_side else self._start(place, call).seq
            if dies and call is calls[-1]:
                return
            self._finish(place, call, seq)

    def _blocks(self, ending: Ending) -> list[Block]:
        dice, habits = self.dice, self.habits
        blocks: list[Block] = []
        if dice.chance(habits.reasoning_permille):
            blocks.append({"type": "reasoning", "text": self.words.prose(dice.draw(habits.reasoning_chars))})
        calls = habits.calls(dice) if ending == "tool-calls" else 0
        if not calls or dice.chance(habits.remark_permille):
            blocks.append({"type": "text", "text": self.words.prose(dice.draw(habits.text_chars))})
        for at in range(calls):
            name, arguments = self.words.call(dice.draw(habits.argument_chars))
            call_id = f"call_{at:02d}_{dice.name(_ALPHABET, 20)}"
            blocks.append({"type": "tool-call", "id": call_id, "name": name, "arguments": arguments})
        return blocks

    def _usage(self, prompt: int, known: int, blocks: list[Block]) -> Usage:
        prompt, known = prompt * self.factor // 1000, known * self.factor // 1000
        cached = known // _CACHE_BLOCK * _CACHE_BLOCK
        parts = {block["type"]: self._counted((block,)) for block in blocks if block["type"] == "reasoning"}
        return Usage(
            input_tokens=prompt - cached,
            output_tokens=self._counted(tuple(blocks)),
            cache_read_tokens=cached,
            reasoning_tokens=parts.get("reasoning"),
        )

    def _counted(self, blocks: tuple[Block, ...]) -> int:
        return estimate_message_tokens(Message(content=blocks, source={})) * self.factor // 1000

    def _start(self, place: Place, call: Block) -> ToolCall:
        self.ledger.wait(self.dice.below(3))
        data = ToolCallData(
            turn=place.turn, step=place.step, call_id=call["id"], name=call["name"], arguments=call["arguments"]
        )
        return self.ledger.add(ToolCall, data)

    def _finish(self, place: Place, call: Block, start_seq: int) -> None:
        ledger, dice, habits = self.ledger, self.dice, self.habits
        took_ms, chars = dice.draw(habits.tool_ms), min(dice.draw(habits.result_chars), habits.longest_result_chars)
        if took_ms > _APPROVAL_MS:
            asked = ledger.ids.uuid()
            ledger.note("approval/asked", {"id": asked, "toolName": call["name"], "callId": call["id"]})
            ledger.wait(took_ms - 200)
            ledger.note("approval/decided", {"id": asked, "outcome": "allowed-once"})
            took_ms = 200
        ledger.wait(took_ms)
        content = [{"type": "text", "text": self.words.output(chars)}]
        block = {"type": "tool-result", "toolCallId": call["id"], "content": content, "isError": dice.chance(40)}
        message = Message(
            content=(block,), source={"kind": "tool", "callId": call["id"]}, role="user", id=ledger.ids.uuid()
        )
        ledger.show(ToolResult, ToolResultData(turn=place.turn, step=place.step, message=message), sources=(start_seq,))

    def _chunk(self, place: Place, chunk: JsonObject) -> int:
        return self.ledger.add(AssistantChunk, ChunkData(turn=place.turn, step=place.step, chunk=chunk)).seq


def _camel(usage: Usage) -> JsonObject:
    named = {
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
        "cacheReadTokens": usage.cache_read_tokens,
        "reasoningTokens": usage.reasoning_tokens,
    }
    return {key: value for key, value in named.items() if value is not None}
