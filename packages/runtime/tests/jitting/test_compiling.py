from __future__ import annotations

from typing import Any

import numpy as np

import treadle_ir
from treadle_ir import ArrayType
from treadle_ir.tracing import take_apart
from treadle_runtime import DeviceArray, from_host, jit
from treadle_runtime.jitting.caches import FunctionCache
from treadle_runtime.jitting.compiling import prepare
from treadle_runtime.jitting.donation import donated_leaves
from treadle_runtime.jitting.options import JitOptions, Split
from treadle_runtime.jitting.tracing import trace_function

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def array(*values: float) -> DeviceArray:
    return from_host(np.array(values, "f4"))


def prepared(function: Any, *leaves: Any, split: Split = Split(), keep: bool = False) -> Any:  # noqa: B008
    arguments = take_apart(leaves, {})
    types: tuple[ArrayType, ...] = tuple(x.type for x in leaves)
    traced = trace_function(FunctionCache(), function, "f", arguments, None, types)
    return prepare(
        traced.optimised, len(traced.captured), JitOptions(split, keep_unused=keep), arguments
    )


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


def test_donated_leaves_by_position_and_name() -> None:
    split = Split(donate_argnums=(1,), donate_argnames=frozenset({"z"}))
    given = take_apart((1.0, [2.0, 3.0]), {"y": 4.0, "z": {"a": 5.0}})
    assert [given.leaves[i] for i in donated_leaves(split, given)] == [2.0, 3.0, 5.0]
    assert donated_leaves(split, take_apart((1.0,), {})) == []
