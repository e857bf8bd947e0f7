"""Play a script: set the agent up, let the prompts arrive, and return the session."""

from __future__ import annotations

from collections.abc import Callable

from timectx.errors import StoreError, TimectxError
from timectx.formats.dsh_rows import full_log
from timectx.loop.agent import Agent
from timectx.loop.clocks import HandClock, MovableClock
from timectx.loop.listeners import compaction_listener, time_listener
from timectx.loop.live_log import LiveLog
from timectx.loop.requests import CrashError
from timectx.loop.route import Route
from timectx.loop.script import CompactionPlan, Prompt, Script, check_script
from timectx.loop.spans import parse_start, span_ms
from timectx.loop.store.durable import DurableLog
from timectx.reading import canonical_zone, default_interval_ms, process_zone
from timectx.replay.compaction.compactor import Compactor
from timectx.replay.compaction.policy import Capacity
from timectx.replay.compaction.pruning import prune_settings
from timectx.replay.compaction.settings import compaction_settings
from timectx.replay.compaction.summaries import (
    FixedText,
    FixedTokens,
    ShareOfShadowed,
    SummaryModel,
    SummaryReply,
    SummaryRequest,
)
from timectx.session import Session, SessionHeader

__all__ = ["agent_of", "header_of", "play_prompts", "play_script"]

_SUMMARY = "The work so far, in short."


def play_script(
    script: Script,
    *,
    clock: MovableClock | None = None,
    durable: DurableLog | None = None,
    warn: Callable[[str], object] | None = None,
) -> Session:
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
    warn : callable, optional
        Takes the text of each failure that was survived, when all has been played; None drops them.

    Returns
    -------
    Session
        The whole history, the part before included.

    Raises
    ------
    ScenarioError
        As `check_script`.
    StoreError
        If the log cannot be made durable.
    CrashError
        Where the script says so; what was flushed stays, and the durable log is given up.

    Notes
    -----
    What a history left waiting is answered before the script's first prompt, by replies of the script's
    default.

    Examples
    --------
    >>> from timectx.loop.script import parse_script
    >>> session = play_script(parse_script("{session: one, prompts: [{say: hello}]}"))
    >>> [event.type for event in session.events][:3]
    ['agent/inbox/spliced', 'turn/start', 'agent/inbox/spliced']
    """
    check_script(script)
    before = () if durable is None else tuple(full_log(durable.session()))
    clock = clock or HandClock(before[-1].time_ms if before else parse_start(script.start))
    header = header_of(script) if durable is None else durable.header
    log = LiveLog(header, clock, edition=script.edition, events=before, anchor=script.anchor)
    agent = agent_of(script, log, clock)
    if durable is not None:
        target = durable
        log.guard(lambda event: target.append([event]))
        agent.checkpoint = target.flush
    try:
        agent.run()
        play_prompts(agent, script.prompts)
    except CrashError:
        if durable is not None:
            durable.abandon()
        raise
    finally:
        for text in agent.warnings:
            (warn or str)(text)
    return log.session()


def play_prompts(agent: Agent, prompts: tuple[Prompt, ...]) -> None:
    """
    Let prompts arrive one after the other, each with the replies to it.

    Parameters
    ----------
    agent : Agent
        The agent; its clock moves on by the pauses between the prompts.
    prompts : tuple of Prompt
        What happens.

    Raises
    ------
    CrashError, StoreError
        As `Agent.run`.
    """
    for prompt in prompts:
        agent.clock.advance(span_ms(prompt.after))
        if prompt.compact:
            _compact(agent)
        message = agent.send(prompt.say, prompt.zone)
        if prompt.withdrawn:
            agent.inbox.withdraw(message.id)
        agent.run(prompt.replies)
        if agent.replies:
            agent.warn(f"replies that nothing asked for: {len(agent.replies)}")
            agent.replies.clear()
        agent.checkpoint()


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

    Notes
    -----
    Without a zone in the script the process's own is taken, once.
    """
    compactor = None if script.compaction is None else _compactor(script, script.compaction, log, clock)
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
        agent.pre_step.register(compaction_listener(compactor, agent.warn))
    if script.compaction is not None:
        agent.spare = script.compaction.spare
    if script.time_context:
        interval_ms = default_interval_ms(script.edition) if script.interval is None else span_ms(script.interval)
        zone = process_zone() if script.time_zone is None else canonical_zone(script.time_zone)
        listener = time_listener(log, interval_ms=interval_ms, time_zone=zone, skip_empty=script.skip_empty)
        agent.pre_step.register(listener, prepend=True)
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
    created_ms = max(0, parse_start(script.start))
    return SessionHeader(id=script.session, created_at_ms=created_ms, cwd=script.cwd, delegation_depth=0)


def _compact(agent: Agent) -> None:
    try:
        agent.compact_now()
    except StoreError:
        raise
    except TimectxError as error:
        agent.warn(f"compaction failed: {error}")


def _compactor(script: Script, plan: CompactionPlan, log: LiveLog, clock: MovableClock) -> Compactor:
    window = script.context_window
    return Compactor(
        log,
        log.view,
        compaction_settings(plan.settings, edition=script.edition),
        summarize=_slow(_summary_model(plan), clock, span_ms(plan.takes)),
        capacity_of=lambda _: None if window is None else Capacity(window),
        pruning=None if plan.pruning is None else prune_settings(plan.pruning),
    )


def _slow(model: SummaryModel, clock: MovableClock, takes_ms: int) -> SummaryModel:
    """Return a model that takes its time."""

    def summarize(request: SummaryRequest) -> SummaryReply:
        clock.advance(takes_ms)
        return model(request)

    return summarize


def _summary_model(plan: CompactionPlan) -> SummaryModel:
    if plan.summary_tokens is not None:
        return FixedTokens(plan.summary_tokens)
    if plan.summary_ratio is not None:
        return ShareOfShadowed(plan.summary_ratio)
    return FixedText(_SUMMARY if plan.summary is None else plan.summary)
