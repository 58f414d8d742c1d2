"""`pytest -p treadle_jax`: the hook is in before any conftest or test is imported, also in the workers of xdist."""

from __future__ import annotations

from typing import Any

from treadle.tracebacks import shown_traceback
from treadle_jax.hook import install


def pytest_load_initial_conftests() -> None:
    """Put the hook in; pytest calls this before it imports the first conftest."""
    install()


def pytest_runtest_makereport(call: Any) -> None:  # Any: pytest's, which is no need of ours
    """Leave treadle's own lines out of what is reported of a test."""
    if call.excinfo is not None:
        error = call.excinfo.value
        shown = shown_traceback(error, call.excinfo.tb)
        call.excinfo = call.excinfo.from_exc_info((type(error), error, shown))
