from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_compiler import lower_program
from treadle_ir import ArrayType, Operand, ops, stage
from treadle_ir.settings import X64
from treadle_ir.testing.examples import array_type as t

POINTS: Any = {
    "update_window_dims": (),
    "inserted_window_dims": (0,),
    "scatter_dims_to_operand_dims": (0,),
}


def text(function: Any, *types: ArrayType) -> str:
    return lower_program(stage(function, *types).program, platform="cpu").text


@pytest.mark.parametrize("operation", [ops.scatter, ops.scatter_add, ops.scatter_maximum])
def test_one_index_vector_is_a_dynamic_update_slice(operation: Any) -> None:
    def at(x: Operand, i: Operand, u: Operand) -> list[Operand]:
        return [operation(x, i, u, **POINTS)]

    written = text(at, t("f32[5]"), t("i32[1]"), t("f32[]"))
    assert "stablehlo.scatter" not in written
    assert "stablehlo.dynamic_update_slice" in written
    assert "stablehlo.scatter" in text(at, t("f32[5]"), t("i32[3,1]"), t("f32[3]"))


def test_indices_promised_in_range_are_not_checked() -> None:
    def take(mode: Any) -> str:
        return text(
            lambda x, i: [
                ops.gather(
                    x,
                    i,
                    offset_dims=(),
                    collapsed_slice_dims=(0,),
                    start_index_map=(0,),
                    slice_sizes=(1,),
                    mode=mode,
                )
            ],
            t("f32[5]"),
            t("i32[3,1]"),
        )

    assert "compare" in take("fill")
    assert "compare" not in take("clip")  # what XLA does by itself
    assert "compare" not in take("promise_in_bounds")


def test_narrow_indices_are_widened() -> None:
    written = text(lambda x, i: [ops.dynamic_slice(x, i, sizes=(3,))], t("f32[300]"), t("u8[]"))
    assert "tensor<ui8>) -> tensor<i32>" in written
    assert np.iinfo(np.uint8).max < 300 - 3


@pytest.mark.xla
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_indices_of_64_bits_keep_their_upper_halves(
    dtype: str, compiled: Callable[..., Any]
) -> None:
    """An index far out of range whose lower half is in range stays out of range."""
    far = np.array([2**32 + 1], dtype)

    def slice(x: Operand, i: Operand) -> list[Operand]:
        start = ops.reshape(i, shape=())
        return [
            ops.dynamic_slice(x, start, sizes=(2,)),
            ops.scatter_add(x, i, np.float32(1), **POINTS),
        ]

    x = np.arange(5, dtype=np.float32)
    with X64.override(True):
        taken, added = compiled(slice, x, far)(x, far)
    np.testing.assert_array_equal(taken, x[3:])
    np.testing.assert_array_equal(added, x)
