"""Test the list of sample sessions."""

from __future__ import annotations

from tests.cli.logs import run, run_json
from timectx.synthetic import sample_paths


def test_every_sample_is_listed_by_the_name_that_works() -> None:
    """Name, size and place of each, in the order of names."""
    assert run_json("samples") == [
        {"name": f"samples:{name}", "bytes": path.stat().st_size, "path": str(path)}
        for name, path in sample_paths().items()
    ]
    rows = [line.split() for line in run("samples").stdout.splitlines()[2:]]
    assert rows == [[f"samples:{name}", f"{path.stat().st_size:,}", str(path)] for name, path in sample_paths().items()]
