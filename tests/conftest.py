"""Give every test the same ground: Hypothesis settings, the benchmark marker, the real transcripts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

BENCHMARKS = Path(__file__).parent / "benchmarks"

settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # how fast a machine draws examples is no fault of the code
)
settings.register_profile("explore", settings.get_profile("fixed"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def transcripts_folder() -> Path | None:
    """Return the folder ``TIMECTX_TRANSCRIPTS`` names; None when it is unset or empty."""
    named = os.environ.get("TIMECTX_TRANSCRIPTS")
    return Path(named) if named else None


def pytest_report_header() -> str:
    """Say in the first lines of a run whether real transcripts take part."""
    folder = transcripts_folder()
    return f"transcripts: {folder}" if folder else "transcripts: TIMECTX_TRANSCRIPTS is unset, tests of real files skip"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in the folder of benchmarks, so that only ``make bench`` runs it."""
    for item in items:
        if BENCHMARKS in item.path.parents:
            item.add_marker(pytest.mark.bench)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep what tests and the programs they start would put into the user's cache folder out of it."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMECTX_CACHE_DIR", str(folder))
        yield folder


@pytest.fixture(scope="session")
def transcripts() -> Path:
    """Return the folder of real transcripts, or skip and say which variable names it."""
    folder = transcripts_folder()
    if folder is None:
        pytest.skip("TIMECTX_TRANSCRIPTS is unset: it names the folder of real transcripts")
    if not folder.is_dir():
        pytest.fail(f"TIMECTX_TRANSCRIPTS names no folder: {folder}")
    return folder
