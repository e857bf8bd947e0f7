"""Keep what was computed of one file, and know when that no longer holds."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from timectx.sweep.cache.file import pack_entry, unpack_entry
from timectx.sweep.cache.folder import CacheFolder
from timectx.sweep.cache.loader_version import loader_version
from timectx.sweep.facts import SessionFacts
from timectx.sweep.flat.columns import ColumnFacts

__all__ = ["Entry", "EntryKey", "entry_key", "load_entry", "save_entry"]

_RACE_NS: Final = 20_000_000
_COARSE_NS: Final = 2_000_000_000
_WHOLE_SECOND: Final = "000000000"


class EntryKey(Struct, frozen=True, kw_only=True):
    """
    Say what an entry was computed from.

    `path` is absolute, or a URL; `size` and `stamp` are those of the file (its modification time in nanoseconds, or
    what a remote storage says of its version); `part` names what was computed.
    """

    path: str
    size: int
    stamp: str
    part: str
    loader: str

    @property
    def name(self) -> str:
        """What the entry's file is called: the same for any state of the file, so that newer entries replace older."""
        return sha256(f"{self.part}\0{self.path}".encode("utf-8", "surrogatepass")).hexdigest()[:40]


class Entry(Struct, frozen=True, kw_only=True):
    """
    Hold what was computed of one file: facts, and either an explanation or columns.

    `explanation` is a scenario as TOML and a sentence. `columns` says what the integers beside it mean, and `digest`
    is theirs, in hexadecimal digits.
    """

    key: EntryKey
    facts: SessionFacts
    explanation: tuple[str, str] | None = None
    columns: ColumnFacts | None = None
    digest: str = ""


_DECODER: Final = msgspec.json.Decoder(Entry)
_ENCODER: Final = msgspec.json.Encoder()


def load_entry(folder: CacheFolder, key: EntryKey) -> tuple[Entry, memoryview] | None:
    """
    Return what was kept of a file.

    Parameters
    ----------
    folder : CacheFolder
        Where.
    key : EntryKey
        What the file is like now.

    Returns
    -------
    tuple or None
        The entry and its integers; None where there is none, where the file, the loader or the scenario is another,
        where the entry is damaged, or where the file was written so shortly before the entry that a change in the
        same instant would not show.
    """
    found = folder.get(key.name)
    parts = unpack_entry(found[0]) if found else None
    if found is None or parts is None:
        return None
    try:
        entry = _DECODER.decode(parts[0])
    except msgspec.DecodeError:  # of another version
        return None
    if entry.key != key or _is_race(key.stamp, found[1]):
        return None
    return entry, parts[1]


def save_entry(folder: CacheFolder, entry: Entry, integers: bytes | memoryview = b"") -> None:
    """
    Keep what was computed of a file.

    Parameters
    ----------
    folder : CacheFolder
        Where.
    entry : Entry
        What.
    integers : bytes or memoryview, optional
        Signed integers of eight bytes, little endian.
    """
    try:
        said = _ENCODER.encode(entry)
    except (UnicodeEncodeError, msgspec.EncodeError, OverflowError):  # such as a lone surrogate in a name
        return
    folder.put(entry.key.name, pack_entry(said, integers))


def entry_key(path: str, size: int, stamp: str, part: str) -> EntryKey:
    """
    Return what an entry about a file as it is now is computed from.

    Parameters
    ----------
    path : str
        Absolute, or a URL.
    size : int
        Of the file in bytes.
    stamp : str
        What changes when the file does.
    part : str
        What is computed.

    Returns
    -------
    EntryKey
        For this version of the loader.
    """
    return EntryKey(path=path, size=size, stamp=stamp, part=part, loader=loader_version())


def _is_race(stamp: str, written_ns: int) -> bool:
    """Tell whether a file may have changed after it was read without its time showing that."""
    if not stamp.isdecimal():
        return False
    grain_ns = _COARSE_NS if stamp.endswith(_WHOLE_SECOND) else _RACE_NS  # some file systems keep whole seconds
    return abs(written_ns - int(stamp)) < grain_ns
