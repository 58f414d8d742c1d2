"""The steps of a call emit events: staging, lowering, compilation, donation, transfers, callbacks; warm calls too."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from treadle_ir import ArgumentError, ops
from treadle_ir.events import (
    ArgumentRefused,
    ArrayCommitted,
    CallbackRun,
    ElementsTransferred,
    Event,
    ExecutableFound,
    FunctionStaged,
    MemoryDonated,
    ProgramCompiled,
    ProgramLowered,
    listening,
)
from treadle_ir.tracing import difference
from treadle_runtime import ShapeDtypeStruct, device_put, devices, jit, pure_callback

E = TypeVar("E", bound=Event)


def of(kind: type[E], heard: list[Event]) -> list[E]:
    return [event for event in heard if isinstance(event, kind)]


def test_a_first_call_is_staged_lowered_and_compiled_and_a_second_is_silent() -> None:
    def once(x: Any) -> Any:
        return ops.multiply(ops.sine(x), np.float32(3.25))

    function, x = jit(once), device_put(np.ones(5, np.float32))
    heard: list[Event] = []
    with listening(heard.append):
        function(x)
        first = len(heard)
        function(x)
    assert [event.name for event in of(FunctionStaged, heard)] == ["once"]
    lowered = of(ProgramLowered, heard)
    assert [(event.name, event.platform) for event in lowered] == [("once", "cpu")]
    assert lowered[0].bytes > 100
    assert len([*of(ProgramCompiled, heard), *of(ExecutableFound, heard)]) == 1
    assert len(heard) == first


def test_an_equal_program_is_found_in_this_process() -> None:
    x = device_put(np.ones(6, np.float32))
    first = jit(lambda x: ops.cosine(ops.multiply(x, np.float32(1.125))))
    second = jit(lambda x: ops.cosine(ops.multiply(x, np.float32(1.125))))
    first(x)
    heard: list[Event] = []
    with listening(heard.append):
        second(x)
    assert [event.on_disk for event in of(ExecutableFound, heard)] == [False]
    assert not of(ProgramCompiled, heard)


def test_donations_are_told_also_by_warm_calls() -> None:
    function = jit(lambda x: ops.add(x, x), donate_argnums=0)
    x = device_put(np.ones(7, np.float32))
    for _ in range(4):
        heard: list[Event] = []
        with listening(heard.append):
            x = function(x)
        assert [event.type for event in of(MemoryDonated, heard)] == [x.type]


def test_transfers_are_told_with_their_ends() -> None:
    here, function = str(devices()[0]), jit(lambda x: ops.add(x, x))
    heard: list[Event] = []
    with listening(heard.append):
        np.asarray(function(device_put(np.ones(8, np.float32))))
    found = [(event.source, event.target) for event in of(ElementsTransferred, heard)]
    assert ("host", here) in found
    assert (here, "host") in found


def test_events_of_a_first_call_have_its_request() -> None:
    function = jit(lambda x, *, y: ops.multiply(ops.add(x, y), np.float32(2.625)))
    heard: list[Event] = []
    with listening(heard.append):
        for size in (11, 12):
            x = device_put(np.ones(size, np.float32))
            function(x, y=x)
    staged = [event.request for event in of(FunctionStaged, heard)]
    lowered = [event.request for event in of(ProgramLowered, heard)]
    compiled = [
        event.request for event in heard if isinstance(event, ProgramCompiled | ExecutableFound)
    ]
    for requests in (staged, lowered, compiled):
        first, second = requests
        assert first is not None
        assert second is not None
        assert first.nearest is None
        assert second.nearest == first.signature
        assert {each.cause for each in difference(second.signature, first.signature)} == {"type"}
        assert second.signature.paths(["x"]) == ["argument x", "argument y"]
        assert second.function is function.__wrapped__
        assert "function(x, y=x)" in second.place.show()


def test_nothing_is_requested_of_operations_by_themselves() -> None:
    heard: list[Event] = []
    with listening(heard.append):
        for _ in range(2):
            ops.erf(device_put(np.ones(211_001, np.float32)))
    made = [event for event in heard if isinstance(event, ProgramCompiled | ExecutableFound)]
    assert made
    assert all(event.request is None for event in made)


def test_transfers_name_the_argument_and_the_line() -> None:
    function = jit(lambda x, tree: ops.add(x, tree["w"]))
    x, w = device_put(np.ones(20_000, np.float32)), np.ones(20_000, np.float32)
    function(x, {"w": w})
    heard: list[Event] = []
    with listening(heard.append):
        function(x, {"w": w})
    (found,) = of(ElementsTransferred, heard)
    assert found.operand is not None
    assert (found.operand.path, found.operand.given is w) == ("argument tree['w']", True)
    assert found.operand.function is function.__wrapped__
    assert 'function(x, {"w": w})' in found.place.show()


def test_committed_arrays_and_refused_arguments_are_told() -> None:
    heard: list[Event] = []
    with listening(heard.append):
        x = device_put(np.ones(3, np.float32), devices()[0])
        device_put(np.ones(3, np.float32))
        with suppress(ArgumentError):
            jit(lambda x, how: x)(x, how=object)
    assert [event.array is x for event in of(ArrayCommitted, heard)] == [True]
    (refused,) = of(ArgumentRefused, heard)
    assert (refused.argument, refused.value) == ("how", object)


def test_callbacks_are_told() -> None:
    def twice(x: Any) -> Any:
        return np.asarray(x * 2)

    function = jit(lambda x: pure_callback(twice, ShapeDtypeStruct((), np.float32), x))
    heard: list[Event] = []
    with listening(heard.append):
        assert float(function(np.float32(4))) == 8
    assert [event.name for event in of(CallbackRun, heard)] == ["twice"]


def test_what_a_listener_raises_leaves_the_function_usable() -> None:
    function, x = jit(lambda x: ops.exponential(x)), device_put(np.zeros(9, np.float32))

    def refuse(event: Event) -> None:
        raise RuntimeError("heard enough")

    for _ in range(2):
        with listening(refuse), suppress(RuntimeError):  # the second call may have nothing to tell
            function(x)
    assert np.asarray(function(x)).tolist() == [1.0] * 9
