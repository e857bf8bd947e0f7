"""Get what a sweep needs of one session: from the cache where it holds, else by reading the file, once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from timectx.formats import read_session
from timectx.formats.read import read_stream
from timectx.replay import Scenario, explain_recorded, parse_scenario
from timectx.session import Session
from timectx.sweep.cache.entry import Entry, EntryKey, entry_key, load_entry, save_entry
from timectx.sweep.cache.folder import CacheFolder
from timectx.sweep.facts import SessionFacts, facts_of
from timectx.sweep.flat.columns import Columns
from timectx.sweep.flat.columns_of import columns_of
from timectx.sweep.given import Given
from timectx.sweep.remote import is_remote, open_remote, remote_stamp

__all__ = ["EXPLANATION", "Explained", "Source"]

EXPLANATION: Final = "explanation"
"""The part of the cache that holds what explains a session's readings."""


class Explained(Struct, frozen=True):
    """Hold the scenario that explains a session's readings, as TOML too, and a sentence that says how sure it is."""

    scenario: Scenario
    toml: str
    text: str


class Source:
    """
    Stand for one session, of which no more is read than is asked for.

    Parameters
    ----------
    given : Given
        A file or a session in memory.
    folder : CacheFolder or None
        Where results of earlier sweeps may be; None to compute everything.
    storage_options : Mapping
        What fsspec needs to open URLs.
    parts : sequence of str, optional
        What will be asked of the cache anyway; facts are beside each of them.

    Examples
    --------
    >>> from timectx.synthetic import synthetic_session
    >>> Source(Given(None, 0, synthetic_session(1, steps=2)), None, {}).facts.holds_readings
    True
    """

    def __init__(
        self,
        given: Given,
        folder: CacheFolder | None,
        storage_options: Mapping[str, Any],
        parts: Sequence[str] = (),
    ) -> None:
        self.given, self.folder, self.storage_options, self.parts = given, folder, storage_options, parts
        self._made: dict[str, tuple[Columns, bytes]] = {}
        self._entries: dict[str, tuple[Entry, memoryview] | None] = {}

    @cached_property
    def session(self) -> Session:
        """The session itself."""
        path, before = self.given.path, self._state
        if self.given.session is not None or path is None:
            assert self.given.session is not None
            return self.given.session
        if not is_remote(path):
            session = read_session(path)
        else:
            with open_remote(path, self.storage_options) as stream:
                session = read_stream(path, stream)
        if before is not None and before != self._stat():
            self.folder = None  # it grows while it is read: what was read is no state to remember
        return session

    @cached_property
    def facts(self) -> SessionFacts:
        """What identifies it."""
        if "session" not in self.__dict__:
            kept = next(filter(None, map(self._kept, self.parts)), None)
            if kept is not None:
                return kept[0].facts
        return facts_of(self.session)

    @cached_property
    def explained(self) -> Explained | None:
        """What explains the readings it was recorded with; None where it has none."""
        kept = self._kept(EXPLANATION)
        if kept is not None:
            said = kept[0].explanation
            return None if said is None else Explained(parse_scenario(said[0]), *said)
        explanation = explain_recorded(self.session) if self.facts.holds_readings else None
        if explanation is None:
            self._keep(EXPLANATION)
            return None
        said = explanation.scenario.to_toml(), str(explanation)
        self._keep(EXPLANATION, explanation=said)
        return Explained(explanation.scenario, *said)

    def columns(self, scenario: Scenario, part: str | None) -> tuple[Columns, bytes]:
        """
        Return the session as columns.

        Parameters
        ----------
        scenario : Scenario
            What the columns have to be for.
        part : str or None
            What such columns are called in the cache; None where nothing names them for good.

        Returns
        -------
        tuple of Columns and bytes
            Beside them what is equal for columns of equal content.
        """
        if part is not None and part in self._made:
            return self._made[part]
        kept = None if part is None else self._kept(part)
        if kept is not None and kept[0].columns is not None:
            return Columns(kept[0].columns, kept[1]), bytes.fromhex(kept[0].digest)
        columns = columns_of(self.session, scenario)
        if part is not None:
            self._made[part] = columns, columns.digest
            self._keep(part, columns.integers, columns=columns.facts, digest=columns.digest.hex())
        return columns, columns.digest

    @cached_property
    def _state(self) -> tuple[str, int, str] | None:
        """Path, size and stamp of the file; None where nothing can be remembered of it."""
        return None if self.folder is None or self.given.session is not None else self._stat()

    def _stat(self) -> tuple[str, int, str] | None:
        path = self.given.path or ""
        if is_remote(path):
            return path, *remote_stamp(path, self.storage_options)
        try:
            state = os.stat(path)  # noqa: PTH116 - as quick as can be, since thousands are asked for
        except (OSError, ValueError):
            return None
        return os.path.abspath(path), state.st_size, str(state.st_mtime_ns)  # noqa: PTH100 - links stay as they are

    def _key(self, part: str) -> EntryKey | None:
        return None if self._state is None else entry_key(*self._state, part)

    def _kept(self, part: str) -> tuple[Entry, memoryview] | None:
        if part not in self._entries:
            key = self._key(part)
            self._entries[part] = load_entry(self.folder, key) if self.folder and key else None
        return self._entries[part]

    def _keep(self, part: str, integers: bytes | memoryview = b"", **said: Any) -> None:
        facts, key = self.facts, self._key(part)
        if self.folder is not None and key is not None:
            save_entry(self.folder, Entry(key=key, facts=facts, **said), integers)
