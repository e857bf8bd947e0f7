"""Leave whole sessions out: by when they ran, by model, by project, and those that another agent started."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from msgspec import Struct

from timectx.reading import format_timestamp
from timectx.session import SessionHeader
from timectx.sweep.facts import SessionFacts

__all__ = ["SessionFilter"]


class SessionFilter(Struct, frozen=True, kw_only=True):
    """
    Say which sessions count; a session counts as a whole or not at all.

    `since_ms` (inclusive) and `until_ms` (exclusive) are instants between which a step has to start, None = no
    bound. `models` and `projects` are names one of which has to fit, empty = any. `subagents` False
    leaves out sessions that another agent started.
    """

    since_ms: int | None = None
    until_ms: int | None = None
    models: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    subagents: bool = True

    def __bool__(self) -> bool:
        """Tell whether anything is asked for."""
        return self != SessionFilter()

    def keeps(self, facts: SessionFacts) -> bool:
        """
        Tell whether a session counts.

        Parameters
        ----------
        facts : SessionFacts
            Of the session.

        Returns
        -------
        bool
            True when it fits everything that is asked for.

        Examples
        --------
        >>> from timectx.sweep.facts import facts_of
        >>> from timectx.synthetic import synthetic_session
        >>> SessionFilter(since_ms=0).keeps(facts_of(synthetic_session(1, steps=2)))
        True
        """
        header = facts.header
        return (
            self._is_in_time(facts.step_starts_ms)
            and (self.subagents or not _is_subagent(header))
            and (not self.models or any(_fits(pair, self.models) for pair in facts.models))
            and (not self.projects or any(_lies_in(header.cwd or "", each) for each in self.projects))
        )

    def words(self) -> str:
        """
        Say what is asked for.

        Returns
        -------
        str
            One phrase, each part joined by a comma; empty where nothing is.

        Examples
        --------
        >>> SessionFilter(since_ms=0, models=("deepseek-*",), subagents=False).words()
        'with a step from 1970-01-01T00:00:00+00:00[UTC] on, of model deepseek-*, not started by another agent'
        """
        parts = []
        since, until = (None if ms is None else format_timestamp(ms, "UTC") for ms in (self.since_ms, self.until_ms))
        if since and until:
            parts.append(f"with a step from {since} to before {until}")
        elif since or until:
            parts.append(f"with a step from {since} on" if since else f"with a step before {until}")
        parts += [f"of model {' or '.join(self.models)}"] if self.models else []
        parts += [f"of project {' or '.join(self.projects)}"] if self.projects else []
        parts += [] if self.subagents else ["not started by another agent"]
        return ", ".join(parts)

    def _is_in_time(self, step_starts_ms: Iterable[int]) -> bool:
        if self.since_ms is None and self.until_ms is None:
            return True
        return any(
            (self.since_ms is None or self.since_ms <= start_ms) and (self.until_ms is None or start_ms < self.until_ms)
            for start_ms in step_starts_ms
        )


def _is_subagent(header: SessionHeader) -> bool:
    """Tell whether another agent started it; a fork that a person made names a parent, too, and is none."""
    return header.origin == "subagent" or (header.delegation_depth or 0) > 0


def _fits(asked: tuple[str, str], patterns: tuple[str, ...]) -> bool:
    """Tell whether a model is meant, named alone or behind its provider."""
    provider, model = (each.lower() for each in asked)
    return any(fnmatchcase(name, pattern.lower()) for name in (model, f"{provider}/{model}") for pattern in patterns)


def _lies_in(folder: str, project: str) -> bool:
    parts, asked = (each.replace("\\", "/").rstrip("/").split("/") for each in (folder, project))
    return parts[: len(asked)] == asked if len(asked) > 1 else asked[0] in parts
