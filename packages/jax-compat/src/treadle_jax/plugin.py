"""`pytest -p treadle_jax`: the hook is in before any conftest or test is imported, also in the workers of xdist."""

from __future__ import annotations

from treadle_jax.hook import install


def pytest_load_initial_conftests() -> None:
    """Put the hook in; pytest calls this before it imports the first conftest."""
    install()
