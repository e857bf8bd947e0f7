"""Play a script: set the agent up, let the prompts arrive, and return the session."""

from __future__ import annotations

from datetime import datetime, timedelta

from timectx.errors import ScenarioError
from timectx.loop.agent import Agent, Route
from timectx.loop.clocks import HandClock, MovableClock
from timectx.loop.durable import DurableLog
from timectx.loop.listeners import compaction_listener, time_listener
from timectx.loop.live_log import LiveLog
from timectx.loop.script import CompactionPlan, Script, span_ms
from timectx.reading import canonical_zone, default_interval_ms
from timectx.replay.compaction import Compactor
from timectx.replay.compaction_policy import Capacity
from timectx.replay.compaction_settings import compaction_settings
from timectx.replay.pruning import prune_settings
from timectx.replay.summaries import FixedText, FixedTokens, ShareOfShadowed, SummaryModel
from timectx.session import Session, SessionHeader

__all__ = ["agent_of", "header_of", "play_script", "start_ms"]

_SUMMARY = "The work so far, in short."
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def play_script(script: Script, *, clock: MovableClock | None = None, durable: DurableLog | None = None) -> Session:
    """
    Play a script from its first prompt to its last.

    Parameters
    ----------
    script : Script
        What happens.
    clock : MovableClock, optional
        The clock to stand on, such as one from `frozen_clock`; None takes one of its own, at the
        script's start or, after a history, at its last event.
    durable : DurableLog, optional
        An open log to go on from and to write to; None keeps everything in memory.

    Returns
    -------
    Session
        The whole history, the part before included.

    Raises
    ------
    ScenarioError
        Where the script's settings contradict each other.
    CrashError
        Where the script says so; what was flushed stays.

    Examples
    --------
    >>> from timectx.loop.script import parse_script
    >>> session = play_script(parse_script("{session: one, prompts: [{say: hello}]}"))
    >>> [event.type for event in session.events][:3]
    ['agent/inbox/spliced', 'turn/start', 'agent/inbox/spliced']
    """
    before = durable.session().events if durable is not None else ()
    clock = clock or HandClock(before[-1].time_ms if before else start_ms(script))
    log = LiveLog(header_of(script), clock, edition=script.edition, events=before)
    agent = agent_of(script, log, clock)
    if durable is not None:
        log.watch(lambda event: durable.append([event]))
        agent.checkpoint = durable.flush
    for prompt in script.prompts:
        clock.advance(span_ms(prompt.after))
        agent.send(prompt.say, prompt.zone)
        agent.run(prompt.replies)
        agent.checkpoint()
    return log.session()


def agent_of(script: Script, log: LiveLog, clock: MovableClock) -> Agent:
    """
    Set up the agent a script describes.

    Parameters
    ----------
    script : Script
        Its settings; the prompts are left to the caller.
    log : LiveLog
        Where it logs.
    clock : MovableClock
        The log's clock.

    Returns
    -------
    Agent
        With its listeners registered: compaction behind, the time in front.
    """
    compactor = None if script.compaction is None else _compactor(script, script.compaction, log)
    route = Route(
        provider=script.provider,
        model=script.model,
        system=script.system,
        tools=script.tools,
        max_tokens=script.max_tokens,
        context_window=script.context_window,
    )
    agent = Agent(log, clock, route, compactor=compactor)
    if compactor is not None and compactor.settings.auto:
        agent.pre_step.register(compaction_listener(compactor, agent.warnings.append))
    if script.time_context:
        interval_ms = default_interval_ms(script.edition) if script.interval is None else span_ms(script.interval)
        if interval_ms < 0:
            raise ScenarioError(f"a refresh interval is 0 or more, got {script.interval!r}", kind="interval")
        zone = canonical_zone(script.time_zone)
        agent.pre_step.register(time_listener(log, interval_ms=interval_ms, time_zone=zone), prepend=True)
    return agent


def header_of(script: Script) -> SessionHeader:
    """
    Return the header of a new session of a script.

    Parameters
    ----------
    script : Script
        The script.

    Returns
    -------
    SessionHeader
        Created at the script's start.
    """
    return SessionHeader(id=script.session, created_at_ms=max(0, start_ms(script)), cwd=script.cwd, delegation_depth=0)


def start_ms(script: Script) -> int:
    """
    Return the instant a script starts at.

    Parameters
    ----------
    script : Script
        The script.

    Returns
    -------
    int
        Epoch milliseconds.

    Raises
    ------
    ScenarioError
        Kind ``script`` if the start is no instant, or has no offset.
    """
    if isinstance(script.start, int):
        return script.start
    try:
        moment = datetime.fromisoformat(script.start)
        return (moment - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, TypeError):
        cure = "expected epoch milliseconds, or ISO 8601 with an offset"
        raise ScenarioError(f"not a start: {script.start!r}; {cure}", kind="script") from None


def _compactor(script: Script, plan: CompactionPlan, log: LiveLog) -> Compactor:
    window = script.context_window
    return Compactor(
        log,
        log.view,
        compaction_settings(plan.settings, edition=script.edition),
        summarize=_summary_model(plan),
        capacity_of=lambda _: None if window is None else Capacity(window),
        pruning=None if plan.pruning is None else prune_settings(plan.pruning),
    )


def _summary_model(plan: CompactionPlan) -> SummaryModel:
    if plan.summary_tokens is not None:
        return FixedTokens(plan.summary_tokens)
    if plan.summary_ratio is not None:
        return ShareOfShadowed(plan.summary_ratio)
    return FixedText(_SUMMARY if plan.summary is None else plan.summary)
