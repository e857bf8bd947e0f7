"""Check the shape of stored records where dsh does, and with its order of rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from timectx.errors import SessionError
from timectx.session.data import JsonObject
from timectx.units import is_safe_integer

__all__ = ["check_envelope", "check_shape"]

_ENVELOPE: Final = frozenset({"type", "seq", "time", "data", "surfaceOp", "sourceEventSeqs", "ignorable"})
_ROLES: Final = {"user/message": "user", "assistant/message": "assistant", "tool/result": "user"}


def check_envelope(record: Mapping[str, Any]) -> None:
    """
    Refuse a record whose envelope is not exactly that of an event.

    Parameters
    ----------
    record : Mapping
        A decoded record.

    Raises
    ------
    SessionError
        Kind ``bad-envelope``.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/index.ts, `assertSessionEventEnvelope`.
    """
    seq = record.get("seq")
    sound = (
        record.keys() <= _ENVELOPE
        and isinstance(record.get("type"), str)
        and is_safe_integer(seq)
        and is_safe_integer(record.get("time"))
        and "data" in record
        and record.get("ignorable", True) is True
    )
    if not sound or (isinstance(seq, int) and seq < 0):
        others = ", ".join(sorted(record.keys() - _ENVELOPE)) or "none"
        raise SessionError(
            f"an event needs type, seq, time and data of the right kind; got seq {seq!r}, time "
            f"{record.get('time')!r}, other fields: {others}",
            kind="bad-envelope",
        )


def check_shape(record: Mapping[str, Any]) -> None:
    """
    Refuse a message or request header that lacks what dsh relies on.

    Parameters
    ----------
    record : Mapping
        A record in the late layout; of a type this is not about, nothing is asked.

    Raises
    ------
    SessionError
        Kind ``stored-session-failed-validation-error-seed``.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/index.ts, `assertMessageEventShape` and
       `assertCurrentLlmShape`.
    """
    kind, data = record["type"], record["data"]
    if kind == "request/header":
        _check_header(record, data)
    elif kind in _ROLES:
        message = data if kind == "user/message" else (data.get("message") if isinstance(data, dict) else None)
        _check_message(record, message)


def _check_message(record: Mapping[str, Any], message: object) -> None:
    kind = record["type"]
    if not isinstance(message, dict) or not _is_text(message.get("id", "given later")):
        raise _fault(record, "lacks an identified message")
    if message.get("role") != _ROLES[kind]:
        raise _fault(record, f"message must have role {_ROLES[kind]!r}")
    source = message.get("source")
    if not isinstance(source, dict) or not _is_text(source.get("kind")):
        raise _fault(record, "message has no source with a kind")
    if not isinstance(message.get("content"), list):
        raise _fault(record, "message content is no list")
    if kind == "assistant/message":
        named = _is_text(source.get("provider")) and _is_text(source.get("model"))
        if source["kind"] != "model" or not named:
            raise _fault(record, "message must have a model as its source")
    if kind == "tool/result":
        _check_result(record, message["content"], source)


def _check_result(record: Mapping[str, Any], content: list[Any], source: JsonObject) -> None:
    if source["kind"] != "tool" or not _is_text(source.get("callId")):
        raise _fault(record, "message must have a tool as its source")
    block = content[0] if len(content) == 1 else None
    if not isinstance(block, dict) or block.get("type") != "tool-result":
        raise _fault(record, "message must contain one tool-result block")
    if block.get("toolCallId") != source["callId"]:
        raise _fault(record, "message names two different tool calls")


def _check_header(record: Mapping[str, Any], data: object) -> None:
    header = data.get("header") if isinstance(data, dict) else None
    config = header.get("config") if isinstance(header, dict) else None
    if not isinstance(header, dict) or not isinstance(config, dict):
        raise _fault(record, "lacks a config")
    if not (_is_text(config.get("provider")) and _is_text(config.get("model"))):
        raise _fault(record, "lacks provider or model")
    if "reasoningEffort" in config and not _is_text(config["reasoningEffort"]):
        raise _fault(record, "has an invalid reasoningEffort")
    defaults = header.get("adapterDefaults", {})
    known = ("reasoningEffort", "maxTokens")
    if not isinstance(defaults, dict) or any(
        name not in known or value is not True or name not in config for name, value in defaults.items()
    ):
        raise _fault(record, "has invalid adapterDefaults")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _fault(record: Mapping[str, Any], rule: str) -> SessionError:
    text = f"{record['type']} at seq {record['seq']} {rule}"
    return SessionError(text, kind="stored-session-failed-validation-error-seed")
