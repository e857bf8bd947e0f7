"""Name the published contracts a reading may follow, and what differs between them."""

from __future__ import annotations

from typing import Final, Literal

from timectx.errors import ReadingError

__all__ = ["Edition", "OldEdition", "check_edition", "default_interval_ms", "line_count"]

Edition = Literal["note", "note-v2", "readme", "current"]
"""An edition that can be written: two lines in `note` and `note-v2`, three in the others."""

OldEdition = Literal["recorded", "four-line"]
"""A text only old logs hold: one that begins "Time recorded before", and one of four lines."""

_WRITTEN: Final[dict[str, Edition]] = {
    "note": "note",
    "note-v2": "note-v2",
    "readme": "readme",
    "current": "current",
}
_LINES: Final[dict[str, int]] = {
    "note": 2,
    "note-v2": 2,
    "readme": 3,
    "current": 3,
    "recorded": 2,
    "four-line": 4,
}
_CURRENT_INTERVAL_MS: Final = 600_000


def check_edition(edition: str) -> Edition:
    """
    Return a text as the edition it names.

    Parameters
    ----------
    edition : str
        Any text.

    Returns
    -------
    {"note", "note-v2", "readme", "current"}
        The same text.

    Raises
    ------
    ReadingError
        If there is no such edition to write (kind ``edition-unknown``).

    Examples
    --------
    >>> check_edition("readme")
    'readme'
    """
    found = _WRITTEN.get(edition)
    if found is None:
        raise ReadingError(
            f"unknown edition: {edition!r}; expected one of {', '.join(_WRITTEN)}", kind="edition-unknown"
        )
    return found


def line_count(edition: Edition | OldEdition) -> int:
    """
    Return how many lines a reading has.

    Parameters
    ----------
    edition : str
        Any edition, old ones included.

    Returns
    -------
    int
        2, 3 or 4.

    Raises
    ------
    ReadingError
        If there is no such edition (kind ``edition-unknown``).

    Examples
    --------
    >>> line_count("note"), line_count("current")
    (2, 3)
    """
    return _LINES[edition] if edition in _LINES else _LINES[check_edition(edition)]


def default_interval_ms(edition: Edition) -> int:
    """
    Return the refresh interval that holds where none is configured.

    Parameters
    ----------
    edition : {"note", "note-v2", "readme", "current"}
        The edition.

    Returns
    -------
    int
        Milliseconds; 0 means a reading at every attempt.

    Raises
    ------
    ReadingError
        If there is no such edition (kind ``edition-unknown``).

    References
    ----------
    deepseek-harness, packages/context/time-context/src/index.ts, versions 0.1.1 and 0.2.1.

    Examples
    --------
    >>> default_interval_ms("readme"), default_interval_ms("current")
    (0, 600000)
    """
    return _CURRENT_INTERVAL_MS if check_edition(edition) == "current" else 0
