"""Write a setting down as something to paste: configuration where there is some, else a number and its use."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from timectx.errors import TuneError
from timectx.units import format_interval

__all__ = ["Agent", "snippet_for"]

Agent: TypeAlias = Literal["dsh", "claude-code", "codex", "pi", "generic"]

_NAMES: Final = {"claude-code": "Claude Code", "codex": "Codex", "pi": "pi", "generic": "An agent of your own"}

_DUE: Final = {
    "interval": "the newest reading is at least {interval} old",
    "turn": "the turn has none yet",
    "gap": "the session was silent for as long as the scenario's gap",
    "calendar-day": "the local date has changed since the newest one",
    "zone-change": "the browser's time zone has changed since the newest one",
    "after-compaction": "a compaction came after the newest one",
    "recorded": "the log has one",
}

_WAYS: Final = {
    "appended": "a message of its own at the end of the conversation",
    "system-prompt": "a line in the system prompt, overwritten each time",
    "replaced": "a message in the place of the previous reading",
    "session-prefix": "a message at the start of the session, never renewed",
    "request-line": "the last lines of one request, kept nowhere",
    "tool": "the result of a clock tool that the model calls",
    "timer": "a message each time the interval has passed, whether or not anything happens",
}


_UNASKED: Final = {
    "session-prefix": "the session begins, and never again",
    "tool": "the model asks for it, which it does in the first steps of each turn",
}
"""When deliveries that ask no policy give a reading; a timer has its interval."""


def snippet_for(agent: Agent, interval_ms: int, policy: str = "interval", delivery: str = "appended") -> str:
    """
    Return a setting as text to paste.

    Parameters
    ----------
    agent : {"dsh", "claude-code", "codex", "pi", "generic"}
        Whom to tell the time.
    interval_ms : int
        Refresh interval in milliseconds; 0 = a reading at every attempt.
    policy, delivery : str, optional
        As a scenario has them.

    Returns
    -------
    str
        YAML for the time-context plugin of dsh; for the others a variable for a hook of one's own.
        Whatever no agent has a setting for is said in lines that start with #.

    Raises
    ------
    TuneError
        Kind ``agent`` if it is none of these.

    References
    ----------
    .. [1] ``packages/context/time-context/src/index.ts`` of DeepSeek Harness: the configuration key.

    Examples
    --------
    >>> print(snippet_for("dsh", 60_000))
    config:
      refreshIntervalMs: 60000  # 1m
    """
    if agent not in get_args(Agent):
        raise TuneError(f"an agent is one of {', '.join(get_args(Agent))}; got {agent!r}", kind="agent")
    plain = (policy, delivery) == ("interval", "appended")
    if agent == "dsh":
        return _for_dsh(interval_ms) if plain else _no_setting("The time-context plugin", interval_ms, policy, delivery)
    return _for_a_hook(_NAMES[agent], interval_ms, policy, delivery)


def _for_dsh(interval_ms: int) -> str:
    words = format_interval(interval_ms) if interval_ms else "a reading at every attempt"
    return f"config:\n  refreshIntervalMs: {interval_ms}  # {words}"


def _no_setting(who: str, interval_ms: int, policy: str, delivery: str) -> str:
    return (
        f"# {who} has no setting for this: it takes a listener of your own.\n"
        f"# Give a reading when {_when(policy, delivery, interval_ms)};\n"
        f"# put it into {_WAYS.get(delivery, delivery)}."
    )


def _for_a_hook(who: str, interval_ms: int, policy: str, delivery: str) -> str:
    words = f"at least {format_interval(interval_ms)} between two readings" if interval_ms else "at every request"
    says = f"# {who} has no setting for this: the number is for a hook of your own.\n"
    says += f"# In the hook, tell the time when {_when(policy, delivery, interval_ms)};\n"
    says += f"# put it into {_WAYS.get(delivery, delivery)}."
    if delivery in _UNASKED or ("interval" not in policy.split() and delivery != "timer"):
        return says.replace("the number is for", "it takes")
    return f"{says}\nREFRESH_INTERVAL_MS={interval_ms}  # {words}"


def _when(policy: str, delivery: str, interval_ms: int) -> str:
    return _UNASKED.get(delivery) or _due(policy, interval_ms)


def _due(policy: str, interval_ms: int) -> str:
    """Put a policy into words: alternatives with or, what must hold together with and."""
    if policy == "interval" and not interval_ms:
        return "a request is about to be sent, every time"
    terms = _DUE | {"interval": _DUE["interval"].format(interval=format_interval(interval_ms))}
    words = {"|": "or", "&": "and", **terms}
    return " ".join(words.get(each, each) for each in policy.split())
