"""Any order of appends, flushes, failures, crashes and loads keeps exactly what was flushed."""

from __future__ import annotations

import errno
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.loop import disk
from tests.loop.scripts import HEADER, held, make, piece, prompt, turn_end, turn_start, whole
from timectx.errors import SessionError
from timectx.formats import read_session
from timectx.loop import DurableLog, StoreError, load_log, open_log, resume_log
from timectx.session import Event
from timectx.session.closers import closing_events


class Store(RuleBasedStateMachine):
    """Drive one log beside a list of what must be durable and a list of what waits."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.patch = pytest.MonkeyPatch()
        disk.use(self.patch, disk.quick())
        self.durable: list[Event] = []
        self.waiting: list[Event] = []
        self.log: DurableLog

    @initialize(compress=st.booleans())
    def start(self, compress: bool) -> None:
        """Open a new log and write its header."""
        self.log = open_log(self.root, HEADER, compress=compress)
        self.log.flush()

    @rule(kinds=st.lists(st.sampled_from("spre"), max_size=8))
    def append(self, kinds: list[str]) -> None:
        """Add turn starts, prompts, streamed pieces and turn ends in any order."""
        makers = {"s": turn_start, "p": prompt, "r": piece, "e": turn_end}
        events = [makers[kind](self.log.next_seq + number) for number, kind in enumerate(kinds)]
        self.log.append(events)
        self.waiting += events

    @rule()
    def append_what_is_refused(self) -> None:
        """Add something legal and something illegal: neither is taken."""
        with pytest.raises(SessionError):
            self.log.append([turn_start(self.log.next_seq), make("no/such", self.log.next_seq + 1, {})])

    @rule()
    def flush(self) -> None:
        """Make durable what waits."""
        assert self.log.flush() == len(self.waiting)
        self.durable += self.waiting
        self.waiting = []

    @rule(at=st.integers(0, 1))
    def flush_without_success(self, at: int) -> None:
        """Fail in the middle of a write, or at its sync."""
        disk.use(self.patch, disk.failing(errno.ENOSPC, at=at))
        if self.waiting:
            with pytest.raises(StoreError):
                self.log.flush()
        disk.use(self.patch, disk.quick())

    @rule(rest=st.binary(max_size=3))
    def crash_and_load(self, rest: bytes) -> None:
        """Lose the process, perhaps in the middle of a write; the load closes an open turn."""
        self.log.abandon()
        if self.waiting and rest:
            torn = b"\x28\xb5\x2f\xfd\x04" if self.log.path.name.endswith(".zstd") else b'{"type"'
            with self.log.path.open("ab") as stream:
                stream.write(torn[: 4 + len(rest)])
        self.durable += closing_events(self.durable)
        self.waiting = []
        self.log = load_log(self.root, HEADER.id)

    @rule(now_ms=st.integers(-5, 5))
    def close_and_resume(self, now_ms: int) -> None:
        """Stop in good order, which flushes, and go on."""
        self.log.close()
        self.durable += self.waiting
        self.waiting = []
        self.durable += closing_events(self.durable)
        if not (self.durable and self.durable[-1].type == "session/end-seed"):
            seed = make("session/end-seed", len(self.durable), {})
            self.durable.append(type(seed)(seq=seed.seq, time_ms=now_ms, data=seed.data))
        self.log = resume_log(self.root, HEADER.id, now_ms=now_ms)

    @invariant()
    def what_was_flushed_is_there(self) -> None:
        """Compare the file with what is durable, and the log in memory with that and what waits."""
        if hasattr(self, "log"):
            assert whole(read_session(self.log.path, strict=True, check=True)) == tuple(self.durable)
            assert held(self.log) == (*self.durable, *self.waiting)
            assert self.log.pending == tuple(self.waiting)

    def teardown(self) -> None:
        """Let go of the log and its folder."""
        if hasattr(self, "log"):
            self.log.abandon()
        self.patch.undo()
        shutil.rmtree(self.root)


TestStore = Store.TestCase
TestStore.settings = settings(settings.default, max_examples=40, stateful_step_count=15)
