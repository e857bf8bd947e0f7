"""When a turn goes on and when it stops: steering, empty turns, cancels, resumes, and what listeners change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.loop.scenes import CALL, EDITIONS, LATE, agent, bare_agent, end_of, play, prompt, readings, told, types
from timectx.loop import (
    Agent,
    Call,
    CrashError,
    Decision,
    Enter,
    Failure,
    HandClock,
    LiveLog,
    PreStep,
    Reject,
    Reply,
    Route,
    Steer,
)
from timectx.reading import Edition
from timectx.session import Message
from timectx.session.closers import closing_events
from timectx.session.events import AssistantMessage, ToolResult, UserMessage

# max-tokens


def test_max_tokens_stays_whatever_follows_it() -> None:
    """Steering goes on after a reply that was cut off, and an ordinary reply does not make the turn complete."""
    cut = Reply(text="cut", finish="max-tokens", steers=(Steer(say="go on"),))
    assert end_of(prompts=prompt(cut, Reply(text="ok"))) == {"kind": "max-tokens"}


def test_after_max_tokens_a_step_with_tools_ends_the_turn() -> None:
    """The reason is settled, so nothing asks the model for what the tools returned."""
    cut = Reply(text="cut", finish="max-tokens", steers=(Steer(say="go on"),))
    session = play(cut, CALL, Reply(text="never"))
    assert told(session)[-4:] == ["tool/call ls", "tool/result", "step/end 1.2", "turn/end 1 max-tokens"]


# Turns without anything to say


@pytest.mark.parametrize("edition", LATE)
def test_a_turn_that_lets_nothing_enter_is_completed_without_a_step(edition: Edition) -> None:
    """Without a reading no model is asked; the prompt is gone."""
    session = play(Reply(before="empty"), edition=edition, time_context=False)
    assert told(session)[1:] == ["turn/start 1", "agent/inbox/spliced next-turn -1", "turn/end 1 completed"]


@pytest.mark.parametrize("edition", LATE)
def test_a_reading_makes_an_empty_turn_a_billed_one(edition: Edition) -> None:
    """The model is asked on the reading alone; `skip_empty` shows the world without that."""
    billed = play(Reply(before="empty", text="?"), edition=edition)
    assert types(billed)[3:] == [
        "step/start", "user/message", "request/header", "request/context", "assistant/message", "step/end", "turn/end",
    ]  # fmt: skip
    skipped = play(Reply(before="empty", text="?"), edition=edition, skip_empty=True)
    assert types(skipped)[3:] == ["turn/end"]


def test_a_prompt_taken_back_still_opens_its_turn() -> None:
    """It was sent, so the agent woke; what woke it is cancelled by then."""
    session = play(prompts=prompt(withdrawn=True), time_context=False)
    assert told(session) == [
        "agent/inbox/spliced next-turn +1", "agent/inbox/spliced next-turn -1 canceled", "turn/start 1",
        "turn/end 1 completed",
    ]  # fmt: skip
    assert told(play(prompts=prompt(withdrawn=True), edition="note")) == []


def test_an_answered_turn_whose_steering_is_dropped_ends_without_a_step() -> None:
    """The message was claimed, but a listener lets none in: nothing is left to answer."""
    built = bare_agent()
    built.pre_step.register(lambda call, go_on: Enter(()) if call.step == 2 else go_on(call))
    built.send("hi")
    built.run([Reply(text="ok", steers=(Steer(say="wait"),))])
    assert told(built.log.session())[-4:] == [
        "agent/inbox/spliced next-step +1", "step/end 1.1", "agent/inbox/spliced next-step -1", "turn/end 1 completed",
    ]  # fmt: skip


def test_a_step_that_answers_tools_needs_no_message() -> None:
    """Nothing enters, but the model has results to read."""
    built = bare_agent()
    built.send("hi")
    built.run([CALL, Reply(text="ok")])
    assert told(built.log.session())[-6:] == [
        "step/start 1.2", "assistant/chunk x3", "assistant/chunk finish stop x1", "assistant/message", "step/end 1.2",
        "turn/end 1 completed",
    ]  # fmt: skip


# Going on and stopping


def test_a_listener_at_the_end_of_a_turn_can_keep_it_going() -> None:
    """It steers once, and the turn takes another step; then it ends."""
    built = bare_agent()
    asked: list[int] = []

    def again(who: Agent) -> None:
        asked.append(len(asked))
        if len(asked) == 1:
            who.steer("and now?")

    built.turn_stopping.append(again)
    built.send("hi")
    built.run([Reply(text="one"), Reply(text="two")])
    assert asked == [0, 1]
    assert told(built.log.session())[-9:] == [
        "agent/inbox/spliced next-step +1", "agent/inbox/spliced next-step -1", "step/start 1.2",
        "user/message and now?", "assistant/chunk x3", "assistant/chunk finish stop x1", "assistant/message",
        "step/end 1.2", "turn/end 1 completed",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("stop", "goes_on"),
    [
        (Reply(text="ok"), True),
        (Reply(text="cut", finish="max-tokens"), True),
        (Reply(before="reject"), False),
        (Reply(before="fail"), False),
        (Reply(error=Failure()), False),
    ],
    ids=["completed", "max-tokens", "blocked", "failed", "provider"],
)
def test_the_next_prompt_follows_by_itself_only_after_a_turn_that_came_to_its_end(stop: Reply, goes_on: bool) -> None:
    """What else waits stays in the inbox until somebody sends something again."""
    built = bare_agent()
    built.send("one")
    built.send("two")
    built.run([stop])
    turns = [turn.reason for turn in built.log.session().turns]
    assert len(turns) == 1 + goes_on
    assert len(built.inbox.waiting("next-turn")) == 1 - goes_on
    built.send("three")
    built.run()
    assert len(built.log.session().turns) == 3
    assert built.inbox.is_empty


def test_cancelling_cancels_what_waits_too() -> None:
    """First what waited for a step, then the prompts; then the turn is aborted."""
    built = bare_agent()
    built.send("one")
    built.send("two")
    built.run([Reply(text="ok", calls=(Call(),), steers=(Steer(say="wait"),), cancel="tools")])
    assert [line for line in told(built.log.session()) if "canceled" in line or "aborted" in line] == [
        "agent/inbox/spliced next-step -1 canceled",
        "agent/inbox/spliced next-turn -1 canceled",
        "turn/end 1 aborted",
    ]


def test_a_message_sent_into_a_cancelled_turn_opens_the_next_one() -> None:
    """Steering comes too late for the turn it was meant for, and wakes the agent again."""
    built = bare_agent()

    def cancel(call: PreStep, go_on: Any) -> Decision:
        if call.turn == 1:
            built.cancel("parent")
            built.steer("later")
        return go_on(call)

    built.pre_step.register(cancel)
    built.send("hi")
    built.run([Reply(text="ok")])
    assert told(built.log.session())[3:7] == [
        "agent/inbox/spliced next-turn +1", "turn/end 1 aborted", "turn/start 2", "agent/inbox/spliced next-turn -1",
    ]  # fmt: skip


def test_a_cancel_between_turns_only_empties_the_inbox() -> None:
    """No turn is open, so none is aborted."""
    built = bare_agent()
    built.send("hi")
    built.cancel()
    built.run()
    assert told(built.log.session()) == [
        "agent/inbox/spliced next-turn +1",
        "agent/inbox/spliced next-turn -1 canceled",
    ]


def test_what_a_person_keeps_waiting_survives_a_cancel() -> None:
    """With `keep_inbox` the second prompt is still there."""
    built = bare_agent()
    built.pre_step.register(lambda call, go_on: (built.cancel(keep_inbox=True), go_on(call))[1])
    built.send("one")
    built.send("two")
    built.run()
    assert [message.content[0]["text"] for message in built.inbox.waiting("next-turn")] == ["two"]


def test_a_watcher_can_cancel_between_two_tools() -> None:
    """The one that ran keeps its result, the other gets an error in its place."""
    built = bare_agent()
    built.log.watch(lambda event: built.cancel() if isinstance(event, ToolResult) else None)
    built.send("hi")
    built.run([Reply(calls=(Call(name="a"), Call(name="b")))])
    assert told(built.log.session())[-6:] == [
        "tool/call a", "tool/result", "tool/call b", "tool/result ABORTED_BEFORE_DISPATCH", "step/end 1.1",
        "turn/end 1 aborted",
    ]  # fmt: skip


def test_a_reply_that_fails_half_way_keeps_what_streamed_in_the_log_alone() -> None:
    """The pieces are there, no message is made of them, and the retry streams anew."""
    session = play(Reply(text="x" * 200, error=Failure(retry=True)), Reply(text="ok"))
    assert told(session)[8:] == [
        "assistant/chunk x3", "assistant/chunk finish error x1", "llm/retry", "llm/retry-started",
        "assistant/chunk x3", "assistant/chunk finish stop x1", "assistant/message", "step/end 1.1",
        "turn/end 1 completed",
    ]  # fmt: skip
    (step,) = session.steps
    (reply,) = [event for event in session.events if isinstance(event, AssistantMessage)]
    assert (step.requests, step.request_seq) == (2, 14)
    assert reply.source_event_seqs == (14, 15, 16, 17)


def test_an_interrupted_reply_is_what_was_seen_of_it() -> None:
    """Reasoning and text so far, no tool call, and every piece is cited."""
    session = play(Reply(reasoning="hm " * 30, text="x" * 400, calls=(Call(),), cancel="stream"))
    (reply,) = [event for event in session.events if isinstance(event, AssistantMessage)]
    first = reply.data.message.content[0]
    assert (first["type"], first["text"]) == ("reasoning", "hm " * 30)
    assert [block["type"] for block in reply.data.message.content] == ["reasoning", "text"]
    assert reply.data.message.content[1]["text"] == "x" * 192
    assert (reply.data.interrupted, reply.data.usage) == (True, None)
    assert reply.source_event_seqs == tuple(range(8, reply.seq))


# Resuming


def test_a_resumed_agent_goes_on_counting_and_announces_itself() -> None:
    """After the mark of the history its turns count on, and its first request logs the header as a resume."""
    before = agent()
    before.send("one")
    before.run([Reply(text="ok")])
    log = LiveLog(before.log.header, HandClock(9000), events=before.log.events)
    log.end_seed()
    after = Agent(log, HandClock(9000), before.route)
    after.send("two")
    after.run([Reply(text="ok")])
    assert told(log.session())[-12:] == [
        "session/end-seed", "agent/inbox/spliced next-turn +1", "turn/start 2", "agent/inbox/spliced next-turn -1",
        "step/start 2.1", "user/message two", "request/header resume", "assistant/chunk x3",
        "assistant/chunk finish stop x1", "assistant/message", "step/end 2.1", "turn/end 2 completed",
    ]  # fmt: skip


def test_what_waited_when_the_process_ended_waits_again() -> None:
    """A prompt that no turn had claimed is still there after a resume; one that was claimed is lost."""
    before = agent()
    before.send("claimed")
    before.send("waiting")
    with pytest.raises(CrashError):
        before.run([Reply(crash=True)])
    events = [*before.log.events, *closing_events(before.log.events)]
    log = LiveLog(before.log.header, HandClock(0), events=events)
    after = Agent(log, HandClock(0), before.route)
    assert [message.content[0]["text"] for message in after.inbox.waiting("next-turn")] == ["waiting"]
    after.run([Reply(text="ok")])
    entered = [event.data.content[0]["text"] for event in log.events if isinstance(event, UserMessage)]
    assert entered == ["claimed", readings(log.session())[0], "waiting"]
    assert told(log.session())[-1] == "turn/end 2 completed"


def test_a_crash_leaves_the_log_as_it_stands() -> None:
    """No step/end, no turn/end: the process is gone."""
    built = agent()
    built.send("hi")
    with pytest.raises(CrashError):
        built.run([CALL, Reply(crash=True)])
    assert told(built.log.session())[-2:] == ["step/start 1.2", "user/message reading"]


# The request header


def test_a_header_is_logged_only_where_it_is_new() -> None:
    """Once at first, then for another system prompt or tools, in the order of their keys; the window apart from it."""
    built = bare_agent()
    routes = [
        Route(provider="p", model="m"),
        Route(provider="p", model="m"),
        Route(provider="p", model="m", system="brief"),
        Route(provider="p", model="m", system="brief", context_window=9),
        Route(provider="p", model="m", system="brief", context_window=9, tools=({"name": "a", "description": "b"},)),
        Route(provider="p", model="m", system="brief", context_window=9, tools=({"description": "b", "name": "a"},)),
    ]
    for route in routes:
        built.route = route
        built.send("hi")
        built.run([Reply(text="ok")])
    turns = " ".join(type_ for type_ in told(built.log.session()) if type_.startswith(("turn/start", "request/")))
    assert turns == (
        "turn/start 1 request/header initial request/context turn/start 2 "
        "turn/start 3 request/header change turn/start 4 request/context "
        "turn/start 5 request/header change turn/start 6 request/header change"
    )


# Listeners


def test_the_listener_in_front_sees_the_decision_last() -> None:
    """What it adds stands behind what the others added."""
    built = agent()
    note = built.log.new_id

    def add(text: str) -> Any:
        def listen(call: PreStep, go_on: Any) -> Decision:
            decision = go_on(call)
            assert isinstance(decision, Enter)
            message = decision.messages[0]
            content = ({"type": "text", "text": text},)
            return Enter(
                (*decision.messages, type(message)(content=content, source={"kind": "x"}, role="user", id=note()))
            )

        return listen

    built.pre_step.register(add("behind"))
    remove = built.pre_step.register(add("in front"), prepend=True)
    built.send("hi")
    built.run([Reply(text="ok")])
    remove()
    built.send("again")
    built.run([Reply(text="ok")])
    lines = [line.removeprefix("user/message ") for line in told(built.log.session()) if line.startswith("user/")]
    assert lines == ["hi", "behind", "reading", "in front", "again", "behind", "reading"]


def test_a_listener_that_refuses_after_the_others_discards_the_reading() -> None:
    """In the later editions nothing is kept of a step that does not start; in note the reading stays."""
    kept = {}
    for edition in EDITIONS:
        built = agent(edition=edition)
        built.pre_step.register(lambda call, go_on: (go_on(call), Reject())[1], prepend=True)
        built.send("hi")
        built.run()
        kept[edition] = len(readings(built.log.session()))
    assert kept == {"note": 1, "note-v2": 0, "readme": 0, "current": 0}


def test_an_agent_is_told_no_time_once_its_listener_is_removed() -> None:
    """Time context is a listener like any other."""
    assert readings(play(CALL, Reply(text="ok"), time_context=False)) == []


@pytest.mark.parametrize("edition", EDITIONS)
def test_what_a_listener_adds_stands_with_the_other_messages_of_the_step(edition: Edition) -> None:
    """Before the step's start in edition note, after it in the others."""
    built = bare_agent(edition=edition)
    text = Message(content=({"type": "text", "text": "by the way"},), source={"kind": "plugin", "plugin": "x"}, id="x")

    def add(call: PreStep, go_on: Any) -> Decision:
        return Enter((*call.messages, text))

    built.pre_step.register(add)
    built.send("hi")
    built.run([Reply(text="ok")])
    lines = [line for line in told(built.log.session()) if line.startswith(("user/", "step/start"))]
    messages = ["user/message hi", "user/message by the way"]
    assert lines == ([*messages, "step/start 1.1"] if edition == "note" else ["step/start 1.1", *messages])


