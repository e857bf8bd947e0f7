"""Join a little JSON and many integers into one flat file, and notice when a file is not what was written."""

from __future__ import annotations

import struct
import zlib
from typing import Final

__all__ = ["pack_entry", "unpack_entry"]

_MAGIC: Final = b"timectx1"
_FRONT: Final = struct.Struct("<8sIIQ")
_CHECKED_FROM: Final = 12
_WIDTH: Final = 8


def pack_entry(said: bytes, integers: bytes | memoryview) -> bytes:
    """
    Return the content of a file.

    Parameters
    ----------
    said : bytes
        JSON that says what the integers are.
    integers : bytes or memoryview
        Signed integers of eight bytes, little endian.

    Returns
    -------
    bytes
        A front of 24 bytes (a mark, the CRC-32 of all that follows it, both lengths), the JSON filled up with
        spaces to a multiple of eight bytes, the integers.

    Examples
    --------
    >>> len(pack_entry(b"{}", bytes(16))), unpack_entry(pack_entry(b"{}", bytes(16)))[0]
    (48, b'{}      ')
    """
    said = said.ljust(-(-len(said) // _WIDTH) * _WIDTH)
    front = bytearray(_FRONT.pack(_MAGIC, 0, len(said), len(integers) // _WIDTH))
    checksum = zlib.crc32(integers, zlib.crc32(said, zlib.crc32(front[_CHECKED_FROM:])))
    struct.pack_into("<I", front, len(_MAGIC), checksum)
    return b"".join((front, said, integers))


def unpack_entry(content: bytes) -> tuple[bytes, memoryview] | None:
    """
    Take the content of a file apart.

    Parameters
    ----------
    content : bytes
        Of any file.

    Returns
    -------
    tuple or None
        The JSON and the integers as `pack_entry` joined them; None for anything else: cut off, changed, or
        never written by this package.

    Examples
    --------
    >>> unpack_entry(b"PNG"), unpack_entry(pack_entry(b"{}", bytes(16))[:-1])
    (None, None)
    """
    if len(content) < _FRONT.size or not content.startswith(_MAGIC):
        return None
    _, checksum, said, count = _FRONT.unpack_from(content)
    if len(content) != _FRONT.size + said + _WIDTH * count:
        return None
    view = memoryview(content)
    if zlib.crc32(view[_CHECKED_FROM:]) != checksum:
        return None
    return bytes(view[_FRONT.size : _FRONT.size + said]), view[_FRONT.size + said :]
