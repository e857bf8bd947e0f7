"""Pack streamed output into rows and take it out again, under the rules of dsh's storage rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any, Final

from timectx.errors import SessionError
from timectx.session.events import AssistantChunk, ChunkData, Event, JsonObject
from timectx.session.log import Session, StreamRow
from timectx.session.records import json_numbers
from timectx.units import MAX_SAFE_INTEGER, is_safe_integer

__all__ = ["ROW_TYPES", "expand_row", "full_log", "pack_chunk_rows", "row_of", "unpack_row"]

ROW_TYPES: Final = {"text-chunks": "text", "reasoning-chunks": "reasoning", "tool-call-chunks": "tool-call"}
"""The type of each packed row, and what its members are pieces of."""

_TAGS: Final = {f"{kind}-delta": tag for tag, kind in ROW_TYPES.items()}
_FEWEST: Final = 3
_ENVELOPE: Final = {"type", "seq0", "time0", "data"}
_NUMBERS: Final = ("turn", "step", "index")


def pack_chunk_rows(records: Iterable[Mapping[str, Any]]) -> list[JsonObject]:
    """
    Pack runs of streamed pieces into rows, the way dsh stores one batch.

    Parameters
    ----------
    records : iterable of Mapping
        The batch's events as JSON objects, in log order.

    Returns
    -------
    list of dict
        Rows for runs of three or more pieces of one block, and all other records as they are.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/chunk-rows.ts.
    """
    packed: list[JsonObject] = []
    run: list[Mapping[str, Any]] = []
    for record in records:
        if run and not _continues(run[-1], record):
            packed.extend(_rows_of(run))
            run = []
        if _is_piece(record):
            run.append(record)
        else:
            packed.append(dict(record))
    packed.extend(_rows_of(run))
    return packed


def unpack_row(row: Any) -> list[Any]:
    """
    Return the events a stored record stands for.

    Parameters
    ----------
    row : object
        A decoded storage record.

    Returns
    -------
    list
        The members of a packed row as event objects; any other value alone, as it is.

    Raises
    ------
    SessionError
        Kind ``malformed-<type>-storage-row…``, ending in the first words of the broken rule.

    References
    ----------
    .. [1] deepseek-harness, packages/core/session/src/chunk-rows.ts.
    """
    if not isinstance(row, Mapping):
        return [row]
    if row.get("type") not in tuple(ROW_TYPES):
        return [dict(row)]
    return [
        {"type": "assistant/chunk", "seq": event.seq, "time": event.time_ms, "data": _plain(event.data)}
        for event in expand_row(row_of(row))
        if isinstance(event, AssistantChunk)
    ]


def row_of(record: Mapping[str, Any]) -> StreamRow:
    """
    Check a packed row and return it in the form a session holds.

    Parameters
    ----------
    record : Mapping
        A decoded record whose type is one of `ROW_TYPES`.

    Returns
    -------
    StreamRow
        The row.

    Raises
    ------
    SessionError
        As `unpack_row`.
    """
    tag = str(record["type"])
    row: JsonObject = json_numbers(record)
    _check_row(tag, row)
    data = row["data"]
    return StreamRow(
        kind=ROW_TYPES[tag],
        seq0=row["seq0"],
        time0_ms=row["time0"],
        turn=data["turn"],
        step=data["step"],
        index=data["index"],
        dt_ms=tuple(data["dt"]),
        parts=tuple(data["args" if tag == "tool-call-chunks" else "texts"]),
        call_id=data.get("id"),
        name=data.get("name"),
    )


def expand_row(row: StreamRow) -> Iterator[Event]:
    """
    Yield the events a row stands for.

    Parameters
    ----------
    row : StreamRow
        Any row of a session's stream.

    Yields
    ------
    Event
        ``assistant/chunk`` events, or the one event the row holds whole.
    """
    if row.event is not None:
        yield row.event
        return
    times = accumulate(row.dt_ms, initial=row.time0_ms)
    for seq, (time_ms, part) in enumerate(zip(times, row.parts, strict=True), row.seq0):
        chunk: JsonObject = {"type": f"{row.kind}-delta", "index": row.index}
        if row.kind == "tool-call":
            chunk["id"] = row.call_id
            if row.name is not None:
                chunk["name"] = row.name
            chunk["argumentsDelta"] = part
        else:
            chunk["text"] = part
        yield AssistantChunk(seq=seq, time_ms=time_ms, data=ChunkData(turn=row.turn, step=row.step, chunk=chunk))


def full_log(session: Session) -> Iterator[Event]:
    """
    Yield a session's events with its streamed output in place.

    Parameters
    ----------
    session : Session
        Read with ``check=True``; without it there is no stream, and the events come alone.

    Yields
    ------
    Event
        In the order of seq; of two entries with one seq the session's own event counts.
    """
    events = iter(session.events)
    ahead = next(events, None)
    last = -1
    for row in session.stream:
        for piece in expand_row(row):
            while ahead is not None and ahead.seq <= piece.seq:
                yield ahead
                last = ahead.seq
                ahead = next(events, None)
            if piece.seq > last:
                yield piece
                last = piece.seq
    if ahead is not None:
        yield ahead
        yield from events


def _check_row(tag: str, row: Mapping[str, Any]) -> None:
    seq0: Any = row.get("seq0")
    time0: Any = row.get("time0")
    data = row.get("data")
    if set(row) != _ENVELOPE:
        raise _malformed(tag, "envelope must be exactly type, seq0, time0 and data")
    if not is_safe_integer(seq0) or seq0 < 0:
        raise _malformed(tag, "seq0 must be a safe integer from 0")
    if not is_safe_integer(time0):
        raise _malformed(tag, "time0 must be a safe integer")
    if not isinstance(data, dict):
        raise _malformed(tag, "data must be an object")
    _check_data(tag, data, seq0, time0)


def _check_data(tag: str, data: JsonObject, seq0: int, time0: int) -> None:
    calls = tag == "tool-call-chunks"
    parts_name = "args" if calls else "texts"
    keys = {*_NUMBERS, "dt", parts_name} | ({"id"} if calls else set())
    if set(data) - ({"name"} if calls else set()) != keys:
        raise _malformed(tag, f"data must be exactly {', '.join(sorted(keys))}")
    if calls and not (isinstance(data["id"], str) and isinstance(data.get("name", ""), str)):
        raise _malformed(tag, "id and name must be strings")
    if not all(type(data[name]) in (int, float) for name in _NUMBERS):
        raise _malformed(tag, "turn/step/index must be numbers")
    parts, gaps = data[parts_name], data["dt"]
    if not (isinstance(parts, list) and parts and all(isinstance(part, str) for part in parts)):
        raise _malformed(tag, f"{parts_name} must be a list of one string or more")
    if not (isinstance(gaps, list) and all(map(is_safe_integer, gaps))):
        raise _malformed(tag, "dt must be a list of safe integers")
    if len(gaps) != len(parts) - 1:
        raise _malformed(tag, f"dt length {len(gaps)} does not fit {len(parts)} members")
    if float(seq0 + len(parts)) - 1 > MAX_SAFE_INTEGER:  # doubles, in this order, let one seq more through
        raise _malformed(tag, "member seqs must stay safe integers")
    if not all(map(is_safe_integer, accumulate(gaps, initial=time0))):
        raise _malformed(tag, "member times must stay safe integers")


def _malformed(tag: str, rule: str) -> SessionError:
    words = f"malformed {tag} storage row {rule}".replace("-", " ").replace("/", " ").split()
    return SessionError(f"malformed {tag} row: {rule}", kind="-".join(words[:6]).rstrip("0"))


def _is_piece(record: Mapping[str, Any]) -> bool:
    data = record.get("data")
    if set(record) != {"type", "seq", "time", "data"} or record["type"] != "assistant/chunk":
        return False
    if not isinstance(data, Mapping) or set(data) != {"turn", "step", "chunk"}:
        return False
    chunk = data["chunk"]
    if not isinstance(chunk, Mapping) or chunk.get("type") not in tuple(_TAGS):
        return False
    if chunk["type"] == "tool-call-delta":
        named = set(chunk) - {"name"} == {"type", "index", "id", "argumentsDelta"}
        strings = [chunk.get("id"), chunk.get("argumentsDelta"), chunk.get("name", "")]
    else:
        named = set(chunk) == {"type", "index", "text"}
        strings = [chunk.get("text")]
    numbers = (data["turn"], data["step"], chunk.get("index"))
    sound = all(isinstance(part, str) for part in strings) and all(type(part) in (int, float) for part in numbers)
    return named and sound and is_safe_integer(record["seq"]) and is_safe_integer(json_numbers(record["time"]))


def _continues(last: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    if not _is_piece(record) or record["seq"] != last["seq"] + 1:
        return False
    before, data = last["data"], record["data"]
    return (
        is_safe_integer(json_numbers(record["time"] - last["time"]))
        and (before["turn"], before["step"]) == (data["turn"], data["step"])
        and _block(before["chunk"]) == _block(data["chunk"])
    )


def _block(chunk: Mapping[str, Any]) -> JsonObject:
    return {name: value for name, value in chunk.items() if name not in ("text", "argumentsDelta")}


def _rows_of(run: list[Mapping[str, Any]]) -> list[JsonObject]:
    if len(run) < _FEWEST:
        return [dict(record) for record in run]
    first, data = run[0], run[0]["data"]
    chunk = data["chunk"]
    times = [record["time"] for record in run]
    row: JsonObject = {"turn": data["turn"], "step": data["step"], "index": chunk["index"]}
    row["dt"] = [later - earlier for earlier, later in pairwise(times)]
    if chunk["type"] == "tool-call-delta":
        row |= {name: chunk[name] for name in ("id", "name") if name in chunk}
        row["args"] = [record["data"]["chunk"]["argumentsDelta"] for record in run]
    else:
        row["texts"] = [record["data"]["chunk"]["text"] for record in run]
    return [{"type": _TAGS[chunk["type"]], "seq0": first["seq"], "time0": first["time"], "data": row}]


def _plain(data: ChunkData) -> JsonObject:
    return {"turn": data.turn, "step": data.step, "chunk": data.chunk}
