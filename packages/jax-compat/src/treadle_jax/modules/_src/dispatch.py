"""`jax._src.dispatch`: for equinox, which waits for effects."""

from __future__ import annotations

from treadle import effects_barrier


def wait_for_tokens() -> None:
    """Wait for all effects that have begun."""
    effects_barrier()
