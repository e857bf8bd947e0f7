"""Try to write below a folder as a user who may only read it, and print what each attempt came to."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from tests.loop.scripts import HEADER, turn_start
from timectx.errors import TimectxError
from timectx.loop import inspect_log, list_logs, load_log, open_log
from timectx.session import SessionHeader

NOBODY = 65534


def attempt(name: str, call: Callable[[], object]) -> None:
    """Print the kind of the error that a call raises, or what it returns."""
    try:
        print(name, call())
    except TimectxError as error:
        print(name, error.kind)


if __name__ == "__main__":
    root, closed = sys.argv[1:]
    NEW = SessionHeader(id="new", created_at_ms=0, cwd=HEADER.cwd)
    ELSEWHERE = SessionHeader(id="new", created_at_ms=0, cwd="/elsewhere")
    inspect_log(root, HEADER.id)  # whatever is imported late is there before the rights go
    assert turn_start().seq == 0
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    attempt("new session in a project", lambda: open_log(root, NEW))
    attempt("new session in a new project", lambda: open_log(root, ELSEWHERE))
    attempt("load", lambda: load_log(root, HEADER.id))
    attempt("search", lambda: list_logs(closed))
    attempt("inspect", lambda: len(inspect_log(root, HEADER.id).events))
