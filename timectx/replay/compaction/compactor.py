"""Compact an open log: under pressure, after a request that did not fit, or on demand."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from timectx.errors import ScenarioError
from timectx.replay.compaction.checkpoint import Lifecycle
from timectx.replay.compaction.open_log import LogView, OpenLog
from timectx.replay.compaction.policy import Capacity, CompactionPolicy, CompactionSettings, Target, budget_of
from timectx.replay.compaction.pruning import Pruned, PruneSettings, plan_prune, prune_events
from timectx.replay.compaction.refusals import CompactionError, Rule, refusal, rule_word
from timectx.replay.compaction.regions import Region, plan_compaction, region_between
from timectx.replay.compaction.rounds import relieve
from timectx.replay.compaction.summaries import SummaryModel
from timectx.replay.compaction.transaction import Compacted, carry_out

__all__ = ["Compactor", "OverflowRetry"]


class OverflowRetry(Struct, frozen=True):
    """
    Say whether to ask again after a request that did not fit.

    `retry` is True when anything was taken off the surface, even if a summary failed after it;
    `failure` is what failed, None = nothing did.
    """

    retry: bool
    failure: Exception | None = None


class Compactor:
    """
    Compact one open log.

    Parameters
    ----------
    log : OpenLog
        Where events go.
    view : LogView
        Follows that log: it is handed every event, also those written here.
    settings : CompactionSettings
        When and how much; of the view's edition.
    summarize : callable
        The model that writes summaries, or what stands for it. It may take its time: the log may
        grow and the clock move meanwhile.
    capacity_of : callable
        Returns the `Capacity` of a `Target`; None = not known.
    pruning : PruneSettings, optional
        Shortens long tool results first; None does not.

    Raises
    ------
    ScenarioError
        Kind ``edition`` when settings and view follow different editions.

    Notes
    -----
    Nothing is remembered between calls but what the view has read, so that the same log always leads to
    the same decisions.

    References
    ----------
    .. [1] deepseek-harness, packages/compaction/compaction-basic/src/index.ts and region.ts.
    """

    def __init__(
        self,
        log: OpenLog,
        view: LogView,
        settings: CompactionSettings,
        *,
        summarize: SummaryModel,
        capacity_of: Callable[[Target], Capacity | None],
        pruning: PruneSettings | None = None,
    ) -> None:
        if settings.policy.edition != view.edition:
            raise ScenarioError(
                f"settings of edition {settings.policy.edition} cannot compact a log of edition {view.edition}",
                kind="edition",
            )
        self.log, self.view, self.settings, self.pruning = log, view, settings, pruning
        self._summarize, self._capacity_of = summarize, capacity_of

    @property
    def policy(self) -> CompactionPolicy:
        """The settings in force for the model of the last request."""
        return self.settings.policy_for(self.view.target)

    def relieve_pressure(self) -> Compacted | None:
        """
        Compact if the pressure has reached the threshold.

        Returns
        -------
        Compacted or None
            The last compaction; None when none was needed, none was possible, shortening tool results
            was enough, or no request has named a model yet.

        Raises
        ------
        CompactionError
            Rules ``capacity-missing``, ``capacity-invalid``, ``busy-pressure``, ``no-open-turn``,
            ``still-above``, and those of `carry_out`; an agent warns and goes on with its step.
        ScenarioError
            As `budget_of`.
        SessionError
            As `PressureFold.measure`, or where calls and results do not pair.

        Notes
        -----
        Called before a step, when neither its prompt nor its reading is in the log: they do not count.
        """
        if self.view.pressure.header is None:
            return None
        load = self._load()
        capacity = self._capacity()
        self._refuse_open("busy-pressure")
        reserved = self.view.reply_tokens
        budget = budget_of(
            self.policy,
            self.view.target,
            capacity.context_window,
            capacity.max_tokens if reserved is None else reserved,
        )
        if load < budget.threshold_tokens or (self.prune() and self._load() < budget.threshold_tokens):
            return None
        return relieve(
            lambda: self._compact_all_but(budget.retain_tokens),
            self._load,
            threshold_tokens=budget.threshold_tokens,
            rounds=self.policy.compaction_retries + 1,
            edition=self.view.edition,
        )

    def make_room(self, *, spare: int = 0) -> Compacted | None:
        """
        Compact all that can be, after a request that did not fit.

        Parameters
        ----------
        spare : int, optional
            How many nodes beside the last stay. With 0 the last alone does: where that is a reading, the
            prompt before it is summarised away, as in the original; 1 keeps it.

        Returns
        -------
        Compacted or None
            None when nothing is left to take, or no request has named a model yet.

        Raises
        ------
        CompactionError
            Rules ``busy``, ``no-open-turn`` and those of `carry_out`.
        SessionError
            As `relieve_pressure`.
        """
        if self.view.pressure.header is None:
            return None
        self.prune()
        return self._compact_all_but(0, spare=spare)

    def retry_after_overflow(self, retries: int, *, spare: int = 0) -> OverflowRetry:
        """
        Make room after a request that did not fit, and say whether to ask again.

        Parameters
        ----------
        retries : int
            How many times in a row this was done already; a reply of the model, or a rest, sets it back
            to 0.
        spare : int, optional
            As for `make_room`.

        Returns
        -------
        OverflowRetry
            What failed does not raise here: it is in the result.
        """
        if retries >= self.policy.max_overflow_retries:
            return OverflowRetry(False)
        surface = self.view.pressure.surface
        before, failure = surface.replace_generation, None
        try:
            self.make_room(spare=spare)
        except Exception as error:  # whatever fails the recovery, the turn decides what to do about it
            failure = error
        return OverflowRetry(surface.replace_generation > before, failure)

    def compact_now(self, command_id: str | None = None) -> Compacted | None:
        """
        Compact all that can be, between turns, because a person asked for it.

        Parameters
        ----------
        command_id : str, optional
            The command that asked; None = none did.

        Returns
        -------
        Compacted or None
            None when nothing is left to take.

        Raises
        ------
        CompactionError
            Rules ``busy`` and ``manual-open-turn`` (code ``busy``), ``manual-summary`` (code ``summary``)
            where the checkpoint would not be smaller, and the others of `carry_out`.
        SessionError
            As `relieve_pressure`.
        """
        edition = self.view.edition
        self._refuse_open("busy")
        if self.view.turn is not None:
            message = f"turn {self.view.turn} is open; a compaction by hand runs between turns"
            raise refusal("manual-open-turn", message, edition, code="busy")
        region = plan_compaction(self.view.nodes(), 0)
        if region is None:
            return None
        try:
            return self._carry_out(region, Lifecycle(self.log.new_id(), None, command_id))
        except CompactionError as error:
            if error.kind != rule_word("not-smaller", edition):
                raise
            raise refusal("manual-summary", f"nothing was gained: {error}", edition, code="summary") from error

    def compact_region(self, start: int, end: int) -> Compacted:
        """
        Compact a range of the surface.

        Parameters
        ----------
        start, end : int
            Seqs of its first and last node.

        Returns
        -------
        Compacted
            What was done.

        Raises
        ------
        CompactionError
            As `region_between`, rules ``busy`` and ``no-open-turn``, and those of `carry_out`; a range that
            begins with the system prompt leaves its summary in the log, and no checkpoint.
        SessionError
            As `region_between`.
        """
        return self._compact(region_between(self.view.nodes(), start, end, self.view.edition))

    def prune(self) -> tuple[Pruned, ...]:
        """
        Shorten the tool results that are too long.

        Returns
        -------
        tuple of Pruned
            In surface order; empty when none is too long, or pruning is off.
        """
        if self.pruning is None:
            return ()
        prices = {node.seq: node.tokens for node in self.view.nodes()}
        done = []
        for prune in plan_prune(map(self.view.event, self.view.nodes()), self.pruning):
            tokens = prices[prune.event.seq]
            for event in prune_events(prune, seq=self.view.next_seq, time_ms=self.log.now_ms, tokens=tokens):
                self.log.append(event)
            done.append(Pruned(prune, self.view.next_seq - 1))
        return tuple(done)

    def _load(self) -> int:
        return self.view.pressure.measure().total_tokens

    def _capacity(self) -> Capacity:
        target, edition = self.view.target, self.view.edition
        capacity = self._capacity_of(target)
        if capacity is None:
            raise refusal("capacity-missing", f"the context window of {target} is not known", edition)
        window = capacity.context_window
        if type(window) is not int or window < 1:
            message = f"the context window of {target} is a whole number of tokens from 1; got {window!r}"
            raise refusal("capacity-invalid", message, edition, code="INVALID_MODEL_CONTEXT")
        return capacity

    def _refuse_open(self, rule: Rule) -> None:
        if self.view.open_id is not None:
            raise refusal(rule, f"compaction {self.view.open_id} is still open", self.view.edition, code="busy")

    def _compact_all_but(self, retain_tokens: int, *, spare: int = 0) -> Compacted | None:
        region = plan_compaction(self.view.nodes(), retain_tokens, spare=spare)
        return None if region is None else self._compact(region)

    def _compact(self, region: Region) -> Compacted:
        self._refuse_open("busy")
        if self.view.turn is None:
            message = "no turn is open; a compaction that nobody asked for stands inside one"
            raise refusal("no-open-turn", message, self.view.edition)
        return self._carry_out(region, Lifecycle(self.log.new_id(), self.view.turn))

    def _carry_out(self, region: Region, life: Lifecycle) -> Compacted:
        return carry_out(self.log, self.view, region, life, self.policy, self._summarize)
