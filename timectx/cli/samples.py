"""List the sessions that come with the package."""

from __future__ import annotations

import click

from timectx.cli.options import json_option
from timectx.cli.screen import print_json
from timectx.cli.sources import SAMPLES
from timectx.cli.tables import print_table
from timectx.synthetic import sample_paths

__all__ = ["samples_command"]


@click.command("samples", short_help="List the sessions that come with timectx.")
@json_option
def samples_command(as_json: bool) -> None:
    """List the sessions that come with timectx; each name works wherever a PATH does."""
    samples = [(f"{SAMPLES}{name}", path.stat().st_size, str(path)) for name, path in sample_paths().items()]
    if as_json:
        print_json([{"name": name, "bytes": size, "path": path} for name, size, path in samples])
    else:
        rows = [(name, f"{size:,}", path) for name, size, path in samples]
        print_table(("name", "bytes", "path"), rows, left=("name", "path"))
