"""Name every event type that format 0 knows, so that the others can be counted or refused."""

from __future__ import annotations

from collections import Counter
from typing import Final

from timectx.session.log import Session

__all__ = ["KNOWN_TYPES", "unknown_types"]

KNOWN_TYPES: Final = frozenset(
    {
        "agent-preset/selected",
        "agent/inbox/spliced",
        "approval/asked",
        "approval/decided",
        "approval/policy",
        "assistant/chunk",
        "assistant/message",
        "command/done",
        "command/run",
        "compaction/end",
        "compaction/prune",
        "compaction/start",
        "compaction/summary",
        "feedback/record",
        "goal/change",
        "hook/invoked",
        "hook/result",
        "llm/retry",
        "llm/retry-started",
        "permission/preset",
        "plan/mode",
        "request/context",
        "request/header",
        "sandbox/mode",
        "schedule/change",
        "session/end-seed",
        "session/title",
        "session/title-llm-request",
        "step/end",
        "step/start",
        "subagent/descriptor",
        "team/member",
        "team/message/delivered",
        "team/message/queued",
        "team/task",
        "todo/write",
        "tool-workflow/agent-end",
        "tool-workflow/agent-start",
        "tool-workflow/run-end",
        "tool-workflow/run-start",
        "tool/call",
        "tool/code-dispatch",
        "tool/code-dispatch-start",
        "tool/result",
        "turn/end",
        "turn/start",
        "user/message",
        "web/deepseek-search-llm-request",
    }
)
"""The types of format 0: deepseek-harness, packages/core/session/src/known-event-types.ts."""


def unknown_types(session: Session) -> dict[str, int]:
    """
    Count the events of a session whose type format 0 does not know.

    Parameters
    ----------
    session : Session
        Any session.

    Returns
    -------
    dict of str to int
        Events by type, in the order of first appearance; empty when all are known. They are
        among the session's events, as `OtherEvent`.
    """
    return dict(Counter(event.type for event in session.events if event.type not in KNOWN_TYPES))
