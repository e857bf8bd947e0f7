"""Offer the package on the command line: compare, replay, inspect, check and format."""

from __future__ import annotations

from timectx.cli.app import main

__all__ = ["main"]
