"""End a program whose output is no longer wanted, or cannot be kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, TextIO

__all__ = ["BROKEN_PIPE", "CLOSED", "INTERRUPTED", "let_go", "why_lost"]

INTERRUPTED: Final = 130
"""Exit status after Ctrl-C, as shells have it: 128 and the number of the signal."""

BROKEN_PIPE: Final = 141
"""Exit status where the reader of the output went away."""

CLOSED: Final = "standard output is closed; open it, or send it to /dev/null"
"""What is said where there is nothing to print to."""


def let_go(*streams: TextIO | None) -> None:
    """
    Send what is still to be written nowhere, so that the end of the program does not fail on it.

    Parameters
    ----------
    *streams : file or None
        Standard output or standard error; None where it is closed.
    """
    for stream in streams:
        try:
            if stream is not None:
                descriptor = stream.fileno()
                with Path(os.devnull).open("wb") as nowhere:
                    os.dup2(nowhere.fileno(), descriptor)
        except (OSError, ValueError):  # a stream without a descriptor has nothing pending
            continue


def why_lost(error: OSError) -> str:
    """
    Say what the system has against it.

    Parameters
    ----------
    error : OSError
        The error; without a file name it is one of writing the output.

    Returns
    -------
    str
        One line.
    """
    why = error.strerror or str(error)
    return f"{error.filename}: {why}" if error.filename else f"the output cannot be written: {why}"
