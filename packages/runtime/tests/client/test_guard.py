"""What keeps jaxlib from importing jax leaves nothing behind: no module, and no lock that others wait for."""

from __future__ import annotations

import sys
import threading

import pytest

from treadle_runtime.client.guard import no_jax_import


def _free_for_others() -> bool:
    """Return whether another thread can enter."""
    entered = []

    def enter() -> None:
        with no_jax_import():
            entered.append(True)

    thread = threading.Thread(target=enter, daemon=True)
    thread.start()
    thread.join(10)
    return bool(entered)


def test_nothing_is_left() -> None:
    with no_jax_import():
        assert "jax" in sys.modules
        with no_jax_import():
            pass
        assert "jax" in sys.modules  # the inner one has put nothing there
    assert "jax" not in sys.modules
    assert _free_for_others()


def test_an_error_within_leaves_no_lock() -> None:
    with pytest.raises(KeyError), no_jax_import():
        raise KeyError
    assert _free_for_others()


def test_a_full_stack_leaves_no_lock() -> None:
    """The stack may end anywhere: before it is entered, within, and where it is left."""

    def deep(left: int) -> None:
        if left:
            deep(left - 1)
            return
        with no_jax_import():
            deep(2)

    ended = 0
    for left in range(sys.getrecursionlimit() + 20):
        try:
            deep(left)
        except RecursionError:
            ended += 1
    assert ended
    assert _free_for_others()
    assert "jax" not in sys.modules
