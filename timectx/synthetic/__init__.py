"""Make up sessions from a seed that look like real ones, readings included."""

from timectx.synthetic.dice import Table
from timectx.synthetic.habits import Habits
from timectx.synthetic.happenings import Happening, HappeningKind
from timectx.synthetic.invent import START_MS, synthetic_session
from timectx.synthetic.samples import sample_paths

__all__ = ["START_MS", "Habits", "Happening", "HappeningKind", "Table", "sample_paths", "synthetic_session"]
