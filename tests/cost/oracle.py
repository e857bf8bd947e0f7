"""Keep a cache the slow way: every stored prefix is a text of its own, and all are searched."""

from __future__ import annotations

from dataclasses import dataclass, field

from timectx.cost.cache import CacheRule

Tokens = tuple[int, ...]


@dataclass(frozen=True)
class Request:
    """Hold one prompt as its tokens, with what the cache function is told of it."""

    prompt: Tokens
    idle_ms: int
    new_nodes: int
    reply: Tokens
    header_tokens: int
    line_tokens: int


@dataclass
class Stored:
    """Hold when a prefix was used last, and how many nodes had come when it was stored."""

    used_ms: int
    nodes: int


@dataclass
class NaiveCache:
    """Answer as `split_input` should, without positions and without knowing what stayed the same."""

    rule: CacheRule
    marks: dict[Tokens, Stored] = field(default_factory=dict)
    blocks: dict[Tokens, int] = field(default_factory=dict)
    header: tuple[Tokens, int] = ((), 0)
    previous: Tokens = ()
    clock_ms: int = 0
    nodes: int = 0

    def split(self, request: Request) -> tuple[int, int]:
        """Return what one prompt reads and writes."""
        before = self.nodes
        self.clock_ms += request.idle_ms
        self.nodes += request.new_nodes
        hit = max(self._block_hit(request.prompt), self._header_hit(request))
        hit = max(hit, self._mark_hit(request.prompt, above=self._block_hit(request.prompt)))
        self._store_blocks(request.prompt)
        end = len(request.prompt) - (request.line_tokens if self.rule.spares_line else 0)
        written = max(0, end - hit) if self._is_kept(end) and self.rule.charges_writes else 0
        if self._is_kept(end):
            self._store_marks(request, end, before)
        self.previous = request.prompt
        return hit, written

    def _lives(self, used_ms: int) -> bool:
        return self.rule.ttl_ms == 0 or self.clock_ms - used_ms < self.rule.ttl_ms

    def _is_kept(self, end: int) -> bool:
        return self.rule.marks_prompt and end > 0 and end >= self.rule.minimum_tokens

    def _block_hit(self, prompt: Tokens) -> int:
        living = [p for p, used_ms in self.blocks.items() if self._lives(used_ms) and prompt[: len(p)] == p]
        return max(map(len, living), default=0)

    def _store_blocks(self, prompt: Tokens) -> None:
        if self.rule.step_tokens:
            for end in range(self.rule.minimum_tokens, len(prompt) + 1, self.rule.step_tokens):
                if end:
                    self.blocks[prompt[:end]] = self.clock_ms

    def _header_hit(self, request: Request) -> int:
        if not self.rule.marks_header:
            return 0
        stored, used_ms = self.header
        self.header = (request.prompt[: request.header_tokens], self.clock_ms)
        kept = self._lives(used_ms) and len(stored) >= self.rule.minimum_tokens
        return len(stored) if kept and request.prompt[: len(stored)] == stored else 0

    def _mark_hit(self, prompt: Tokens, above: int) -> int:
        fitting = sorted((p for p in self.marks if prompt[: len(p)] == p), key=len)
        for prefix in reversed(fitting[-self.rule.lookback_marks :]):
            stored = self.marks[prefix]
            near = not self.rule.lookback_nodes or self.nodes - stored.nodes < self.rule.lookback_nodes
            if near and self._lives(stored.used_ms) and len(prefix) > above:
                stored.used_ms = self.clock_ms
                return len(prefix)
        return 0

    def _store_marks(self, request: Request, end: int, before: int) -> None:
        common = common_tokens(self.previous, request.prompt)
        parted = common < len(self.previous) and 0 < common < end
        if self.rule.marks_common and parted and common >= self.rule.minimum_tokens:
            known = self.marks.get(request.prompt[:common])
            self.marks[request.prompt[:common]] = Stored(self.clock_ms, known.nodes if known else before)
        self.marks[request.prompt[:end]] = Stored(self.clock_ms, self.nodes)
        if self.rule.marks_output and request.reply:
            self.marks[request.prompt[:end] + request.reply] = Stored(self.clock_ms, self.nodes + 1)


def common_tokens(one: Tokens, other: Tokens) -> int:
    """Return how many leading tokens two prompts share."""
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    return shared
