"""Hold what a sweep has to know of a session beside its columns."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from timectx.session import Problem, Session, is_reading_event
from timectx.session.events import AssistantMessage, RequestHeader
from timectx.session.header import SessionHeader

__all__ = ["SessionFacts", "facts_of"]


class SessionFacts(Struct, frozen=True, kw_only=True):
    """
    Hold what identifies a session and what filters ask for.

    `header` is the session's first line without fields this package does not know, `problems`
    what was odd about the file, `models` each (provider, model) that was asked, in order of their
    first request, `step_starts_ms` when each step began, `holds_readings` whether the log has any.
    """

    header: SessionHeader
    problems: tuple[Problem, ...] = ()
    models: tuple[tuple[str, str], ...] = ()
    step_starts_ms: tuple[int, ...] = ()
    holds_readings: bool = False

    @property
    def parent(self) -> str | None:
        """The id of the session whose history this one begins with; None where it began on its own."""
        header = self.header
        return header.parent_session if header.seed_length and header.parent_session != header.id else None

    def brief(self) -> SessionFacts:
        """
        Return the facts without what grows with the session.

        Returns
        -------
        SessionFacts
            Without the times of steps.
        """
        return replace(self, step_starts_ms=())


def facts_of(session: Session) -> SessionFacts:
    """
    Return what a sweep has to know of a session.

    Parameters
    ----------
    session : Session
        The session.

    Returns
    -------
    SessionFacts
        Small, and without any text of the conversation.

    Examples
    --------
    >>> from timectx.synthetic import synthetic_session
    >>> facts_of(synthetic_session(1, steps=2)).parent is None
    True
    """
    header = session.header
    return SessionFacts(
        header=SessionHeader(**{name: getattr(header, name) for name in header.__struct_fields__ if name != "extra"}),
        problems=session.problems + _inherited_problem(session),
        models=_models_of(session),
        step_starts_ms=tuple(step.start_ms for step in session.steps),
        holds_readings=any(map(is_reading_event, session.events)),
    )


def _inherited_problem(session: Session) -> tuple[Problem, ...]:
    """Say where a header claims that more was taken over than the log holds."""
    seed_length = session.header.seed_length or 0
    last_seq = session.tail[0] if session.tail else session.events[-1].seq if session.events else -1
    if session.header.parent_session is None or seed_length <= last_seq + 1:
        return ()
    text = (
        f"the header says that {seed_length:,} events were taken over from another session, and the log has "
        f"{last_seq + 1:,}; nothing counts as the session's own where that other one is given, too"
    )
    return (Problem(1, "inherited", text),)


def _models_of(session: Session) -> tuple[tuple[str, str], ...]:
    asked: list[object] = []
    for event in session.events:
        if isinstance(event, RequestHeader):
            asked.append(event.data.header.get("config"))
        elif isinstance(event, AssistantMessage):
            asked.append(event.data.message.source)
    pairs = ((one.get("provider") or "", one["model"]) for one in asked if isinstance(one, dict) and one.get("model"))
    return tuple(dict.fromkeys((str(provider), str(model)) for provider, model in pairs))
