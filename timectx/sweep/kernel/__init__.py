"""Replay the columns of a session under many scenarios at once."""
