"""Run the command line, as the program ``timectx`` and as ``python -m timectx``."""

from __future__ import annotations

import sys

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; Ctrl-C ends it without a word even while it is still being loaded."""
    try:
        from timectx.cli import main as commands

        commands(prog_name="timectx")
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
