"""Examples of indexing. Indices run from below to above what is in range, unless they are promised not to."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.primitives.indexing import (
    DynamicSlice,
    DynamicUpdateSlice,
    Gather,
    Scatter,
    ScatterAdd,
    ScatterFamily,
    ScatterMaximum,
    ScatterMinimum,
    ScatterMultiply,
)
from treadle_ir.testing.examples import Draw, Example, array_type, example, sample


def _from(
    offset_dims: tuple[int, ...], collapsed: tuple[int, ...], index_map: tuple[int, ...]
) -> dict[str, Any]:
    """Return which axes of a gather are offsets, which are left out, and along which the indices point."""
    return {
        "offset_dims": offset_dims,
        "collapsed_slice_dims": collapsed,
        "start_index_map": index_map,
    }


def _into(
    window_dims: tuple[int, ...], inserted: tuple[int, ...], index_map: tuple[int, ...]
) -> dict[str, Any]:
    """Return which axes of a scatter are windows, which are put in, and along which the indices point."""
    return {
        "update_window_dims": window_dims,
        "inserted_window_dims": inserted,
        "scatter_dims_to_operand_dims": index_map,
    }


def _draw(types: tuple[str, ...], low: int, high: int, unique: bool = False) -> Draw:
    """Indices (operand 1) from an interval, all different if so asked; the others as usual."""

    def draw(random: np.random.Generator) -> list[Any]:
        operands: list[Any] = [sample(random, array_type(type), (-2.0, 2.0)) for type in types]
        indices = array_type(types[1])
        if unique:
            drawn = random.permutation(np.arange(low, high))[: indices.size].reshape(indices.shape)
        else:
            drawn = random.integers(low, high, indices.shape)
        operands[1] = np.asarray(drawn).astype(indices.dtype)
        return operands

    return draw


def _gathers(
    label: str, types: tuple[str, str], high: int, low: int = -3, **attributes: Any
) -> list[Example]:
    """Return the gather in each mode; filling with NaN has no derivative where it fills."""
    draw = _draw(types, low, high)
    smooth = not dtypes.is_inexact(array_type(types[0]).dtype)
    return [
        example(Gather(**attributes), *types, draw=draw, label=label, differentiable=smooth),
        example(Gather(**attributes, fill_value=1), *types, draw=draw, label=f"{label}, filled"),
        example(Gather(**attributes, mode="clip"), *types, draw=draw, label=f"{label}, clip"),
    ]


def _scatters(
    label: str,
    types: tuple[str, str, str],
    high: int,
    low: int = -3,
    kinds: tuple[type[ScatterFamily], ...] = (ScatterAdd, Scatter),
    **attributes: Any,
) -> list[Example]:
    """Return the scatters in each mode."""
    return [
        example(
            kind(**attributes, mode=mode),
            *types,
            draw=_draw(types, low, high),
            label=f"{label}, {mode}",
        )
        for kind in kinds
        for mode in ("fill", "clip")
    ]


def _starts(types: tuple[str, ...], starts: tuple[int, ...]) -> Draw:
    def draw(random: np.random.Generator) -> list[Any]:
        operands: list[Any] = [sample(random, array_type(type), (-2.0, 2.0)) for type in types]
        first = len(operands) - len(starts)
        for number, start in enumerate(starts):
            operands[first + number] = np.asarray(start).astype(
                array_type(types[first + number]).dtype
            )
        return operands

    return draw


def _dynamic_slice(
    sizes: tuple[int, ...], starts: tuple[int, ...], *types: str, label: str = ""
) -> Example:
    return example(
        DynamicSlice(sizes), *types, draw=_starts(types, starts), label=label or str(starts)
    )


def _dynamic_update_slice(starts: tuple[int, ...], *types: str, label: str = "") -> Example:
    return example(
        DynamicUpdateSlice(), *types, draw=_starts(types, starts), label=label or str(starts)
    )


_EXTREMES: Final = (ScatterMaximum, ScatterMinimum)
_ONCE: Final = ("f64[6]", "i32[3,1]", "f64[3]")
_ROWS: Final = _from((1,), (0,), (0,))
_ELEMENTS: Final = {**_from((), (0,), (0,)), "slice_sizes": (1,)}
_WINDOWS: Final = _into((1,), (0,), (0,))
_POINTS: Final = _into((), (0,), (0,))

EXAMPLES: Final[list[Example]] = [
    *_gathers("rows", ("f32[5,3]", "i32[4,1]"), 8, **_ROWS, slice_sizes=(1, 3)),
    *_gathers(
        "rows, matrix of indices",
        ("f64[5,3]", "i32[2,2,1]"),
        8,
        **_from((2,), (0,), (0,)),
        slice_sizes=(1, 3),
    ),
    *_gathers(
        "columns", ("f64[3,5]", "i64[4,1]"), 8, **_from((0,), (1,), (1,)), slice_sizes=(3, 1)
    ),
    *_gathers(
        "points", ("f64[4,5]", "i32[6,2]"), 6, **_from((), (0, 1), (1, 0)), slice_sizes=(1, 1)
    ),
    *_gathers(
        "windows", ("f64[4,5]", "i32[3,2]"), 5, **_from((0, 2), (), (0, 1)), slice_sizes=(2, 3)
    ),
    *_gathers(
        "one window", ("f64[4,5]", "i32[2]"), 5, **_from((0, 1), (), (0, 1)), slice_sizes=(2, 3)
    ),
    *_gathers("one row", ("f32[4,5]", "i32[1]"), 6, **_from((0,), (0,), (0,)), slice_sizes=(1, 5)),
    *_gathers(
        "one of one", ("f64[4,5]", "i32[1,1]"), 6, **_from((1,), (0,), (0,)), slice_sizes=(1, 5)
    ),
    *_gathers(
        "batching",
        ("f64[3,4,5]", "i32[6,3,1]"),
        7,
        **_from((2,), (1,), (1,)),
        slice_sizes=(1, 1, 5),
        operand_batching_dims=(0,),
        start_indices_batching_dims=(1,),
    ),
    *_gathers(
        "two batching",
        ("f64[2,4,3]", "i32[3,2,1]"),
        6,
        **_from((1,), (), (1,)),
        slice_sizes=(1, 2, 1),
        operand_batching_dims=(0, 2),
        start_indices_batching_dims=(1, 0),
    ),
    *_gathers("unsigned", ("i32[5]", "u8[4,1]"), 255, 0, **_ELEMENTS),
    *_gathers("huge unsigned", ("u8[5]", "u32[4,1]"), 2**32, 0, **_ELEMENTS),
    *_gathers("narrow indices", ("bool[300]", "i8[6,1]"), 127, -128, **_ELEMENTS),
    *_gathers("no indices", ("f64[5,3]", "i32[0,1]"), 5, **_ROWS, slice_sizes=(1, 3)),
    *_gathers(
        "nothing indexed", ("f64[5,3]", "i32[2,0]"), 5, **_from((1, 2), (), ()), slice_sizes=(2, 3)
    ),
    *_gathers("rank 0", ("f64[]", "i32[0]"), 5, **_from((), (), ()), slice_sizes=()),
    example(
        Gather(**_ROWS, slice_sizes=(1, 3), fill_value=7),
        "f64[5,3]",
        "i32[4,1]",
        draw=_draw(("f64[5,3]", "i32[4,1]"), -3, 8),
        label="filled with 7",
    ),
    example(
        Gather(**_ROWS, slice_sizes=(1, 3), mode="promise_in_bounds", unique_indices=True),
        "f64[5,3]",
        "i32[4,1]",
        draw=_draw(("f64[5,3]", "i32[4,1]"), 0, 5, unique=True),
        label="promised",
    ),
    *_scatters("rows", ("f64[5,3]", "i32[4,1]", "f64[4,3]"), 8, **_WINDOWS),
    *_scatters("points", ("f64[4,5]", "i32[6,2]", "f64[6]"), 6, **_into((), (0, 1), (1, 0))),
    *_scatters("windows", ("f64[4,5]", "i32[3,2]", "f64[2,3,3]"), 5, **_into((0, 2), (), (0, 1))),
    *_scatters("one window", ("f64[4,5]", "i32[2]", "f64[2,3]"), 5, **_into((0, 1), (), (0, 1))),
    *_scatters("one row", ("f32[4,5]", "i32[1]", "f32[5]"), 6, **_into((0,), (0,), (0,))),
    *_scatters(
        "batching",
        ("f64[3,4,5]", "i32[6,3,1]", "f64[6,3,5]"),
        7,
        **_into((2,), (1,), (1,)),
        operand_batching_dims=(0,),
        scatter_indices_batching_dims=(1,),
    ),
    *_scatters("unsigned", ("i32[5]", "u32[4,1]", "i32[4]"), 2**32, 0, **_POINTS),
    *_scatters(
        "booleans",
        ("bool[5]", "i32[4,1]", "bool[4]"),
        6,
        kinds=(ScatterAdd, ScatterMultiply, Scatter, *_EXTREMES),
        **_POINTS,
    ),
    *_scatters("no indices", ("f64[5,3]", "i32[0,1]", "f64[0,3]"), 5, **_WINDOWS),
    *_scatters(
        "no columns",
        ("f64[5,0]", "i32[4,1]", "f64[4,0]"),
        8,
        kinds=(ScatterAdd, ScatterMultiply, Scatter, *_EXTREMES),
        **_WINDOWS,
    ),
    *_scatters(
        "nothing indexed",
        ("f64[2,3]", "i32[2,0]", "f64[2,2,3]"),
        5,
        **_into((1, 2), (), ()),
        kinds=(ScatterAdd, ScatterMultiply, ScatterMaximum),
    ),
    *_scatters(
        "rank 0",
        ("f64[]", "i32[2,0]", "f64[2]"),
        5,
        **_into((), (), ()),
        kinds=(ScatterAdd, Scatter),
    ),
    *_scatters(
        "rank 0",
        ("i32[]", "i32[2,0]", "i32[2]"),
        5,
        **_into((), (), ()),
        kinds=(ScatterMultiply, *_EXTREMES),
    ),
    *_scatters(
        "one of rank 0",
        ("f64[]", "i32[0]", "f64[]"),
        5,
        **_into((), (), ()),
        kinds=(ScatterMultiply, *_EXTREMES),
    ),
    *_scatters(
        "narrow",
        ("bf16[5]", "i32[4,1]", "bf16[4]"),
        6,
        kinds=(ScatterAdd, ScatterMaximum),
        **_POINTS,
    ),
    *_scatters(
        "complex",
        ("c64[5]", "i32[4,1]", "c64[4]"),
        6,
        kinds=(ScatterAdd, ScatterMultiply, *_EXTREMES),
        **_POINTS,
    ),
    *_scatters(
        "collisions",
        ("f64[3]", "i32[6,1]", "f64[6]"),
        3,
        0,
        kinds=(ScatterMultiply, *_EXTREMES),
        **_POINTS,
    ),
    *[
        example(
            kind(**_POINTS, unique_indices=True),
            *_ONCE,
            draw=_draw(_ONCE, 0, 6, unique=True),
            label="unique",
        )
        for kind in (Scatter, ScatterAdd, ScatterMultiply, *_EXTREMES)
    ],
    *[
        example(
            ScatterMultiply(**_POINTS, mode="clip"),
            "f64[3]",
            "i32[1]",
            "f64[]",
            draw=_draw(("f64[3]", "i32[1]", "f64[]"), low, low + 1),
            label=f"one at {low}",
        )
        for low in (-2, 1, 7)
    ],
    _dynamic_slice((2, 3), (1, 1), "f64[4,5]", "i32[]", "i32[]"),
    _dynamic_slice((2, 3), (-1, 9), "f32[4,5]", "i64[]", "i64[]"),
    _dynamic_slice((3,), (200,), "f64[300]", "u8[]"),
    _dynamic_slice((3,), (2**32 - 1,), "f64[5]", "u32[]"),
    _dynamic_slice((0,), (2,), "f64[5]", "i32[]", label="empty"),
    _dynamic_slice((5,), (2,), "i32[5]", "i32[]", label="whole"),
    _dynamic_slice((), (), "f64[]", label="rank 0"),
    _dynamic_update_slice((1, 1), "f64[4,5]", "f64[2,3]", "i32[]", "i32[]"),
    _dynamic_update_slice((-1, 9), "f32[4,5]", "f32[2,3]", "i64[]", "i64[]"),
    _dynamic_update_slice((2**32 - 1,), "f64[5]", "f64[2]", "u32[]"),
    _dynamic_update_slice((2,), "f64[5]", "f64[0]", "i32[]", label="empty"),
    _dynamic_update_slice((2, 1), "f64[0,3]", "f64[0,2]", "i32[]", "i32[]", label="of nothing"),
    _dynamic_update_slice((2,), "i32[5]", "i32[5]", "i32[]", label="whole"),
    _dynamic_update_slice((), "f64[]", "f64[]", label="rank 0"),
    *_gathers("wide keys", ("key<rbg>[4]", "i32[3,1]"), 6, **_ELEMENTS),
    *_gathers("keys", ("key<fry>[4]", "i32[3,1]"), 6, **_ELEMENTS),
    *_scatters("keys", ("key<fry>[5]", "i32[4,1]", "key<fry>[4]"), 6, kinds=(Scatter,), **_POINTS),
    _dynamic_slice((2,), (1,), "key<fry>[4]", "i32[]"),
    _dynamic_slice((2,), (1,), "key<rbg>[4]", "i32[]"),
    _dynamic_update_slice((9,), "key<rbg>[4]", "key<rbg>[2]", "i32[]"),
    _dynamic_update_slice((9,), "key<fry>[4]", "key<fry>[2]", "i32[]"),
]
