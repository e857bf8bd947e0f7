"""A cache folder holds whole files, stays within a bound, and never stands in the way."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from timectx.sweep.cache.folder import CacheFolder, cache_root


def names_in(folder: Path) -> list[str]:
    """Return the names of all files, sorted."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_what_is_put_can_be_got(tmp_path: Path) -> None:
    """The newest content of a name counts, and nothing else lies around."""
    folder = CacheFolder(tmp_path / "cache")
    assert folder.get("ab01") is None
    folder.put("ab01", b"old")
    folder.put("ab01", b"new")
    folder.put("cd02", b"")
    got = folder.get("ab01")
    assert got is not None
    assert got == (b"new", (tmp_path / "cache" / "ab" / "ab01.columns").stat().st_mtime_ns)
    assert names_in(tmp_path) == ["ab01.columns", "cd02.columns"]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_only_their_owner_can_list_the_files(tmp_path: Path) -> None:
    """They name sessions and folders of a user."""
    CacheFolder(tmp_path / "cache").put("ab01", b"x")
    assert (tmp_path / "cache" / "ab").stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    """Then there is no cache, and nobody is told."""
    (tmp_path / "file").write_bytes(b"mine")
    folder = CacheFolder(tmp_path / "file" / "cache")
    folder.put("ab01", b"x")
    assert folder.get("ab01") is None
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_a_full_disk_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older file stays as it was, and no unfinished one is left."""
    folder = CacheFolder(tmp_path)
    folder.put("ab01", b"old")

    def full(path: Path, content: bytes) -> int:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    folder.put("ab01", b"new")
    assert (folder.get("ab01") or ("",))[0] == b"old"
    assert names_in(tmp_path) == ["ab01.columns"]


def test_the_oldest_files_go_first(tmp_path: Path) -> None:
    """Past the bound, what was written longest ago is removed until there is room again."""
    folder = CacheFolder(tmp_path, most_bytes=1000)
    for number in range(10):
        folder.put(f"{number:02}", bytes(100))
        os.utime(tmp_path / f"{number:02}" / f"{number:02}.columns", (number, number))
    assert len(names_in(tmp_path)) == 10
    folder.put("ff", bytes(100))
    assert names_in(tmp_path) == [f"{number:02}.columns" for number in range(3, 10)] + ["ff.columns"]


def test_a_new_process_counts_what_others_left(tmp_path: Path) -> None:
    """The bound holds for the folder, not for each process."""
    for number in range(20):
        CacheFolder(tmp_path, most_bytes=1000).put(f"{number:02}", bytes(100))
    assert len(names_in(tmp_path)) <= 10


def test_files_of_others_in_the_folder_stay(tmp_path: Path) -> None:
    """Only what a cache wrote is removed; what a crashed process left goes after a day."""
    (tmp_path / "00").mkdir()
    newest_s = 2 * 10**9
    for name, age_s in (("mine.txt", 10**9), ("aa-1-2.part", 10**9), ("bb-1-2.part", 0)):
        (tmp_path / "00" / name).write_bytes(bytes(10))
        os.utime(tmp_path / "00" / name, (newest_s - age_s, newest_s - age_s))
    folder = CacheFolder(tmp_path, most_bytes=1000)
    folder.put("ee", bytes(600))
    folder.put("ff", bytes(600))
    assert names_in(tmp_path) == ["bb-1-2.part", "ff.columns", "mine.txt"]


def test_writers_of_one_name_do_not_mix(tmp_path: Path) -> None:
    """Whoever is last wins with all of its content."""
    contents = [bytes([number]) * 50_000 for number in range(16)]

    def write_and_read(content: bytes) -> bytes:
        folder = CacheFolder(tmp_path)
        folder.put("ab01", content)
        return (folder.get("ab01") or (b"",))[0]

    with ThreadPoolExecutor(8) as executor:
        seen = list(executor.map(write_and_read, contents * 4))
    assert {*seen} <= {*contents}
    assert names_in(tmp_path) == ["ab01.columns"]


def test_the_environment_may_name_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its own variable first, then where the system keeps caches."""
    monkeypatch.setenv("TIMECTX_CACHE_DIR", str(tmp_path))
    assert cache_root() == tmp_path
    monkeypatch.delenv("TIMECTX_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_root() == tmp_path / "timectx"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, says the specification
    monkeypatch.setenv("HOME", "/home/u")
    assert cache_root() == Path("/home/u/.cache/timectx")
