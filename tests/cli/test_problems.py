"""Test how problems are said with and without the paths of files."""

from __future__ import annotations

from pandas import DataFrame

from timectx.cli.problems import Trouble, troubles_of
from timectx.formats import FileProblem


def frame(*problems: FileProblem, refused: bool = False) -> DataFrame:
    """Return what a sweep over /d/b.jsonl says, problems beside it."""
    made = DataFrame({"session": ["s-1"], "path": ["/d/b.jsonl"]})
    told = [{"path": one.path, "line": one.line, "kind": one.kind, "message": one.message} for one in problems]
    made.attrs["problems"] = [{**each, "refused": refused} for each in told]
    return made


def unplaced(problem: FileProblem, *found: str) -> str:
    """Return how one problem is said without paths."""
    (trouble,) = troubles_of(found or (problem.path,), frame(problem))
    return trouble.unplaced


def test_problems_stand_in_the_order_of_the_files() -> None:
    """What stood in the way keeps its place among files, and a session goes by its name."""
    missing = FileProblem("x:nope", 0, "no-such-sample", "x:nope: no sample")
    torn = FileProblem("/d/b.jsonl", 7, "torn", "a torn line")
    assert troubles_of(["/d/a.jsonl", missing, "/d/b.jsonl"], frame(torn)) == [
        Trouble(
            path="x:nope", place=2, session=None, line=0, kind="no-such-sample", message="x:nope: no sample",
            unplaced="no sample", refused=True,
        ),
        Trouble(
            path="/d/b.jsonl", place=3, session="s-1", line=7, kind="torn", message="a torn line",
            unplaced="a torn line", refused=False,
        ),
    ]  # fmt: skip


def test_a_path_at_the_beginning_and_within_is_taken_out() -> None:
    """With a line or without, spelt out or escaped."""
    assert unplaced(FileProblem("/d/a", 3, "k", "/d/a:3: no session")) == "no session"
    assert unplaced(FileProblem("/d/a", 0, "k", "/d/a: cannot open /d/a")) == "cannot open the file"
    assert unplaced(FileProblem("/d/\n", 0, "k", "/d/\\n: no session")) == "no session"


def test_a_copy_names_the_place_of_its_original() -> None:
    """The original is another file, whose path is not told either."""
    copy = FileProblem("/d/c", 0, "copy", "a copy of /d/a; the session counts once")
    assert unplaced(copy, "/d/b", "/d/a", "/d/c") == "a copy of input 2; the session counts once"


def test_a_file_found_behind_a_url_has_the_place_of_the_url() -> None:
    """A place in remote storage holds many files, and only it was given."""
    far = FileProblem("s3://b/day/a.jsonl", 0, "k", "s3://b/day/a.jsonl: gone")
    (trouble,) = troubles_of(["/d/a", "s3://b", "s3://b/day"], frame(far))
    assert (trouble.place, trouble.unplaced) == (3, "gone")
