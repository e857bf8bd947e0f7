"""Make one large dsh log with the proportions of real ones, the same bytes for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from timectx.formats.dsh_rows import pack_chunk_rows
from timectx.formats.dsh_store import compress_frame

WORDS = [
    "the", "of", "a", "file", "test", "run", "read", "error", "value", "line", "change",
    "session", "return", "import", "class", "check", "list", "时间", "while", "none",
]  # fmt: skip
STREAM_STARTS = tuple(
    f'{{"type":"{kind}'.encode() for kind in ("text-chunks", "reasoning-chunks", "tool-call-chunks", "assistant/chunk")
)

# Lognormal parameters (mu, sigma) of lengths in tokens of four characters.
REASONING, TEXT, ARGUMENTS, RESULT = (4.11, 1.31), (3.27, 1.19), (4.05, 1.21), (4.37, 1.78)
LONGEST = 15_000


def write_big_log(path: Path, *, seed: int, size: int, unpacked: float = 0.12) -> None:
    """Write a log of about `size` bytes, in which a share of the steps has its stream unpacked."""
    maker = _Maker(random.Random(seed))
    written = 0
    with path.open("wb") as stream:
        header = {
            "type": "session",
            "version": 0,
            "id": "big",
            "createdAt": maker.time,
            "cwd": "/w",
            "delegationDepth": 0,
        }
        stream.write(_line(header))
        while written < size:
            for batch in maker.turn(unpacked):
                data = b"".join(map(_line, batch))
                written += stream.write(data)


def compress_log(plain: Path, packed: Path) -> None:
    """Write the same log as a container: a frame for the header, and one for each append batch."""
    with plain.open("rb") as source, packed.open("wb") as target:
        batch: list[bytes] = []
        for number, line in enumerate(source):
            if batch and (number == 1 or line.startswith((b'{"type":"step/start"', b'{"type":"tool/call"'))):
                target.write(compress_frame(b"".join(batch)))
                batch = []
            batch.append(line)
        target.write(compress_frame(b"".join(batch)))


def stream_share(path: Path) -> float:
    """Return which share of a log's bytes is streamed output."""
    with path.open("rb") as stream:
        streamed = sum(len(line) for line in stream if line.startswith(STREAM_STARTS))
    return streamed / path.stat().st_size


