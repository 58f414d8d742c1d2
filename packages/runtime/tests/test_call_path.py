from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir import ArrayType
from treadle_runtime import DeviceArray, from_host, jit
from treadle_runtime.call_path import JitOptions, Making, Memory, _selector, prepare, trace_function
from treadle_runtime.signature import Split, take_apart

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def array(*values: float) -> DeviceArray:
    return from_host(np.array(values, "f4"))


def test_making_happens_once_and_failures_are_tried_again() -> None:
    making, made = Making(), dict[str, int]()
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
    making = Making()
    assert making.once("k", lambda: None, lambda: making.once("k", lambda: None, lambda: 3)) == 3


def test_a_waiting_thread_takes_over_when_the_maker_fails() -> None:
    making, made = Making(), dict[str, int]()
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


@pytest.mark.parametrize(
    ("kept", "captured", "wanted"),
    [
        ((0, 1, 2), 0, "abc"),
        ((2, 0), 0, "ca"),
        ((1,), 0, "b"),
        ((), 0, ""),
        ((0, 1, 2, 3), 1, "xabc"),
        ((0, 2), 1, "xb"),
    ],
)
def test_selection_of_what_a_program_uses(kept: Any, captured: int, wanted: str) -> None:
    select = _selector(kept, tuple("x" * captured), 3)  # type: ignore[arg-type]
    assert "".join("abc" if select is None else select("abc")) == wanted  # type: ignore[arg-type]


def prepared(function: Any, *leaves: Any, split: Split = Split(), keep: bool = False) -> Any:  # noqa: B008
    arguments = take_apart(split, "f", leaves, {})
    types: tuple[ArrayType, ...] = tuple(x.type for x in leaves)
    traced = trace_function(Memory(), function, "f", arguments, types)
    return prepare(traced, JitOptions(split, keep_unused=keep), arguments, len(leaves))


def test_unused_parameters_go_unless_kept_or_taken_over() -> None:
    def f(x: Any, y: Any) -> Any:
        return ops.add(y, y)

    assert prepared(f, array(1), array(2)).kept == (1,)
    assert prepared(f, array(1), array(2), keep=True).kept == (0, 1)
    given = prepared(f, array(1), array(2), split=Split(donate_argnums=(0,)))
    assert (given.kept, given.aliases) == ((0, 1), {0: 0})


def test_indices_of_aliases_follow_what_was_dropped() -> None:
    given = prepared(
        lambda x, y: ops.add(y, y), array(1, 2), array(2), split=Split(donate_argnums=(1,))
    )
    assert (given.kept, given.aliases) == ((1,), {0: 0})


def test_programs_are_optimised_before_they_are_lowered() -> None:
    def f(x: Any) -> Any:
        ops.sine(x)  # dead
        return ops.add(ops.cosine(x), ops.cosine(x))  # the same twice

    text = jit(f).lower(array(1)).as_text()
    assert "sine" not in text.replace("cosine", "")
    assert text.count("stablehlo.add") == 1
