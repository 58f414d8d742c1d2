"""References in the stages of a jitted call: nothing is written until the compiled function is called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import ShapeDtypeStruct, new_ref
from treadle_ir import ArgumentError, UnsupportedError

ONES = np.ones(2, np.float32)


def doubled(r: Any, x: Any) -> Any:
    r[...] = r[...] * 2
    return tnp.sum(r[...] * x)


def test_a_compiled_function_writes_to_the_references_of_each_call() -> None:
    ref = new_ref(ONES)
    traced = treadle.jit(doubled).trace(ref, 3.0)
    compiled = traced.lower().compile()
    np.testing.assert_array_equal(ref[...], [1, 1])
    assert compiled(ref, 3.0) == 12
    assert compiled(ref, 3.0) == 24
    np.testing.assert_array_equal(ref[...], [4, 4])
    other = new_ref(5 * ONES)
    assert compiled(other, 1.0) == 20
    np.testing.assert_array_equal(other[...], [10, 10])
    np.testing.assert_array_equal(ref[...], [4, 4])


def test_a_compiled_function_reads_what_references_hold_that_it_closes_over() -> None:
    ref = new_ref(ONES)
    compiled = treadle.jit(lambda x: doubled(ref, x)).lower(3.0).compile()
    ref[...] = 5 * ONES
    assert compiled(3.0) == 60
    np.testing.assert_array_equal(ref[...], [10, 10])


def test_stages_show_the_arguments_and_results_of_the_user() -> None:
    ref, closed = new_ref(ONES), new_ref(np.int32(0))

    def function(scale: float, tree: Any) -> Any:
        closed[...] += 1
        return {"y": doubled(tree["ref"], tree["x"]) * scale}

    jitted = treadle.jit(function, static_argnums=0)
    traced = jitted.trace(2.0, {"ref": ref, "x": ONES})
    lowered = traced.lower()
    compiled = lowered.compile()
    wanted = {"y": ShapeDtypeStruct((), np.float32)}
    held = ShapeDtypeStruct((2,), np.float32)
    for stage in (traced, lowered, compiled):
        assert stage.out_info["y"].shape == wanted["y"].shape
        assert stage.out_tree == treadle.tree.structure(wanted)
        (shown,), _ = stage.in_avals
        assert shown == {"ref": held.update(is_ref=True), "x": held}
        assert stage.args_info[0][0]["ref"].donated is False
        assert stage.in_tree == treadle.tree.structure((({"ref": 0, "x": 0},), {}))
    assert set(compiled.output_shardings) == set(compiled.output_formats) == {"y"}
    assert set(compiled.input_shardings[0][0]) == {"ref", "x"}
    assert compiled(2.0, {"ref": ref, "x": ONES})["y"] == 8
    assert compiled({"ref": ref, "x": ONES})["y"] == 16
    assert closed[...] == 2


def test_compiled_functions_refuse_other_arguments() -> None:
    ref = new_ref(ONES)
    compiled = treadle.jit(doubled).lower(ref, 3.0).compile()
    with pytest.raises(ArgumentError, match="for a reference at argument 0, called with an array"):
        compiled(ONES, 3.0)
    with pytest.raises(ArgumentError, match="for an array at argument 1, called with a reference"):
        compiled(ref, new_ref(3.0))
    with pytest.raises(ArgumentError, match=r"to f32\[2\] at argument 0, called with one to f32\["):
        compiled(new_ref(np.ones(3, np.float32)), 3.0)
    with pytest.raises(ArgumentError, match="given as argument 0 and as argument 1"):
        treadle.jit(lambda a, b: doubled(a, b[...])).lower(ref, ref)
    both = treadle.jit(lambda a, b: doubled(a, b[...])).lower(ref, new_ref(ONES)).compile()
    with pytest.raises(ArgumentError, match="given as argument 0 and as argument 1"):
        both(ref, ref)
    with pytest.raises(ArgumentError, match="only lives inside"):
        treadle.jit(lambda r: r).lower(ref)
    np.testing.assert_array_equal(ref[...], ONES)


def test_functions_that_use_references_are_not_written_down() -> None:
    ref = new_ref(ONES)
    traced = treadle.jit(doubled).trace(ref, 3.0)
    with pytest.raises(UnsupportedError, match="uses references"):
        traced.closure_convert()
    with pytest.raises(UnsupportedError, match="uses references"):
        treadle.export.export(treadle.jit(doubled))(ref, 3.0)
    from treadle.experimental import serialize_executable  # noqa: PLC0415 - rarely used

    with pytest.raises(UnsupportedError, match="uses references"):
        serialize_executable.serialize(traced.lower().compile())