def test_a_watcher_can_cancel_while_a_reply_streams() -> None:
    """What had come by then is kept, and nothing more is logged of it."""
    built = bare_agent()
    built.log.watch(lambda event: built.cancel("hook") if event.seq == 8 else None)
    built.send("hi")
    built.run([Reply(text="x" * 400, takes=8000)])
    assert told(built.log.session(), times=True)[-4:] == [
        "   1333 assistant/chunk x2", "   2000 assistant/message interrupted", "   2000 step/end 1.1",
        "   2000 turn/end 1 aborted",
    ]  # fmt: skip
    assert built.signal.reason == {"kind": "hook"}


def test_a_watcher_that_cancels_cancels_what_waits_too() -> None:
    """The inbox is emptied in the log behind the event that was watched."""
    built = bare_agent()
    built.log.watch(lambda event: built.cancel() if isinstance(event, ToolResult) else None)
    built.send("hi")
    built.run([Reply(calls=(Call(),), steers=(Steer(say="wait"),))])
    assert told(built.log.session())[-4:] == [
        "tool/result", "agent/inbox/spliced next-step -1 canceled", "step/end 1.1", "turn/end 1 aborted",
    ]  # fmt: skip


def test_sparing_messages_is_said_to_the_agent() -> None:
    """0 as in the original, until somebody says otherwise."""
    built = bare_agent()
    assert built.spare == 0
    built.spare = 1
    assert (built.spare, built.requests.spare) == (1, 1)
