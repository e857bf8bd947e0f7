"""Show that the faults other tools had with frozen clocks do not happen here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import time_machine
from jupyter_client.manager import KernelManager

from timectx.loop.frozen import frozen_clock
from timectx.reading import format_timestamp
from timectx.replay import Scenario, system_clock

NEW_YORK = "America/New_York"
SECOND_PASS_MS = 1_793_514_600_000
"""2026-11-01T06:30Z, the second 01:30 of that night in New York."""


class Kernel:
    """Run cells in a real notebook kernel and return what they print."""

    def __init__(self, home: Path) -> None:
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(env={**os.environ, "TZ": "Asia/Tokyo", "IPYTHONDIR": str(home)})
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, cell: str) -> str:
        """Return what a cell prints, the error's name where it raises."""
        printed: list[str] = []

        def collect(message: dict) -> None:  # type: ignore[type-arg]
            content = message["content"]
            printed.append(content.get("text") or content.get("ename") or "")

        self.client.execute_interactive(cell, output_hook=collect, timeout=60)
        return "".join(printed).strip()

    def close(self) -> None:
        """Stop the kernel."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """Give the tests of this file one kernel, whose files go to a folder of its own."""
    home = tmp_path_factory.mktemp("ipython")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(home))
        made = Kernel(home)
        yield made
        made.close()


def test_a_cell_that_sleeps_under_a_frozen_clock_goes_on(kernel: Kernel) -> None:
    """Awaiting a sleep returns although the clock stands still (cells run inside an event loop)."""
    cell = (
        "import asyncio\nfrom timectx.loop.frozen import frozen_clock\n"
        "with frozen_clock(1_784_077_261_001) as clock:\n"
        "    await asyncio.sleep(0.01)\n"
        "    print(clock())"
    )
    assert kernel.run(cell) == "1784077261001"


def test_a_cell_that_runs_twice_leaves_one_clock_and_stopping_it_frees_the_time(kernel: Kernel) -> None:
    """Freezing again takes the place of the clock before; one stop brings the real time back."""
    cell = "from timectx.loop.frozen import frozen_clock\nclock = frozen_clock(0)\nprint(clock())"
    assert [kernel.run(cell), kernel.run(cell)] == ["0", "0"]
    assert kernel.run("import time\nclock.stop()\nprint(time.time() > 1_000_000_000)") == "True"


def test_pandas_can_be_imported_while_the_clock_is_frozen(kernel: Kernel) -> None:
    """The clock imports pandas before it freezes, because a first import afterwards kills the process."""
    cell = (
        "from timectx.loop.frozen import frozen_clock\nwith frozen_clock(0) as clock:\n"
        "    import pandas\n    print(pandas.Timestamp(clock(), unit='ms'))"
    )
    assert kernel.run(cell) == "1970-01-01 00:00:00"


def test_the_host_zone_does_not_shift_the_frozen_instant() -> None:
    """Under any TZ of the host the same instant is read and the same text is written."""
    script = (
        "from timectx.loop.frozen import frozen_clock; from timectx.reading import format_timestamp\n"
        f"with frozen_clock({SECOND_PASS_MS}) as clock: print(clock(), format_timestamp(clock(), '{NEW_YORK}'))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "TZ": zone}, check=True, capture_output=True, text=True
        ).stdout
        for zone in ("UTC", "Asia/Kolkata", "America/Los_Angeles")
    }
    assert outputs == {f"{SECOND_PASS_MS} 2026-11-01T01:30:00-05:00[{NEW_YORK}]\n"}


def test_the_second_pass_of_the_repeated_hour_is_told_from_the_first() -> None:
    """An hour apart, the same wall time is written with the two offsets of that night."""
    with frozen_clock(SECOND_PASS_MS - 3_600_000) as clock:
        first = format_timestamp(clock(), NEW_YORK)
        clock.advance(3_600_000)
        second = format_timestamp(clock(), NEW_YORK)
    assert (first, second) == (
        f"2026-11-01T01:30:00-04:00[{NEW_YORK}]",
        f"2026-11-01T01:30:00-05:00[{NEW_YORK}]",
    )


def test_the_system_clock_agrees_with_another_library_that_freezes_time() -> None:
    """Under time-machine, which keeps the fold, the same instant is read."""
    with time_machine.travel(datetime.fromtimestamp(SECOND_PASS_MS / 1000, UTC), tick=False):
        assert system_clock()() == SECOND_PASS_MS
        assert format_timestamp(system_clock()(), NEW_YORK) == f"2026-11-01T01:30:00-05:00[{NEW_YORK}]"


def test_settings_are_built_and_checked_under_a_frozen_clock() -> None:
    """Nothing compares exact types, so a frozen datetime class breaks no check."""
    with frozen_clock(datetime(2026, 7, 15, tzinfo=UTC)) as clock:
        assert Scenario(interval_ms=60_000, time_zone="Asia/Kolkata").time_zone == "Asia/Calcutta"
        assert clock() == 1_784_073_600_000
