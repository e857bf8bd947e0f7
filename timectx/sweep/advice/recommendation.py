"""Hold a recommendation: the setting to use, what its neighbours cost, how sure it is, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, json

from timectx.sweep.advice.constraints import Limits, Rule
from timectx.sweep.advice.display import as_html, as_markdown
from timectx.sweep.advice.snippet import Agent, snippet_for
from timectx.sweep.advice.totals import Totals, frame_of_totals
from timectx.units import format_interval

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Neighbour", "Outlier", "Recommendation", "Setting", "Today"]


class Neighbour(Struct, frozen=True, kw_only=True):
    """
    Compare the next setting on the front with the choice.

    Differences are the neighbour's minus the choice's; each ratio is the difference as a share of the
    choice's value, None where that is 0 or unknown. `breaks` names the limits it does not keep.
    """

    side: Literal["fresher", "cheaper"]
    totals: Totals
    more_tokens: int
    more_tokens_ratio: float | None
    more_staleness_ms: int
    more_staleness_ratio: float | None
    more_blind_steps: int
    more_cost_usd: float | None
    more_cost_ratio: float | None
    breaks: tuple[str, ...] = ()


class Outlier(Struct, frozen=True):
    """
    Name a session that the choice treats worse than a limit allows, or unlike the rest.

    `measure` is ``staleness_ms``, ``spent_ratio`` or ``blind_ratio``; `value` is the session's own and
    `bound` what it lies beyond. `why` is ``limit``, or ``far`` where it lies beyond three times the
    distance between the quartiles of all sessions, counted from the nearer one.
    """

    session: str
    measure: str
    value: float
    bound: float
    why: Literal["limit", "far"]


class Setting(Struct, frozen=True):
    """Count the sessions that one setting explains."""

    policy: str
    interval_ms: int
    edition: str
    sessions: int


class Today(Struct, frozen=True, kw_only=True):
    """
    Compare what was recorded with the choice, over the sessions that hold readings.

    `settings` are those that explain the recorded readings, the most frequent first.
    """

    recorded: Totals
    recommended: Totals
    settings: tuple[Setting, ...]

    @property
    def saved_tokens(self) -> int:
        """How many tokens less the choice spends on telling the time; negative where it spends more."""
        return self.recorded.spent_tokens - self.recommended.spent_tokens


class Recommendation(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """
    Name the setting to use, and say why.

    Attributes
    ----------
    scenario : str
        The choice, as the sweep calls it.
    interval_ms : int
        Its refresh interval in milliseconds; 0 = a reading at every attempt.
    policy, delivery : str
        When a reading is due, and how it reaches the model.
    low_ms, high_ms : int
        Where nine of ten choices lie when the sessions are drawn again; both are the choice where
        there is nothing to draw.
    rule : {"knee", "cheapest", "freshest"}
        How it was chosen; see `tune`.
    limits : Limits
        What it keeps.
    totals : Totals
        What it comes to over all sessions.
    front : tuple of Totals
        The settings that no other beats in both spending and staleness, freshest first.
    neighbours : tuple of Neighbour
        The next fresher and the next cheaper one on the front.
    binding : tuple of str
        The limits without which the choice would be another.
    set_aside : tuple of str
        Settings kept off the front by a limit or because no step sees a reading.
    resamples : int
        How often the sessions were drawn again; 0 where fewer than two have steps.
    same_ratio, unmet_ratio : float or None
        Share of the drawings that choose the same setting, and in which none keeps the limits.
    outliers : tuple of Outlier
        Sessions that the choice treats worse than a limit allows, or unlike the rest.
    today : Today or None
        What was recorded beside the choice; None where no session holds readings.
    reasons : tuple of str
        All of it in sentences.
    """

    scenario: str
    interval_ms: int
    policy: str = "interval"
    delivery: str = "appended"
    low_ms: int
    high_ms: int
    rule: Rule = "knee"
    limits: Limits = Limits()
    totals: Totals
    front: tuple[Totals, ...]
    neighbours: tuple[Neighbour, ...] = ()
    binding: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    resamples: int = 0
    same_ratio: float | None = None
    unmet_ratio: float | None = None
    outliers: tuple[Outlier, ...] = ()
    today: Today | None = None
    reasons: tuple[str, ...] = ()

    def snippet(self, agent: Agent = "dsh") -> str:
        """
        Return the setting as text to paste.

        Parameters
        ----------
        agent : {"dsh", "claude-code", "codex", "pi", "generic"}
            Whom to tell the time. The time-context plugin of dsh has a setting; all others need a hook of
            one's own, and the text says so.

        Returns
        -------
        str
            YAML for dsh, a shell variable for the others; lines that start with # explain.

        Raises
        ------
        TuneError
            Kind ``agent`` if it is none of these.
        """
        return snippet_for(agent, self.interval_ms, self.policy, self.delivery)

    def front_frame(self) -> DataFrame:
        """
        Return the front as a frame.

        Returns
        -------
        DataFrame
            One row a setting, freshest first, with the columns of `totals_frame`.
        """
        return frame_of_totals(self.front)

    def to_dict(self) -> dict[str, Any]:
        """
        Return everything as plain values.

        Returns
        -------
        dict
            Texts, numbers, lists and dicts only, the snippet for dsh included.
        """
        found: dict[str, Any] = json.decode(json.encode(self))
        return {**found, "snippet": self.snippet()}

    def __repr__(self) -> str:
        """Return the choice in one line."""
        low, high = format_interval(self.low_ms), format_interval(self.high_ms)
        return f"<Recommendation {self.scenario}: low {low}, high {high}, front of {len(self.front)}>"

    def __str__(self) -> str:
        """Return the choice and the reasons, a line each."""
        return "\n".join((f"Recommended: {self.scenario}", *(f"  {each}" for each in self.reasons)))

    def _repr_html_(self) -> str:
        return as_html(self.scenario, self.front, self.reasons)

    def _repr_markdown_(self) -> str:
        return as_markdown(self.scenario, self.front, self.reasons)
