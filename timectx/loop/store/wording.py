"""Word what the system refused, and what is true of the file now."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from timectx.errors import StoreError

__all__ = ["write_error"]

_KINDS: Final = {
    errno.EACCES: "not-writable",
    errno.EPERM: "not-writable",
    errno.EROFS: "not-writable",
    errno.ENOSPC: "disk-full",
    errno.EDQUOT: "disk-full",
    errno.EFBIG: "disk-full",
}


def write_error(path: Path, error: OSError, outcome: str) -> StoreError:
    """
    Return the error for a write that the system refused.

    Parameters
    ----------
    path : Path
        What was being written.
    error : OSError
        What the system said.
    outcome : str
        What is true now: what was undone and what is kept.

    Returns
    -------
    StoreError
        Kind ``not-writable``, ``disk-full``, or ``write-failed`` for anything else.
    """
    kind = _KINDS.get(error.errno or 0, "write-failed")
    return StoreError(f"{path}: cannot be written: {error.strerror or error}; {outcome}", kind=kind)
