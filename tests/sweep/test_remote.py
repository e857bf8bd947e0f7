"""Sessions in remote storage are found, read and kept like those of this machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.sweep.logs import SCENARIOS, content, kinds, write_logs
from timectx.formats import read_session, write_session
from timectx.sweep import sweep_sessions
from timectx.sweep.remote import is_remote

fsspec = pytest.importorskip("fsspec")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[str]:
    """Return a URL in memory, with three sessions under it, one of them compressed and one in a folder of its own."""
    first, second, third = write_logs(tmp_path, 3)
    packed = write_session(read_session(third, check=True), tmp_path / "packed.jsonl.zstd")
    memory = fsspec.filesystem("memory")
    for name, path in (("a.jsonl", first), ("day/b.jsonl", second), ("c.jsonl.zstd", packed)):
        memory.pipe_file(f"/logs/{name}", path.read_bytes())
    memory.pipe_file("/logs/notes.txt", b"no session")
    yield "memory://logs"
    memory.rm("/logs", recursive=True)


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("s3://bucket/a.jsonl", True),
        ("file:///a.jsonl", True),
        ("simplecache::s3://bucket/a", True),
        ("C:/logs/a.jsonl", False),
        ("c://logs", False),
        ("/a/b://c", False),
        ("a.jsonl", False),
        ("", False),
    ],
)
def test_a_url_is_known_by_its_scheme(url: str, remote: bool) -> None:
    """No path of a file passes for one, on any system."""
    assert is_remote(url) is remote


def test_a_folder_in_storage_is_searched(storage: str) -> None:
    """Names that end as those of sessions count, in order, with everything in the folder."""
    frame = sweep_sessions(storage, SCENARIOS)
    assert frame["path"].unique().tolist() == [
        "memory:///logs/a.jsonl", "memory:///logs/c.jsonl.zstd", "memory:///logs/day/b.jsonl"
    ]  # fmt: skip
    assert frame.attrs["problems"] == []


def test_the_rows_are_those_of_the_files_on_disk(storage: str, tmp_path: Path) -> None:
    """But for the path nothing tells where a session lies."""
    remote = sweep_sessions([f"{storage}/a.jsonl", f"{storage}/day/b.jsonl", f"{storage}/c.jsonl.zstd"], SCENARIOS)
    local = sweep_sessions([tmp_path / f"00{number}.jsonl" for number in range(3)], SCENARIOS)
    assert content(remote.drop(columns="path"))[0] == content(local.drop(columns="path"))[0]


def test_a_star_stands_for_names(storage: str) -> None:
    """What it matches is read whatever its ending says."""
    assert sweep_sessions(f"{storage}/*.jsonl", SCENARIOS)["session"].unique().tolist() == ["s0"]


def test_files_of_this_machine_have_urls_too(tmp_path: Path) -> None:
    """They are read through fsspec then, and give the same."""
    write_logs(tmp_path, 2)
    through, plain = (sweep_sessions(each, SCENARIOS) for each in (tmp_path.as_uri(), tmp_path))
    assert content(through.drop(columns="path"))[0] == content(plain.drop(columns="path"))[0]


def test_workers_open_what_they_are_given_the_url_of(storage: str) -> None:
    """Only the URL is sent, and rows are the same."""
    with ThreadPoolExecutor(2) as executor:
        frame = sweep_sessions(storage, SCENARIOS, executor=executor, batch_bytes=1)
    assert content(frame) == content(sweep_sessions(storage, SCENARIOS))


def test_what_storage_refuses_costs_one_url(storage: str, tmp_path: Path) -> None:
    """Missing files, empty folders and unknown schemes are named; the rest is measured."""
    fsspec.filesystem("memory").pipe_file("/logs/day/broken.jsonl", b"PK\x03\x04")
    urls = ["memory://gone.jsonl", f"{storage}/*.none", "nosuch://bucket/a.jsonl", f"{storage}/day"]
    frame = sweep_sessions([*urls, *write_logs(tmp_path / "local", 1)], SCENARIOS)
    assert frame["session"].unique().tolist() == ["s1", "s0"]
    assert kinds(frame) == [
        ("gone.jsonl", "no-such-file", True),
        ("*.none", "no-sessions", True),
        ("a.jsonl", "unreadable", True),
        ("broken.jsonl", "not-a-session", True),
    ]
    assert frame.attrs["problems"][-1]["message"].startswith("memory:///logs/day/broken.jsonl:1: a zip archive")


def test_paths_of_this_machine_need_no_fsspec(tmp_path: Path) -> None:
    """Without it they are measured; a URL is named with what to install."""
    write_logs(tmp_path, 1)
    code = (
        "import sys; sys.modules['fsspec'] = None; from timectx import Scenario, sweep_sessions; "
        f"frame = sweep_sessions([{str(tmp_path)!r}, 's3://bucket/a.jsonl'], Scenario()); "
        "print(len(frame), frame.attrs['problems'][0]['kind'], frame.attrs['problems'][0]['message'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.startswith("1 needs-fsspec s3://bucket/a.jsonl: ")
    assert "timectx[remote]" in done.stdout
