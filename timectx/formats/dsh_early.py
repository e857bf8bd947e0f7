"""Bring the layouts that format 0 had before its release to the one it has now, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from timectx.session.events import EVENT_CLASSES, JsonObject

__all__ = ["EARLY_TYPES", "is_early_reason", "late_reason", "late_record", "legacy_id"]

EARLY_TYPES: Final = frozenset(
    {"context/message", "steering/message"}
    | {"compact" + name[len("compaction") :] for name in EVENT_CLASSES if name.startswith("compaction/")}
)
"""Types that early logs have, and later ones do not."""


def late_record(record: JsonObject, *, strict: bool = False) -> JsonObject:
    """
    Return a record in the late layout of format 0.

    Parameters
    ----------
    record : dict
        A decoded log line; it is not changed.
    strict : bool, optional
        Convert only what dsh converts: not ``context/message``, not ``compact/…``.

    Returns
    -------
    dict
        The same record where there is nothing to convert. Messages that had no id still have
        none: `legacy_id` says which they get.

    Notes
    -----
    The reasons of turn ends are `late_reason`'s matter.

    References
    ----------
    .. [1] deepseek-harness, packages/session/session-persistence/src/coordinator.ts, `migrateLegacy*`.
    """
    kind, data = record.get("type"), record.get("data")
    if not isinstance(data, dict):
        return record
    match kind:
        case "turn/start" if "trigger" in data:
            return {**record, "data": _without(data, "trigger")}
        case "steering/message" | "context/message" if not (strict and kind == "context/message"):
            return {**record, "type": "user/message", "data": _user_message(_without(data, "turn"))}
        case "user/message" if "id" not in data and "role" not in data:
            return {**record, "data": _user_message(data)}
        case "assistant/message" if "message" not in data and "content" in data:
            return {**record, "data": _assistant_data(data)}
        case "tool/result" if "message" not in data and "content" in data:
            return {**record, "data": _result_data(data)}
        case str() if not strict and kind in EARLY_TYPES:
            return {**record, "type": _late_name(kind)}
    return record


def is_early_reason(reason: object) -> bool:
    """
    Tell whether the reason of a turn's end is in an early layout.

    Parameters
    ----------
    reason : object
        The reason, of any shape.

    Returns
    -------
    bool
        True when `late_reason` would change it.
    """
    if not isinstance(reason, Mapping):
        return False
    kind = reason.get("kind")
    return (
        kind == "disposed"
        or (kind == "aborted" and "reason" not in reason)
        or (kind == "error" and "error" not in reason)
    )


def late_reason(reason: Mapping[str, Any]) -> JsonObject:
    """
    Return the reason of a turn's end in the late layout.

    Parameters
    ----------
    reason : Mapping
        A reason for which `is_early_reason` holds.

    Returns
    -------
    dict
        A bare abort gets the reason ``legacy``, a disposal becomes an abort, an error keeps
        its message and gets the code ``UNKNOWN`` where it has none.

    Raises
    ------
    ValueError
        If an error holds neither a message nor a failure.

    Examples
    --------
    >>> late_reason({"kind": "aborted"})
    {'kind': 'aborted', 'reason': {'kind': 'legacy'}}
    >>> late_reason({"kind": "error", "step": 1, "message": "boom"})
    {'kind': 'error', 'error': {'message': 'boom', 'code': 'UNKNOWN'}}
    """
    if reason["kind"] != "error":
        why = "disposed" if reason["kind"] == "disposed" else "legacy"
        return {"kind": "aborted", "reason": {"kind": why}}
    match reason:
        case {"failure": Mapping() as failure}:
            return {"kind": "error", "error": {"code": "UNKNOWN", **failure}}
        case {"message": str(message)}:
            return {"kind": "error", "error": {"message": message, "code": reason.get("code", "UNKNOWN")}}
    raise ValueError("the turn ended with an error that is not recorded")


def legacy_id(session_id: str, seq: int) -> str:
    """
    Return the id of a message that was recorded without one.

    Parameters
    ----------
    session_id : str
        The session's id.
    seq : int
        The message's seq.

    Returns
    -------
    str
        The same one on every reading.
    """
    return f"legacy-message:{session_id}:{seq}"


def _user_message(data: JsonObject) -> JsonObject:
    return {"content": data.get("content"), "source": data.get("source"), **data, "role": "user"}


def _assistant_data(data: JsonObject) -> JsonObject:
    provenance = data.get("provenance")
    source = {**provenance, "kind": "model"} if isinstance(provenance, dict) else {"kind": "model"}
    message = {"role": "assistant", "content": data["content"], "source": source}
    return {**_without(data, "content", "provenance"), "message": message}


def _result_data(data: JsonObject) -> JsonObject:
    call_id = data.get("callId")
    block = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": data["content"],
        "isError": data.get("isError", False),
    }
    message = {"role": "user", "content": [block], "source": {"kind": "tool", "callId": call_id}}
    return {**_without(data, "callId", "content", "isError"), "message": message}


def _without(data: JsonObject, *names: str) -> JsonObject:
    return {name: value for name, value in data.items() if name not in names}


def _late_name(kind: str) -> str:
    return "compaction" + kind[len("compact") :]
