"""Two processes that compare their launches."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any

import pytest

from treadle_runtime.client.peers import Peers
from treadle_runtime.client.steps import Launches
from treadle_runtime.distributed.order import disagreement, publish


def launched(*numbers: int) -> Launches:
    launches = Launches((0, 1), "key")
    launches.names.update({1: "step", 2: "evaluate"})
    for number in numbers:
        assert launches.noting(number, lambda x, *, y: x + y)(1, y=2) == 3
    return launches


@pytest.mark.parametrize(
    ("here", "there"),
    [((1, 2, 1), (1, 2, 1)), ((1, 2, 1), (1, 2)), ((1, 2), (1, 2, 2, 2)), ((), (1,)), ((1,), ())],
)
def test_one_may_be_ahead(here: tuple[int, ...], there: tuple[int, ...]) -> None:
    assert launched(*here).difference(launched(*there).state()) is None


def test_the_first_difference_has_names() -> None:
    found = launched(1, 1, 2, 1).difference(launched(1, 2, 1).state())
    assert found == "launch number 1 over their devices is of `step` here and of `evaluate` there"


def test_a_program_without_a_name_has_its_number() -> None:
    found = launched(1).difference(launched(7).state())
    assert found is not None
    assert "`step` here and of program number 7 there" in found


def test_only_the_last_are_remembered_and_compared_at_their_places() -> None:
    long = [1, 2] * 300
    here, there = launched(*long), launched(2, *long[1:], 1)
    assert len(here.state()[1]) < here.state()[0] == 600
    assert here.difference(there.state()) is None
    shifted = launched(1, *long)
    assert here.difference(shifted.state()) is not None


def test_the_next_process_is_asked(values: Any) -> None:
    here, there = (Peers(number, 2, "", None, values, 1) for number in range(2))
    ours, theirs = launched(1, 2), launched(1, 1)
    assert disagreement(here, ours) is None  # it has not published anything yet
    publish(here, ours)
    publish(there, theirs)
    process, why = disagreement(here, ours) or (None, "")
    assert process == 1
    assert "process 1 launches programs in a different order from process 0" in why
    publish(there, ours)  # the last published state counts
    assert disagreement(here, ours) is None


class Slow(deque):  # type: ignore[type-arg]
    """Gives other threads time between the note of a launch and its count."""

    def append(self, item: Any) -> None:
        super().append(item)
        time.sleep(0.05)


def test_notes_and_their_count_are_read_together() -> None:
    launches = launched()
    launches._last = Slow(maxlen=100)
    thread = threading.Thread(target=launches.noting(1, int))
    thread.start()
    while thread.is_alive():
        count, last = launches.state()
        assert count == len(last)


def test_what_is_no_launch_has_words() -> None:
    here, there = launched(1, 2), launched(1)
    there.note("compares", 2)
    found = here.difference(there.state())
    assert found == (
        "step 1 over their devices is a launch of `evaluate` here and the compilation of `evaluate` there"
    )
    for word, shown in (("ends", "the end of the process"), ("exchanges", "an exchange of words")):
        there = launched(1)
        there.note(word)
        found = there.difference(here.state())
        assert found is not None
        assert found.startswith(f"step 1 over their devices is {shown}")


def test_only_the_main_thread_notes_what_is_no_launch() -> None:
    launches = launched(1)
    thread = threading.Thread(target=launches.note, args=("compares", 2))
    thread.start()
    thread.join()
    assert launches.state() == (1, [1])
