"""Know a session again that was given before under another name."""

from __future__ import annotations

from timectx.formats import read_sessions
from timectx.session import Session

__all__ = ["Originals"]


class Originals:
    """
    Remember which sessions there were, by id, without keeping them.

    Examples
    --------
    >>> from timectx.synthetic import synthetic_session
    >>> Originals().of("a.jsonl", synthetic_session(1, steps=2)) is None
    True
    """

    def __init__(self) -> None:
        self._seen: dict[str, list[tuple[object, str]]] = {}

    def of(self, path: str, session: Session) -> str | None:
        """
        Return the file that held the same session before.

        Parameters
        ----------
        path : str
            The file of the session; it is remembered where there is none before it.
        session : Session
            The session.

        Returns
        -------
        str or None
            The first file with the same header and the same events, plain or compressed; None
            where the session is new.
        """
        ends = (len(session.events), session.events[-1:], session.tail)
        before = self._seen.setdefault(session.header.id, [])
        for others, other in before:
            if others == ends and _holds(other, session):
                return other
        before.append((ends, path))
        return None


def _holds(path: str, session: Session) -> bool:
    sessions, _ = read_sessions(path)  # again: a whole folder of sessions does not fit in memory
    return any(one.header == session.header and one.events == session.events for one in sessions)
