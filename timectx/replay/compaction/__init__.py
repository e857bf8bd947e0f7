"""Compact a log: when, which messages, what stands for them, and what that costs."""
