from __future__ import annotations

import contextlib
import sys
import threading
from typing import Any

import pytest

from treadle_runtime.jitting.once import OncePerKey


def test_making_happens_once_and_failures_are_tried_again() -> None:
    making, made = OncePerKey(), dict[str, int]()
    attempts: list[int] = []

    def make() -> int:
        attempts.append(1)
        if len(attempts) == 1:
            raise ValueError("first")
        made["k"] = 5
        return 5

    with pytest.raises(ValueError, match="first"):
        making.once("k", lambda: made.get("k"), make)
    assert making.once("k", lambda: made.get("k"), make) == 5
    assert making.once("k", lambda: made.get("k"), make) == 5
    assert len(attempts) == 2


def test_making_the_same_key_inside_of_itself_does_not_wait() -> None:
    making = OncePerKey()
    assert making.once("k", lambda: None, lambda: making.once("k", lambda: None, lambda: 3)) == 3


def test_a_waiting_thread_takes_over_when_the_maker_fails() -> None:
    making, made = OncePerKey(), dict[str, int]()
    started, go_on = threading.Event(), threading.Event()

    def fail() -> int:
        started.set()
        go_on.wait(5)
        raise ValueError("maker")

    def first() -> None:
        with pytest.raises(ValueError, match="maker"):
            making.once("k", lambda: made.get("k"), fail)

    def succeed() -> int:
        made["k"] = 7
        return 7

    results: list[int] = []
    one = threading.Thread(target=first)
    two = threading.Thread(
        target=lambda: results.append(making.once("k", lambda: made.get("k"), succeed))
    )
    one.start()
    started.wait(5)
    two.start()
    go_on.set()
    one.join(5)
    two.join(5)
    assert results == [7]


def interrupted(making: OncePerKey, number: int) -> bool:
    """Make a value, and interrupt that at an event where Python looks for signals; False: there are fewer events.

    Such events are that a function is entered, and that one of C has been called.
    """
    left = number

    def interrupt(frame: Any, event: str, argument: Any) -> None:
        nonlocal left
        if event in {"call", "c_return"} and frame.f_code.co_filename.endswith("once.py"):
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    try:
        sys.setprofile(interrupt)
        making.once("k", lambda: None, lambda: 5)
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


def test_an_interrupt_at_any_point_leaves_the_value_to_the_next_caller() -> None:
    making, number = OncePerKey(), 0
    while interrupted(making, number):
        results: list[int] = []
        thread = threading.Thread(
            target=lambda: results.append(making.once("k", lambda: None, lambda: 7)),  # noqa: B023
            daemon=True,  # so that a hanging thread fails the test
        )
        thread.start()
        thread.join(5)
        assert results == [7], f"it hangs after an interrupt at event {number}"
        number += 1
    assert number > 8


def test_a_circle_of_stale_notes_of_waiting_is_left() -> None:
    making, made = OncePerKey(), dict[str, int]()
    started, go_on = threading.Event(), threading.Event()

    def make() -> int:
        started.set()
        go_on.wait(5)
        made["k"] = 7
        return 7

    maker = threading.Thread(target=lambda: making.once("k", lambda: made.get("k"), make))
    maker.start()
    started.wait(5)
    # As an interrupted thread may leave it behind: the maker waits for itself.
    OncePerKey._waiting[maker.ident or 0] = (making, "k")
    waiter = threading.Thread(target=lambda: making.once("k", lambda: made.get("k"), make))
    waiter.start()
    waiter.join(0.2)
    assert waiter.is_alive()  # it waits, and does not look for the end of the circle for ever
    go_on.set()
    maker.join(5)
    waiter.join(5)
    assert not waiter.is_alive()
    OncePerKey._waiting.clear()


def test_a_waiting_thread_sleeps_until_the_value_is_made() -> None:
    making, made = OncePerKey(), dict[str, int]()
    started, go_on, asked = threading.Event(), threading.Event(), list[int]()

    def make() -> int:
        started.set()
        assert go_on.wait(10)
        return made.setdefault("k", 5)

    def find() -> int | None:
        asked.append(1)
        return made.get("k")

    maker = threading.Thread(target=making.once, args=("k", lambda: made.get("k"), make))
    waiter = threading.Thread(target=making.once, args=("k", find, lambda: 0))
    maker.start()
    assert started.wait(10)
    waiter.start()
    waiter.join(0.2)  # time in which a thread that spins asks thousands of times
    assert waiter.is_alive()
    go_on.set()
    for thread in (maker, waiter):
        thread.join(10)
    assert len(asked) == 2  # before it waited, and after


def test_threads_that_look_at_the_same_time_make_once() -> None:
    making, made = OncePerKey(), dict[str, int]()
    together = threading.Barrier(2)
    attempts: list[int] = []

    def find() -> int | None:
        found = made.get("k")
        with contextlib.suppress(threading.BrokenBarrierError):
            together.wait(0.3)  # for another thread that looks now, which there must not be
        return found

    def make() -> int:
        attempts.append(1)
        made["k"] = 5
        return 5

    threads = [threading.Thread(target=making.once, args=("k", find, make)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(attempts) == 1
