"""Memory that there is not: an error in treadle's words that says how much was asked for, and the process goes on."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
import treadle_runtime
from conformance.faults.inside import raised
from conformance.faults.process import run

linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")


def asked_for_too_much(limited: bool) -> None:
    """Allocations beyond the address space, or beyond a limit of it; what each attempt gives is printed."""
    x = tnp.ones(3)
    wide = np.lib.stride_tricks.as_strided(np.ones(1, np.float32), (1 << 30, 1024), (0, 0))
    device = treadle.devices()[0]
    times = 1 << 21 if limited else 1 << 40  # 2 GiB and more; 4 TiB and more
    attempts: dict[str, Any] = {
        "a jitted call": treadle.jit(lambda x: tnp.broadcast_to(x, (times, 300, 3)) + 1),
        "the second of two results": treadle.jit(
            lambda x: (x, tnp.broadcast_to(x, (times, 300, 3)) * 2)
        ),
        "a narrow type": treadle.jit(
            lambda x: tnp.broadcast_to(x, (times, 700, 3)).astype(tnp.bfloat16)
        ),
        "a callback's result": treadle.jit(
            lambda x: treadle.pure_callback(
                lambda v: v, treadle.ShapeDtypeStruct((times, 300, 3), np.float32), x
            )
        ),
        "eager work": lambda x: tnp.broadcast_to(x, (times, 300, 3)) + 1,
        "a new array": lambda x: tnp.zeros((times, 300, 3)),
        "an array of NumPy's as an argument": lambda x: treadle.jit(lambda x: x[0])(wide),
        "device_put": lambda x: treadle.device_put(wide, device),
        "asarray": lambda x: tnp.array(wide),
    }
    small = treadle.jit(lambda x: (x * 2).sum())
    small(x)
    if limited:
        for attempt in [*attempts.values()][:4]:
            attempt.lower(x).compile()
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), resource.RLIM_INFINITY))
    found = {}
    for name, attempt in attempts.items():
        error = raised(lambda attempt=attempt: treadle.block_until_ready(attempt(x)))
        notes = " ".join(getattr(error, "__notes__", []))
        found[name] = [type(error).__name__, isinstance(error, MemoryError), str(error), notes]
        assert float(small(x)) == 6, name
    print(json.dumps(found))


@pytest.mark.parametrize("limited", [False, pytest.param(True, marks=linux)], ids=["all", "limit"])
def test_allocations_that_fail(limited: bool) -> None:
    found = json.loads(run(asked_for_too_much, limited, seconds=60))
    assert len(found) == 9
    size = (1 << 21 if limited else 1 << 40) * 300 * 3 * 4
    for name, (_, memory, text, notes) in found.items():
        assert memory, name
        assert "RESOURCE_EXHAUSTED" not in text, name
        if "Unable to allocate" not in text:  # NumPy's words
            assert text.startswith("out of memory: a compiled program asked for "), name
            assert "fix: use smaller" in notes, name
    shape = f"f32[{size // 3600},300,3]"
    assert f"({size} bytes) for its result, {shape}" in found["a jitted call"][2]
    assert f"({size} bytes) for result 1, {shape}" in found["the second of two results"][2]
    assert f"({size} bytes) for its result, {shape}" in found["eager work"][2]
    assert "for its result, bf16" in found["a narrow type"][2]
    for name in ("an array of NumPy's as an argument", "device_put", "asarray"):
        assert "shape (1073741824, 1024)" in found[name][2], found[name]


def whole_functions_that_need_too_much() -> None:
    """Functions that run as a whole, by one call of a library, and what they say when there is no memory."""
    x = tnp.zeros(1 << 24)
    functions: dict[str, Any] = {
        "sort": tnp.sort,
        "partition": lambda x: tnp.partition(x, 3),
        "fft": tnp.fft.fft,
        "cumsum": tnp.cumsum,
        "unique": tnp.unique,
        "a mask": lambda x: x[np.ones(x.shape, bool)],
    }
    for function in functions.values():  # what they import
        treadle.block_until_ready(function(x[:1000]))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (40 << 20), resource.RLIM_INFINITY))
    found = {}
    for name, function in functions.items():
        error = raised(lambda function=function: treadle.block_until_ready(function(x)))
        found[name] = [type(error).__name__, str(error), " ".join(getattr(error, "__notes__", []))]
    print(json.dumps(found))


@linux
def test_whole_functions_say_that_there_is_no_memory() -> None:
    """Not NumPy's MemoryError, nor what C++ calls it."""
    found = json.loads(run(whole_functions_that_need_too_much, seconds=120))
    assert len(found) == 6
    for name, (kind, text, notes) in found.items():
        assert kind == "OutOfMemoryError", (name, kind, text)
        assert text.startswith("out of memory"), name
        assert "bad_alloc" not in text, name
        assert "fix: use smaller" in notes, name


def little_left(store: bool) -> None:
    """There is next to no address space left when a program has to be compiled or loaded."""
    known = treadle.jit(lambda x: x + 1)
    x = tnp.ones(3)
    known(x)
    if store:
        treadle.jit(lambda x: tnp.cos(x) * 5)(x)
        return
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (20 << 20), resource.RLIM_INFINITY))
    for function in (lambda x: tnp.sin(x) * 2, lambda x: tnp.cos(x) * 5):
        error = raised(lambda function=function: treadle.jit(function)(x))
        assert str(error).startswith("no room to compile: "), error
        assert "ulimit -v" in " ".join(getattr(error, "__notes__", []))
    assert float(known(x)[0]) == 2
    assert float((x * 3).sum()) == 9
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    loaded = treadle.jit(lambda x: tnp.cos(x) * 5)
    assert abs(float(loaded(x)[0]) - 5 * np.cos(1)) < 1e-5
    assert treadle_runtime.timings(loaded)[0].from_disk  # the entry has not been blamed
    assert abs(float(treadle.jit(lambda x: tnp.sin(x) * 2)(x)[0]) - 2 * np.sin(1)) < 1e-5


@linux
def test_no_room_to_compile(tmp_path: Path) -> None:
    run(little_left, True, cache=tmp_path)
    run(little_left, False, cache=tmp_path)


def shapes_beyond_64_bits() -> None:
    """Shapes whose size in bytes no 64-bit integer holds, also where there are no elements."""
    x = tnp.ones(3)
    huge = 1 << 40
    attempts = [
        lambda x: tnp.broadcast_to(x, (huge, huge, 3)) + 1,
        lambda x: tnp.broadcast_to(x[:0], (huge, huge, 0)) + 1,
        lambda x: tnp.zeros((huge, 0, huge)),
        lambda x: tnp.zeros((1 << 62,)) + x[0],
        lambda x: tnp.zeros((1 << 63,), tnp.int8),
        lambda x: tnp.tile(x, 1 << 61)[:5],
    ]
    for number, attempt in enumerate(attempts):
        error = raised(lambda attempt=attempt: treadle.jit(attempt)(x))
        kinds = (treadle.errors.ShapeError, treadle.errors.RangeError)
        assert isinstance(error, kinds), (number, error)
        assert "too large" in str(error) or "more than 64 bits" in str(error), (number, error)
        assert isinstance(raised(lambda attempt=attempt: attempt(x)), kinds), number
    assert float(treadle.jit(lambda x: (x * 2).sum())(x)) == 6


def test_shapes_beyond_64_bits() -> None:
    run(shapes_beyond_64_bits)
