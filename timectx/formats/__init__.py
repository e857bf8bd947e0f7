"""Read real session files into sessions, and write sessions as files."""

from timectx.formats.detect import detect_format
from timectx.formats.dsh_names import encode_segment, log_path, project_key
from timectx.formats.dsh_rows import full_log, pack_chunk_rows, unpack_row
from timectx.formats.dsh_store import write_session
from timectx.formats.dsh_vocabulary import unknown_types
from timectx.formats.folders import FileProblem, find_sessions, read_sessions
from timectx.formats.lines import MAX_LINE_BYTES
from timectx.formats.read import read_session

__all__ = [
    "FileProblem",
    "MAX_LINE_BYTES",
    "detect_format",
    "encode_segment",
    "find_sessions",
    "full_log",
    "log_path",
    "pack_chunk_rows",
    "project_key",
    "read_session",
    "read_sessions",
    "unknown_types",
    "unpack_row",
    "write_session",
]
