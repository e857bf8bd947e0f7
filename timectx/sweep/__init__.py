"""Measure thousands of sessions under hundreds of scenarios."""

from timectx.sweep.advice.recommendation import Recommendation
from timectx.sweep.advice.totals import Totals, totals_frame
from timectx.sweep.advice.tuning import tune
from timectx.sweep.sweep import sweep_sessions

__all__ = ["Recommendation", "Totals", "sweep_sessions", "totals_frame", "tune"]
