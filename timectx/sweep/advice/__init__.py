"""Recommend a setting from the rows of a sweep."""
