"""Read the first line of a dsh log, tolerantly or as dsh itself does."""

from __future__ import annotations

import re
from typing import Any, Final

from timectx.errors import SessionError, UnsupportedFormatError
from timectx.formats.report import Report, refusal
from timectx.session.events import JsonObject
from timectx.session.header import SessionHeader
from timectx.units import is_safe_integer

__all__ = ["check_header", "check_header_values", "header_record", "read_header", "unsupported_version", "version_of"]

_FIELDS: Final = {
    "version": ("version", int),
    "id": ("id", str),
    "createdAt": ("created_at_ms", int),
    "cwd": ("cwd", str),
    "parentSession": ("parent_session", str),
    "seedLength": ("seed_length", int),
    "origin": ("origin", str),
    "delegationDepth": ("delegation_depth", int),
    "agentPreset": ("agent_preset", str),
}
_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")


def version_of(record: JsonObject) -> int | float | None:
    """
    Return the format number a header states.

    Parameters
    ----------
    record : dict
        A decoded first line.

    Returns
    -------
    int, float or None
        None when it states no number.
    """
    version = record.get("version")
    return version if type(version) in (int, float) else None


def unsupported_version(path: str, record: JsonObject) -> UnsupportedFormatError:
    """
    Return the error for a log of another format number than 0.

    Parameters
    ----------
    path : str
        The file, as the caller named it.
    record : dict
        Its first line.

    Returns
    -------
    UnsupportedFormatError
        Kind ``session-uses-log-format-v-but`` or ``session-uses-log-format-v-older``.
    """
    version = version_of(record) or 0
    newer = version > 0
    kind = "session-uses-log-format-v-but" if newer else "session-uses-log-format-v-older"
    cure = "read it with a newer timectx" if newer else "no release reads it"
    text = f"session {record.get('id')!r} is in dsh format {version}; format 0 is read here; {cure}"
    error = refusal(path, 1, kind, text, cause=UnsupportedFormatError)
    assert isinstance(error, UnsupportedFormatError)
    return error


def read_header(record: JsonObject, line: int, report: Report) -> SessionHeader:
    """
    Build a session's header from whatever its first line states.

    Parameters
    ----------
    record : dict
        A decoded first line of type ``session``.
    line : int
        Its number, for problems.
    report : Report
        Gets a problem for each field of the wrong type, which then counts as not stated.

    Returns
    -------
    SessionHeader
        With fields this package does not know in `extra`.
    """
    known: dict[str, Any] = {"id": ""}
    extra: JsonObject = {}
    for name, value in record.items():
        if name not in _FIELDS:
            if name != "type":
                extra[name] = value
            continue
        field, kind = _FIELDS[name]
        if (kind is int and is_safe_integer(value)) or (kind is str and isinstance(value, str)):
            known[field] = value
        else:
            report.add(line, "bad-header-field", f"the header's {name} is {value!r}; read as not stated")
    if not known["id"]:
        report.add(line, "bad-header-field", "the header names no session id; read as an empty one")
    return SessionHeader(**known, extra=extra or None)


def header_record(header: SessionHeader) -> JsonObject:
    """
    Return the JSON object of a log's first line.

    Parameters
    ----------
    header : SessionHeader
        The header.

    Returns
    -------
    dict
        In the key order of the original, without what is not stated; the delegation depth,
        which dsh insists on, is 0 then.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/format.ts, `toHeaderLine`.
    """
    record: JsonObject = {"type": "session"}
    for name, (field, _) in _FIELDS.items():
        value = getattr(header, field)
        if name == "delegationDepth" and value is None:
            value = 0
        if value is not None:
            record[name] = value
    return {**record, **(header.extra or {})}


def check_header(path: str, record: object) -> JsonObject:
    """
    Refuse a first line that dsh would not accept, and return it.

    Parameters
    ----------
    path : str
        The file, as the caller named it.
    record : object
        The decoded first line.

    Returns
    -------
    dict
        The same line.

    Raises
    ------
    UnsupportedFormatError
        As `unsupported_version`.
    FormatError
        Kinds ``corrupt-session-log-first-line-is``, ``session-header-uses-retired-policy-baseline``.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence-jsonl/src/format.ts, `isHeaderLine`.
    """
    if isinstance(record, dict) and version_of(record):
        raise unsupported_version(path, record)
    if not isinstance(record, dict) or not _is_header(record):
        text = "the first line is not a session header; expected type, version 0, id, createdAt and delegationDepth"
        raise refusal(path, 1, "corrupt-session-log-first-line-is", text)
    if "sandboxMode" in record or "approvalPolicy" in record:
        text = "the header holds sandboxMode or approvalPolicy, which no header may hold any more"
        raise refusal(path, 1, "session-header-uses-retired-policy-baseline", text)
    return record


def check_header_values(record: JsonObject) -> None:
    """
    Refuse a header whose optional fields dsh would not restore a session with.

    Parameters
    ----------
    record : dict
        A first line that `check_header` accepted.

    Raises
    ------
    SessionError
        Kind ``stored-session-failed-validation-error-session``.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/index.ts, `validateSessionHeader`.
    """
    cwd = record.get("cwd", "/")
    length = record.get("seedLength", 0)
    rules = {
        "cwd must be an absolute path": isinstance(cwd, str) and bool(_ABSOLUTE.match(cwd)),
        "seedLength must be a whole number from 0": is_safe_integer(length) and length >= 0,
        "origin must be 'subagent'": record.get("origin", "subagent") == "subagent",
        "parentSession must be a text": isinstance(record.get("parentSession", ""), str),
        "agentPreset must be a text": isinstance(record.get("agentPreset", ""), str),
    }
    for rule, holds in rules.items():
        if not holds:
            text = f"session header {rule}; got {record.get(rule.partition(' ')[0])!r}"
            raise SessionError(text, kind="stored-session-failed-validation-error-session")


def _is_header(record: JsonObject) -> bool:
    counts: list[Any] = [record.get("createdAt"), record.get("delegationDepth")]
    return (
        record.get("type") == "session"
        and version_of(record) == 0
        and isinstance(record.get("id"), str)
        and all(is_safe_integer(count) and count >= 0 for count in counts)
    )
