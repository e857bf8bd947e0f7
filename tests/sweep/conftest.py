"""Let the tests of this folder compile the kernel once, and keep its machine code between runs."""

from __future__ import annotations

import pytest

from timectx.sweep.kernel.compiled import compiled_kernel


@pytest.fixture(scope="session")
def compiled(request: pytest.FixtureRequest) -> bool:
    """Have the kernel compiled; where numba is missing, skip."""
    pytest.importorskip("numba", reason="numba is not installed: nothing compiles the kernel")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMECTX_CACHE_DIR", str(request.config.cache.mkdir("kernel")))
        compiled_kernel()
    return True
