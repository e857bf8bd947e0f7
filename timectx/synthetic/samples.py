"""Find the sample sessions that come with the project."""

from __future__ import annotations

from pathlib import Path

from timectx.errors import FormatError

__all__ = ["sample_paths"]

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = (_PACKAGE / "samples", _PACKAGE.parent / "data" / "sessions")
"""Where they lie in an installed package, and in a checkout."""


def sample_paths() -> dict[str, Path]:
    """
    Return the sample sessions by name.

    Returns
    -------
    dict of str to Path
        In the order of their names; a name is the file's without its endings.

    Raises
    ------
    FormatError
        Kind ``no-samples`` when they were left out of this installation.

    Examples
    --------
    >>> list(sample_paths())[:2]
    ['bug-hunt', 'clock-steps-back']
    """
    for folder in _FOLDERS:
        found = {path.name.split(".")[0]: path for path in sorted(folder.glob("*.jsonl*"))}
        if found:
            return found
    raise FormatError(f"{_FOLDERS[0]}:0: no sample sessions; expected files such as bug-hunt.jsonl", kind="no-samples")
