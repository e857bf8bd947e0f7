"""Measure thousands of sessions under hundreds of scenarios."""

from timectx.sweep.recommendation import Recommendation
from timectx.sweep.sweep import sweep_sessions
from timectx.sweep.totals import Totals, totals_frame
from timectx.sweep.tuning import tune

__all__ = ["Recommendation", "Totals", "sweep_sessions", "totals_frame", "tune"]