class _Maker:
    """Make a log's records turn by turn."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.seq = 0
        self.time = 1_785_000_000_000
        self.turns = 0

    def turn(self, unpacked: float) -> Iterator[list[dict[str, Any]]]:
        """Yield the append batches of one turn."""
        self.turns += 1
        self.time += int(self.rng.lognormvariate(3.62, 1.2) * 1000)
        steps = max(1, min(80, round(self.rng.lognormvariate(1.43, 1.0))))
        yield [self.event("turn/start", {"turn": self.turns})]
        for step in range(1, steps + 1):
            yield from self.step(step, last=step == steps, packed=self.rng.random() >= unpacked)
        yield [self.event("turn/end", {"turn": self.turns, "reason": {"kind": "completed"}})]

    def step(self, step: int, *, last: bool, packed: bool) -> Iterator[list[dict[str, Any]]]:
        """Yield one step: its start, its reply as streamed and whole, its tool run and its end."""
        place = {"turn": self.turns, "step": step}
        opening = [self.event("step/start", dict(place))]
        if step == 1:
            opening.append(self.message(self.text((2.84, 1.32)), {"kind": "user", "rpcId": "r"}))
            if self.turns == 1:
                opening.append(self.header())
        opening.append(self.reading(step))
        yield opening
        self.time += int(self.rng.lognormvariate(1.72, 0.77) * 1000)
        blocks: list[dict[str, Any]] = [{"type": "reasoning", "text": self.text(REASONING)}]
        blocks.append({"type": "text", "text": self.text(TEXT)})
        call_id = f"call_{self.seq:08d}"
        if not last:
            blocks.append({"type": "tool-call", "id": call_id, "name": "bash", "arguments": self.text(ARGUMENTS)})
        first = self.seq
        streamed = list(self.streamed(place, blocks))
        yield pack_chunk_rows(streamed) if packed else streamed
        yield self.closing(place, blocks, first, call_id if not last else None)

    def closing(
        self, place: dict[str, Any], blocks: list[dict[str, Any]], first: int, call_id: str | None
    ) -> list[dict[str, Any]]:
        """Return the whole reply, the tool run, and the step's end."""
        source = {"kind": "model", "provider": "deepseek", "model": "deepseek-v4"}
        message = {"role": "assistant", "content": blocks, "source": source, "id": f"m-{self.seq}"}
        usage = {"inputTokens": 321, "outputTokens": 123, "cacheReadTokens": 45_000, "reasoningTokens": 77}
        reply = self.event("assistant/message", {**place, "message": message, "usage": usage})
        reply |= {"sourceEventSeqs": list(range(first, reply["seq"])), "surfaceOp": "append"}
        records = [reply]
        if call_id is not None:
            call = {**place, "callId": call_id, "name": "bash", "arguments": blocks[-1]["arguments"]}
            records.append(self.event("tool/call", call))
            content = [{"type": "text", "text": self.text(RESULT)}]
            block = {"type": "tool-result", "toolCallId": call_id, "content": content, "isError": False}
            result = {"source": {"kind": "tool", "callId": call_id}, "content": [block], "role": "user"}
            data = {**place, "message": {**result, "id": f"m-{self.seq}"}}
            records.append(self.event("tool/result", data) | {"sourceEventSeqs": [self.seq - 2], "surfaceOp": "append"})
        return [*records, self.event("step/end", dict(place))]

    def streamed(self, place: dict[str, Any], blocks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the pieces of a reply, about one token each."""
        for index, block in enumerate(blocks):
            kind = block["type"]
            yield self.chunk(place, {"type": "block-start", "index": index, "blockType": kind})
            whole = block["arguments"] if kind == "tool-call" else block["text"]
            for at in range(0, len(whole), 4):
                part = whole[at : at + 4]
                piece: dict[str, Any] = {"type": f"{kind}-delta", "index": index}
                piece |= {"id": block["id"], "argumentsDelta": part} if kind == "tool-call" else {"text": part}
                yield self.chunk(place, piece)
            yield self.chunk(place, {"type": "block-end", "index": index, "block": block})
        yield self.chunk(place, {"type": "usage", "usage": {"inputTokens": 321, "outputTokens": 123}})
        yield self.chunk(place, {"type": "finish", "reason": {"kind": "stop"}})

    def chunk(self, place: dict[str, Any], chunk: dict[str, Any]) -> dict[str, Any]:
        """Return one piece of a reply."""
        self.time += self.rng.randrange(5, 40)
        return self.event("assistant/chunk", {**place, "chunk": chunk})

    def header(self) -> dict[str, Any]:
        """Return a request header of about eight thousand tokens."""
        config = {"provider": "deepseek", "model": "deepseek-v4"}
        tools = [{"name": f"tool{n}", "description": self.text((6, 0.1)), "parameters": {}} for n in range(20)]
        header = {"config": config, "system": self.text((8, 0.1)), "tools": tools}
        return self.event("request/header", {"header": header, "reason": "initial"})

    def reading(self, step: int) -> dict[str, Any]:
        """Return a time reading."""
        text = (
            f"Time sampled while preparing turn {self.turns}, step {step}: 2026-07-15T09:01:01+08:00[Asia/Shanghai]\n"
            "Browser time zone for this request: Asia/Shanghai. Interpret otherwise-unqualified dates and times in "
            "this zone.\nElapsed since the preceding step context: 7s."
        )
        source = {"kind": "plugin", "plugin": "time-context", "form": "snapshot"}
        return self.message(text, {**source, "sections": [{"name": "time-context", "text": text}]})

    def message(self, text: str, source: dict[str, Any]) -> dict[str, Any]:
        """Return a user message on the surface."""
        data = {"content": [{"type": "text", "text": text}], "source": source, "role": "user", "id": f"m-{self.seq}"}
        return self.event("user/message", data) | {"surfaceOp": "append"}

    def event(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return the next record."""
        record = {"type": kind, "seq": self.seq, "time": self.time, "data": data}
        self.seq += 1
        return record

    def text(self, shape: tuple[float, float]) -> str:
        """Return text whose length in tokens follows a lognormal distribution."""
        length = 4 * min(LONGEST, max(1, round(self.rng.lognormvariate(*shape))))
        words: list[str] = []
        while length > 0:
            words.append(self.rng.choice(WORDS))
            length -= len(words[-1]) + 1
        return " ".join(words)


def _line(record: dict[str, Any]) -> bytes:
    return msgspec.json.encode(record) + b"\n"
