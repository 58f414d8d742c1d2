"""Index vectors and modes of gather and scatter, and checks of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError

Mode: TypeAlias = Literal["clip", "fill", "promise_in_bounds"]
MODES: Final = get_args(Mode)
FillValue: TypeAlias = bool | int | float | complex | None


def check_axes(
    name: str, word: str, axes: Sequence[int], ndim: int, *, ascending: bool = True
) -> None:
    """Check that axes are in range and distinct, and if `ascending`, in ascending order."""
    if (
        not all(0 <= axis < ndim for axis in axes)
        or len(set(axes)) != len(axes)
        or (ascending and sorted(axes) != list(axes))
    ):
        order = " in ascending order" if ascending else ""
        raise ShapeError(
            f"{name}: {word} is {tuple(axes)}, but must be distinct axes below {ndim}{order}"
        )


def check_indices(name: str, indices: Type) -> ArrayType:
    """Return the type of index vectors: integers, with at least the axis that holds the vectors."""
    assert isinstance(indices, ArrayType)
    if not dtypes.is_integer(indices.dtype):
        raise DTypeError(f"{name}: the indices are {indices}, but must be integers")
    if indices.ndim < 1:
        raise ShapeError(
            f"{name}: the indices are {indices}, but need a last axis with one entry per indexed axis",
            fix="add an axis of size 1 at the end",
        )
    return indices


def check_index_map(
    name: str, word: str, axes: Sequence[int], batching: Sequence[int], indices: ArrayType
) -> None:
    """Check that `axes` has one axis for each entry of an index vector, and none of the batching axes."""
    if set(axes) & set(batching):
        raise ShapeError(
            f"{name}: {word} {tuple(axes)} and operand_batching_dims {tuple(batching)} overlap"
        )
    if len(axes) != indices.shape[-1]:
        raise ShapeError(
            f"{name}: {word} names {len(axes)} axes, but the index vectors of {indices} have "
            f"{indices.shape[-1]} entries"
        )


def check_batching(
    name: str,
    operand: ArrayType,
    operand_dims: Sequence[int],
    indices: ArrayType,
    indices_dims: Sequence[int],
) -> None:
    """Check that the batching axes of an operand and of its indices have equal sizes, pair by pair."""
    sizes = [operand.shape[i] for i in operand_dims], [indices.shape[i] for i in indices_dims]
    if sizes[0] != sizes[1]:
        raise ShapeError(
            f"{name}: the batching axes {tuple(operand_dims)} of {operand} and {tuple(indices_dims)} of {indices} "
            f"have sizes {sizes[0]} and {sizes[1]}, which must be equal"
        )


def is_number(value: object) -> bool:
    """Return whether `value` is a number, which can fill positions out of range."""
    kinds = (np.flexible, np.timedelta64, np.datetime64)
    return isinstance(value, (bool, int, float, complex)) or (
        isinstance(value, np.generic) and not isinstance(value, kinds)
    )


def interleave(
    rank: int, places: Sequence[int], inside: Sequence[int], outside: Sequence[int]
) -> tuple[int, ...]:
    """Return a shape with the sizes `inside` at the axes `places`, and the sizes `outside` at the others, in order."""
    first, second = iter(inside), iter(outside)
    return tuple([next(first) if axis in places else next(second) for axis in range(rank)])
