"""Measure thousands of sessions under hundreds of scenarios."""

from timectx.sweep.sweep import sweep_sessions

__all__ = ["sweep_sessions"]
