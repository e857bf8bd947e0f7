"""Find and open sessions in remote storage, through fsspec, which paths of this machine never need."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, cast

from timectx.errors import FormatError
from timectx.formats.folders import ENDINGS
from timectx.formats.report import refusal

__all__ = ["find_remote", "is_remote", "open_remote", "remote_stamp"]

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(::[A-Za-z][A-Za-z0-9+.-]+)*://")


def is_remote(path: str) -> bool:
    """
    Tell whether a path is a URL.

    Parameters
    ----------
    path : str
        What a person gave.

    Returns
    -------
    bool
        True for a scheme of two letters or more and ``://``, which no path of a file has.

    Examples
    --------
    >>> is_remote("s3://bucket/day"), is_remote("C:/logs"), is_remote("a/b.jsonl")
    (True, False, False)
    """
    return _SCHEME.match(path) is not None


def find_remote(url: str, storage_options: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """
    Find the files behind a URL.

    Parameters
    ----------
    url : str
        Of a file, whatever its name; of a folder, searched with everything in it; or with ``*``.
    storage_options : Mapping
        As for ``fsspec.open``.

    Yields
    ------
    tuple of str and int
        URL and size in bytes of each file, in the order of names.

    Raises
    ------
    FormatError
        Kinds ``no-such-file``, ``no-sessions``, ``unreadable``, and ``needs-fsspec`` where a package is missing.
    """
    with _refusing(url):
        fs, path = _filesystem(url, storage_options)
        if "*" in path:
            found = {name: fs.info(name) for name in fs.glob(path)}
        elif fs.isdir(path):
            found = {name: info for name, info in fs.find(path, detail=True).items() if name.endswith(ENDINGS)}
        else:
            found = {path: fs.info(path)}
        if not found:
            raise refusal(url, 0, "no-sessions", f"no session here; expected files that end in {', '.join(ENDINGS)}")
        for name in sorted(found):
            if found[name]["type"] == "file":
                yield str(fs.unstrip_protocol(name)), int(found[name].get("size") or 0)


@contextmanager
def open_remote(url: str, storage_options: Mapping[str, Any]) -> Iterator[BinaryIO]:
    """
    Open a file behind a URL for reading.

    Parameters
    ----------
    url : str
        One of `find_remote`.
    storage_options : Mapping
        As for ``fsspec.open``.

    Yields
    ------
    binary file
        Seekable; it fetches what is read, not the whole file at once.

    Raises
    ------
    FormatError
        Kinds ``no-such-file``, ``unreadable``, ``needs-fsspec``.
    """
    with _refusing(url):
        fs, path = _filesystem(url, storage_options)
        with fs.open(path, "rb") as stream:
            yield cast(BinaryIO, stream)


def remote_stamp(url: str, storage_options: Mapping[str, Any]) -> tuple[int, str]:
    """
    Return what changes when a file behind a URL does.

    Parameters
    ----------
    url : str
        One of `find_remote`.
    storage_options : Mapping
        As for ``fsspec.open``.

    Returns
    -------
    tuple of int and str
        Size in bytes, and what the storage says of its version.

    Raises
    ------
    FormatError
        As `open_remote`.
    """
    with _refusing(url):
        fs, path = _filesystem(url, storage_options)
        return int(fs.info(path).get("size") or 0), str(fs.ukey(path))


def _filesystem(url: str, storage_options: Mapping[str, Any]) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    fs, path = url_to_fs(url, **storage_options)
    return fs, path


@contextmanager
def _refusing(url: str) -> Iterator[None]:
    """Turn what a storage raises, which can be anything, into a refusal that names the URL."""
    try:
        yield
    except FormatError:
        raise
    except ImportError as error:
        cure = "a URL is opened with fsspec and a package for its kind of storage; install timectx[remote]"
        raise refusal(url, 0, "needs-fsspec", f"{error}; {cure}") from error
    except FileNotFoundError as error:
        raise refusal(url, 0, "no-such-file", "no such file; expected a session log") from error
    except Exception as error:
        raise refusal(url, 0, "unreadable", f"the file cannot be read: {type(error).__name__}: {error}") from error
