"""Hold the two kinds of header: the session's first line, and what every request carries."""

from __future__ import annotations

from msgspec import Struct

from timectx.errors import SessionError
from timectx.session.events import Event, JsonObject, RequestHeader, RequestHeaderDelta, SystemDelta

__all__ = ["SessionHeader", "canonical_header", "check_header_event", "fold_header"]


class SessionHeader(Struct, frozen=True, kw_only=True):
    """
    Hold the first line of a session log.

    `version` is the format's number, `created_at_ms` epoch milliseconds, `cwd` the working
    folder, `parent_session` the session this one was forked from, `seed_length` how many
    leading events came from there, `delegation_depth` 0 for a session a person started.
    None means that the line does not say; `extra` keeps fields this package does not know.
    """

    id: str
    created_at_ms: int = 0
    version: int = 0
    cwd: str | None = None
    parent_session: str | None = None
    seed_length: int | None = None
    origin: str | None = None
    delegation_depth: int | None = None
    agent_preset: str | None = None
    extra: JsonObject | None = None


def canonical_header(header: JsonObject) -> JsonObject:
    """
    Return a request header without the parts that say nothing.

    Parameters
    ----------
    header : dict
        `config`, and perhaps `adapterDefaults`, `system` and `tools`.

    Returns
    -------
    dict
        Without an empty system prompt, an empty tool list, or defaults that are all false; a part of
        the wrong shape says nothing either.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/request-header.ts.

    Examples
    --------
    >>> canonical_header({"config": {"model": "m"}, "system": "", "tools": []})
    {'config': {'model': 'm'}}
    """
    config = header.get("config")
    canonical: JsonObject = {"config": config if isinstance(config, dict) else {}}
    defaults = header.get("adapterDefaults")
    named = defaults if isinstance(defaults, dict) else {}
    kept = {key: True for key in ("reasoningEffort", "maxTokens") if named.get(key) is True}
    if kept:
        canonical["adapterDefaults"] = kept
    for part, shape in (("system", str), ("tools", list)):
        if header.get(part) and isinstance(header[part], shape):
            canonical[part] = header[part]
    return canonical


def fold_header(header: JsonObject | None, event: Event) -> JsonObject | None:
    """
    Return the request header in force after an event.

    Parameters
    ----------
    header : dict or None
        The one before; None when no request has been prepared yet.
    event : Event
        Only ``request/header`` and ``request/header-delta`` change it.

    Returns
    -------
    dict or None
        The canonical header; the same object when nothing changed.
    """
    if isinstance(event, RequestHeader):
        return canonical_header(event.data.header)
    if isinstance(event, RequestHeaderDelta) and event.data.system is not None:
        before = header or {}
        return canonical_header({**before, "system": _edited(str(before.get("system", "")), event.data.system)})
    return header


def check_header_event(event: Event) -> None:
    """
    Refuse a change of the request header in a form that the original system no longer takes.

    Parameters
    ----------
    event : Event
        The event about to be appended; any type.

    Raises
    ------
    SessionError
        Kind ``session-event-uses-unsupported-legacy-request`` for a ``request/header-delta`` or a
        header logged with reason ``fallback``.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/index.ts, `append`.
    """
    retired = event.type == RequestHeaderDelta.type
    if retired or (isinstance(event, RequestHeader) and event.data.reason == "fallback"):
        form = "edits the header by lines" if retired else "has the reason 'fallback'"
        raise SessionError(
            f"{event.type} at seq {event.seq} {form}; expected a whole request/header, initial, resume or change",
            kind="session-event-uses-unsupported-legacy-request",
        )


def _edited(system: str, delta: SystemDelta) -> str:
    lines = system.split("\n")
    tail = lines[max(0, len(lines) - delta.keep_end) :]
    return "\n".join([*lines[: delta.keep_start], *delta.insert, *tail])
