from dataclasses import replace

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_ir.primitives.indexing import (
    DynamicSlice,
    DynamicUpdateSlice,
    Gather,
    ScatterAdd,
)
from treadle_ir.testing.examples import array_type as t

ROWS = Gather(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,), slice_sizes=(1, 3))
ADD = ScatterAdd(
    update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,)
)


@pytest.mark.parametrize(
    ("primitive", "message"),
    [
        (replace(ROWS, collapsed_slice_dims=(2,)), "collapsed_slice_dims"),  # C1
        (replace(ROWS, offset_dims=(2,)), "offset_dims"),
        (replace(ROWS, operand_batching_dims=(0,), start_indices_batching_dims=(0,)), "overlap"),  # C2
        (replace(ROWS, slice_sizes=(1, 4)), "do not fit"),  # C3
        (replace(ROWS, slice_sizes=(2, 3)), "must be 1"),
        (replace(ROWS, offset_dims=()), "keep 1 axes"),  # C4
        (replace(ROWS, start_index_map=(0, 1)), "2 axes"),  # C5
        (
            replace(ROWS, collapsed_slice_dims=(), operand_batching_dims=(0,), start_index_map=(1,),
                    start_indices_batching_dims=(0,)),
            "sizes",
        ),  # C6
    ],
)  # fmt: skip
def test_gather_c1_to_c6(primitive: Gather, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        primitive.infer(t("f32[5,3]"), t("i32[4,1]"))


def test_gather_c5_integers() -> None:
    with pytest.raises(DTypeError, match="must be integers"):
        ROWS.infer(t("f32[5,3]"), t("f32[4,1]"))


def test_nan_is_the_default_fill_so_that_equal_gathers_are_equal() -> None:
    assert replace(ROWS, fill_value=np.nan) == ROWS
    assert replace(ROWS, mode="clip", fill_value=3) == replace(ROWS, mode="clip")


def test_mode_is_checked_when_it_is_given() -> None:
    with pytest.raises(ArgumentError, match="not one of clip, fill, promise_in_bounds"):
        replace(ROWS, mode="drop")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("primitive", "updates", "message"),
    [
        (replace(ADD, update_window_dims=(2,)), "f32[4,3]", "update_window_dims"),  # C1
        (
            replace(ADD, operand_batching_dims=(0,), scatter_indices_batching_dims=(0,)),
            "f32[4,3]",
            "overlap",
        ),  # C2
        (ADD, "f32[4,4]", "do not fit"),  # C3
        (replace(ADD, scatter_dims_to_operand_dims=(0, 1)), "f32[4,3]", "2 axes"),  # C4
        (ADD, "f32[2,3]", "have a batch of shape"),  # C5
    ],
)
def test_scatter_c1_to_c5(primitive: ScatterAdd, updates: str, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        primitive.infer(t("f32[5,3]"), t("i32[4,1]"), t(updates))


def test_scatter_c7() -> None:
    with pytest.raises(DTypeError, match="element types must be equal"):
        ADD.infer(t("f32[5,3]"), t("i32[4,1]"), t("f64[4,3]"))


def test_dynamic_slice_c1_c2() -> None:
    with pytest.raises(ShapeError, match="does not fit"):
        DynamicSlice((6,)).infer(t("f32[5]"), t("i32[]"))
    with pytest.raises(ShapeError, match="1 starts for the 2 axes"):
        DynamicSlice((1, 1)).infer(t("f32[5,5]"), t("i32[]"))
    with pytest.raises(ShapeError, match="must be a scalar"):
        DynamicSlice((1,)).infer(t("f32[5]"), t("i32[1]"))
    with pytest.raises(DTypeError, match="must be an integer"):
        DynamicSlice((1,)).infer(t("f32[5]"), t("f32[]"))
    with pytest.raises(DTypeError, match="element types must be equal"):
        DynamicSlice((1, 1)).infer(t("f32[5,5]"), t("i32[]"), t("i64[]"))


def test_dynamic_update_slice_c1_c2() -> None:
    with pytest.raises(ShapeError, match="does not fit"):
        DynamicUpdateSlice().infer(t("f32[5]"), t("f32[6]"), t("i32[]"))
    with pytest.raises(DTypeError, match="element types must be equal"):
        DynamicUpdateSlice().infer(t("f32[5]"), t("f64[2]"), t("i32[]"))


def test_nothing_is_gathered_from_an_axis_of_size_0() -> None:
    primitive = replace(ROWS, slice_sizes=(0, 3))
    with pytest.raises(ShapeError, match="must be 1"):
        primitive.infer(t("f32[0,3]"), t("i32[2,1]"))
    assert primitive.infer(t("f32[0,3]"), t("i32[0,1]")) == (t("f32[0,3]"),)
