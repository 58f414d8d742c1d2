"""Listeners are notified of events, in the thread in which they happen, and nothing else is."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from treadle_ir import ArrayType, ops, stage
from treadle_ir.events.kinds import Event, ProgramMade, emit, listeners, listening

F32 = ArrayType((), np.dtype("f4"))


def made() -> ProgramMade:
    return ProgramMade(stage(lambda x: [ops.add(x, x)], F32).program)


def test_a_listener_hears_what_happens_meanwhile() -> None:
    heard: list[Event] = []
    stage(lambda x: [x], F32)
    with listening(heard.append):
        staged = stage(lambda x: [ops.sine(x)], F32)
    stage(lambda x: [x], F32)
    assert [event.program for event in heard if isinstance(event, ProgramMade)] == [staged.program]


def test_listeners_hear_in_the_order_in_which_they_came() -> None:
    heard: list[str] = []
    event = made()
    with listening(lambda _: heard.append("outer")), listening(lambda _: heard.append("inner")):
        emit(event)
    emit(event)
    assert heard == ["outer", "inner"]
    assert listeners == []


def test_one_listener_may_listen_twice() -> None:
    heard: list[Event] = []
    with listening(heard.append), listening(heard.append):
        emit(made())
    assert len([each for each in heard if isinstance(each, ProgramMade)]) >= 2
    assert listeners == []


def test_listeners_of_equal_lists_are_told_apart() -> None:
    one: list[Event] = []
    other: list[Event] = []
    first, second = listening(one.append), listening(other.append)
    with first:
        with second:
            pass
        emit(made())
    assert one
    assert not other


def test_what_a_listener_raises_comes_out_where_the_event_happened() -> None:
    def refuse(event: Event) -> None:
        raise KeyError(type(event).__name__)

    with listening(refuse), pytest.raises(KeyError, match="ProgramMade"):
        stage(lambda x: [x], F32)
    assert listeners == []


def test_events_of_other_threads_are_heard() -> None:
    heard: list[Event] = []
    with listening(heard.append):
        thread = threading.Thread(target=lambda: stage(lambda x: [x], F32))
        thread.start()
        thread.join()
    assert [type(event) for event in heard] == [ProgramMade]


def test_an_event_cannot_be_changed() -> None:
    event = made()
    with pytest.raises(AttributeError):
        event.program = None  # type: ignore[misc, assignment]
