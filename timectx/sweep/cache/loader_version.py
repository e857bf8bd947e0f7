"""Name the version of everything that turns a file into columns, so that what an older one computed is not used."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from timectx.reading import zone_database_release

__all__ = ["loader_version"]

_PACKAGE: Final = Path(__file__).parents[2]
_SOURCES: Final = ("errors.py", "units.py", "session", "reading", "formats", "replay", "cost", "sweep")


@cache
def loader_version() -> str:
    """
    Return a digest of the sources that read, order and price a session, and of the zone data.

    Returns
    -------
    str
        32 hexadecimal digits; the same for the same code, wherever it is installed.

    Examples
    --------
    >>> len(loader_version()), loader_version() == loader_version()
    (32, True)
    """
    digest = sha256(zone_database_release().encode())
    for source in sorted(path for name in _SOURCES for path in _files(_PACKAGE / name)):
        digest.update(source.relative_to(_PACKAGE).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:32]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return [each for each in path.rglob("*") if each.is_file() and "__pycache__" not in each.parts]
