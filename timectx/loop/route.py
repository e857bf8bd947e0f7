"""Say what requests carry beside messages, and log it where it is new."""

from __future__ import annotations

from msgspec import Struct

from timectx.loop.live_log import LiveLog
from timectx.replay.js_json import js_json
from timectx.session.data import ContextData, HeaderData, JsonObject
from timectx.session.events import RequestContext, RequestHeader
from timectx.session.header import canonical_header

__all__ = ["Announcer", "Route"]


class Route(Struct, frozen=True, kw_only=True):
    """
    Hold what every request carries beside its messages, and the model it goes to.

    `max_tokens` is what a reply may take, None = not said; `context_window` is in tokens, None =
    unknown.
    """

    provider: str
    model: str
    system: str = ""
    tools: tuple[JsonObject, ...] = ()
    max_tokens: int | None = None
    context_window: int | None = None

    def header(self) -> JsonObject:
        """
        Return the request header.

        Returns
        -------
        dict
            In canonical form.
        """
        limit = {} if self.max_tokens is None else {"maxTokens": self.max_tokens}
        config = {"provider": self.provider, "model": self.model, **limit}
        return canonical_header({"config": config, "system": self.system, "tools": list(self.tools)})


class Announcer:
    """
    Log the request header and the model before a request, where either is new.

    Parameters
    ----------
    log : LiveLog
        Where they go.

    Notes
    -----
    An agent's first request always logs its header: with reason ``initial`` in a log that has none, else
    ``resume`` [1]_. Neither event is on the surface.

    References
    ----------
    .. [1] deepseek-harness, packages/core/agent-loop/src/agent.ts, `buildRequest`.
    """

    def __init__(self, log: LiveLog) -> None:
        self._log = log
        self._is_first = True
        self._announced: tuple[Route, JsonObject | None] | None = None
        contexts = (event.data for event in reversed(log.events) if isinstance(event, RequestContext))
        self._context: ContextData | None = next(contexts, None)

    def announce(self, route: Route) -> None:
        """
        Log what changed since the request before.

        Parameters
        ----------
        route : Route
            What the coming request carries.
        """
        known = self._log.view.pressure.header
        if self._announced is not None and self._announced[0] is route and self._announced[1] is known:
            return
        header = route.header()
        if self._is_first:
            self._log.add(RequestHeader, HeaderData(header=header, reason="initial" if known is None else "resume"))
        elif js_json(header) != js_json(known):
            self._log.add(RequestHeader, HeaderData(header=header, reason="change"))
        self._is_first = False
        context = ContextData(provider=route.provider, model=route.model, context_window=route.context_window)
        if context != self._context:
            self._log.add(RequestContext, context)
            self._context = context
        self._announced = (route, self._log.view.pressure.header)
