"""Run a scripted agent and keep what happens in a durable log."""

from timectx.errors import StoreError
from timectx.loop.durable import DurableLog
from timectx.loop.repair import Repair
from timectx.loop.store import fork_log, inspect_log, load_log, open_log, resume_log
from timectx.loop.store_folder import find_log, list_logs

__all__ = [
    "DurableLog",
    "Repair",
    "StoreError",
    "find_log",
    "fork_log",
    "inspect_log",
    "list_logs",
    "load_log",
    "open_log",
    "resume_log",
]
