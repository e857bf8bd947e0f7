"""Find the recorded rows of the original system that the conformance tests replay."""

from __future__ import annotations

import gzip
import json
import os
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

COMMITTED = Path(__file__).parent.parent / "vectors"


def folder() -> Path:
    """Return the folder of rows in force: ``TIMECTX_VECTORS``, else the committed copies."""
    return Path(os.environ.get("TIMECTX_VECTORS") or COMMITTED)


def text(name: str) -> str:
    """Return one vector file as text, plain or gzip-compressed."""
    plain = folder() / name
    if plain.exists():
        return plain.read_text(encoding="utf-8")
    return gzip.decompress((folder() / f"{name}.gz").read_bytes()).decode("utf-8")


@cache
def rows(name: str) -> list[Any]:
    """Return every row of one ``.jsonl`` vector file; never an empty list."""
    found = [json.loads(line) for line in text(name).split("\n") if line]
    if not found:
        raise AssertionError(f"no rows in {name}")
    return found


@cache
def logs() -> Path:
    """Return the folder of real log files, one case each, unpacked where they are committed as one archive."""
    if (folder() / "logs").is_dir():
        return folder() / "logs"
    unpacked = Path(tempfile.mkdtemp(prefix="timectx-logs-"))
    with tarfile.open(folder() / "logs.tar.gz") as archive:
        archive.extractall(unpacked, filter="data")
    return unpacked / "logs"
